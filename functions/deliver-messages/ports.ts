import type { InboxEntry } from '#shared/domain/alerting/alert-record.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { PostAlertsPorts } from '#shared/domain/alerting/post-alerts.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { DestinationId } from '#shared/domain/channels/destination-id.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type { ChangeJob, ChangeTarget } from '#shared/domain/watchlists/change-job.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Destination, Webhook } from './destination.ts';

/** All that a channel's actor reaches of the world. */
export type DeliverMessagesPorts = PostAlertsPorts & {
  /** A number that no two notes share. */
  readonly newVersion: () => number;
  /** Milliseconds until the function is ended. */
  readonly remainingTime: () => number;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly stackSlack: 'on' | 'off';
  readonly getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>;
  readonly getChangeJob: (
    list: WatchlistId,
    target: ChangeTarget,
  ) => Promise<ChangeJob | undefined>;
  /** Puts a note in the place of another; VersionConflictError where that is not there any more. */
  readonly replaceChangeJob: (before: ChangeJob, after: ChangeJob) => Promise<void>;
  readonly removeChannel: (record: ChannelRecord) => Promise<void>;
  readonly oldestInInbox: (
    destinationId: DestinationId,
    limit: number,
    before?: string,
  ) => Promise<readonly InboxEntry[]>;
  /** The next entries to be sent: urgent ones first. */
  readonly nextInInbox: (
    destinationId: DestinationId,
    limit: number,
  ) => Promise<readonly InboxEntry[]>;
  readonly namedInInbox: (
    destinationId: DestinationId,
    names: readonly string[],
  ) => Promise<readonly InboxEntry[]>;
  readonly removeFromInbox: (entry: InboxEntry) => Promise<void>;
  readonly send: (
    destination: Destination,
    notification: Notification,
    signal: AbortSignal,
  ) => Promise<ChatAnswer>;
  /** Asks a webhook for the proof that it wants alerts: `sent` where it gives it. */
  readonly prove: (webhook: Webhook, signal: AbortSignal) => Promise<ChatAnswer>;
  readonly report: Report<DeliverMessagesEvents>;
};

export type DeliverMessagesEvents = {
  readonly [Kind in ChatAnswer['kind'] as `message_${Kind}`]: Sending;
} & {
  /** Alerts that a channel will not get: it refused them, or did not take them for a day. */
  readonly alerts_given_up: {
    readonly destinationId: DestinationId;
    readonly alerts: number;
    readonly reason: string;
  };
  /** What came of asking a webhook for the proof that it wants alerts. */
  readonly webhook_challenged: EventDetails;
  readonly alert_unreadable: EventDetails;
  readonly delivery_failed: EventDetails;
};

/** What came of sending a notification. */
type Sending = {
  /** The id of its alert, or of the digest that it is. */
  readonly notification: string;
  readonly destinationId: DestinationId;
  readonly alerts: number;
  /** How many of them are late: of old prices, or on their way for long though the channel works. */
  readonly late: number;
  /** How long the oldest has been on its way. */
  readonly seconds: number;
  /** How often the channel did not take what it was sent before. */
  readonly failures: number;
  readonly reason?: string;
};
