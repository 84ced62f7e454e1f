import type { Acknowledgement, EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert, AlertKey } from '#shared/domain/alerting/alert.ts';
import type { AlertRecord } from '#shared/domain/alerting/alert-record.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Mutes } from '#shared/domain/watching/mute.ts';
import type { ExpiryTarget, Pending, PendingTarget } from '#shared/domain/watching/pending.ts';
import type { Watch, WatchId } from '#shared/domain/watching/watch.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watching/watchlist.ts';

/** All that a list's actor reaches of the world. */
export type NotifyWatchersPorts = {
  readonly now: () => Instant;
  /** A number that no two notes share. */
  readonly newVersion: () => number;
  /** Milliseconds until this invocation is ended. */
  readonly remainingTime: () => number;
  readonly stackSlack: 'on' | 'off';
  readonly getWatch: (id: WatchId) => Promise<Watch | undefined>;
  readonly putWatch: (watch: Watch) => Promise<Watch>;
  readonly getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>;
  readonly watchesOfList: (
    list: { readonly tenant: string; readonly list: string },
    contract: ContractKey,
  ) => Promise<readonly Watch[]>;
  readonly getMutes: (list: WatchlistId) => Promise<Mutes>;
  readonly getAcknowledgement: (episode: EpisodeId) => Promise<Acknowledgement | undefined>;
  readonly getAlert: (key: AlertKey) => Promise<AlertRecord | undefined>;
  readonly putAlert: (record: AlertRecord) => Promise<AlertRecord>;
  readonly getPending: (list: WatchlistId, target: PendingTarget) => Promise<Pending | undefined>;
  readonly pendingExpiries: (list: WatchlistId) => Promise<readonly ExpiryTarget[]>;
  readonly notePending: (pending: Pending) => Promise<void>;
  readonly settlePending: (pending: Pending) => Promise<void>;
  readonly publishToStack: (alert: Alert) => Promise<void>;
  readonly publishToList: (list: WatchlistId, alert: Alert) => Promise<void>;
  /** Makes the list's topic have these subscribers and no others; none at all removes it. */
  readonly subscribeToList: (
    list: WatchlistId,
    emails: readonly string[],
  ) => Promise<{ readonly strangersMayConfirm: boolean }>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
  readonly report: (event: NotifyWatchersEvent, fields: Readonly<Record<string, unknown>>) => void;
};

type NotifyWatchersEvent = 'alert_published' | 'alert_dropped' | 'alert_not_published';
