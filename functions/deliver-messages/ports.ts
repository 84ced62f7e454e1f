import type { InboxEntry } from '#shared/domain/alerting/alert-record.ts';
import type { Letter } from '#shared/domain/alerting/letter.ts';
import type { PostAlertsPorts } from '#shared/domain/alerting/post-alerts.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { Sink } from '#shared/domain/channels/sink.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Destination } from './destination.ts';

/** All that a channel's actor reaches of the world. */
export type DeliverMessagesPorts = PostAlertsPorts & {
  /** Milliseconds until the function is ended. */
  readonly remainingTime: () => number;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly stackSlack: 'on' | 'off';
  readonly getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>;
  readonly removeChannel: (record: ChannelRecord) => Promise<void>;
  readonly oldestInInbox: (
    sink: Sink,
    limit: number,
    before?: string,
  ) => Promise<readonly InboxEntry[]>;
  readonly namedInInbox: (sink: Sink, names: readonly string[]) => Promise<readonly InboxEntry[]>;
  readonly removeFromInbox: (entry: InboxEntry) => Promise<void>;
  readonly send: (
    destination: Destination,
    letter: Letter,
    signal: AbortSignal,
  ) => Promise<ChatAnswer>;
  readonly report: (event: DeliverMessagesEvent, fields: Readonly<Record<string, unknown>>) => void;
};

type DeliverMessagesEvent = `message_${ChatAnswer['kind']}` | 'alert_unreadable';
