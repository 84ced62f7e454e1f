import type { Destinations } from '#shared/channels/destination.ts';
import type { Acknowledgement, EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { AlertKey } from '#shared/domain/alerting/alert.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type {
  Answered,
  Hold,
  InboxEntry,
  MutedEntry,
  NextEntries,
  Outcome,
} from '#shared/domain/channels/alert-record.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { Watch, WatchId } from '#shared/domain/evaluation/watch.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Page } from '#shared/domain/page.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { ChangeChannelPorts } from '#shared/use-cases/change-channel.ts';
import type { PostAlertsPorts } from '#shared/use-cases/post-alerts.ts';
import type { ReadNewestPorts } from '#shared/use-cases/read-newest.ts';
import type { WantTopicPorts } from '#shared/use-cases/want-topic.ts';
import type { MessageLinks } from './message-links.ts';

/** The ports of a destination's worker. */
export type DeliverMessagesPorts = PostAlertsPorts &
  ChangeChannelPorts &
  WantTopicPorts &
  ReadNewestPorts &
  Destinations & {
    /** The maximum number of writes in a transaction. */
    readonly writesOfTransaction: number;
    /** Milliseconds until the invocation times out. */
    readonly remainingTime: () => number;
    readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
    readonly stackSlack: 'on' | 'off';
    readonly getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>;
    readonly removeChannel: (record: ChannelRecord) => Promise<void>;
    readonly oldestInInbox: (
      destinationId: DestinationId,
      limit: number,
      before?: string,
    ) => Promise<readonly InboxEntry[]>;
    /** The next entries to send, urgent ones first, and the entries that are still held. */
    readonly nextInInbox: (
      destinationId: DestinationId,
      limit: number,
      now: Instant,
    ) => Promise<NextEntries>;
    readonly namedInInbox: (
      destinationId: DestinationId,
      names: readonly string[],
    ) => Promise<readonly InboxEntry[]>;
    readonly holdInInbox: (entry: InboxEntry, hold: Hold) => Promise<void>;
    readonly mutedInInbox: (
      destinationId: DestinationId,
      after?: string,
    ) => Promise<Page<MutedEntry, string>>;
    readonly mutedOf: (
      destinationId: DestinationId,
      watch: string,
    ) => Promise<MutedEntry | undefined>;
    /**
     * Moves entries to their muted watches; throws VersionConflictError if the record has changed.
     */
    readonly muteInInbox: (
      record: ChannelRecord,
      entries: readonly InboxEntry[],
      muted: readonly MutedEntry[],
      counted: readonly Answered[],
    ) => Promise<ChannelRecord>;
    readonly unmuteInInbox: (
      entry: MutedEntry,
      now: Instant,
      isBeforeUrgent?: boolean,
    ) => Promise<void>;
    /** Settles an entry with its outcome; throws VersionConflictError if the record has changed. */
    readonly settleInInbox: (
      record: ChannelRecord,
      entry: InboxEntry,
      outcome: Outcome,
    ) => Promise<ChannelRecord>;
    readonly removeFromInbox: (entry: InboxEntry) => Promise<void>;
    readonly getMutes: (list: WatchlistId) => Promise<Mutes>;
    readonly getAcknowledgement: (episode: EpisodeId) => Promise<Acknowledgement | undefined>;
    readonly getWatch: (id: WatchId) => Promise<Watch | undefined>;
    readonly getOutcome: (
      alert: AlertKey,
      destinationId: DestinationId,
    ) => Promise<Outcome | undefined>;
    readonly putOutcome: (
      alert: AlertKey,
      destinationId: DestinationId,
      outcome: Outcome,
    ) => Promise<void>;
    readonly messageLinks: MessageLinks;
    readonly report: Report<DeliverMessagesEvents>;
  };

export type DeliverMessagesEvents = {
  readonly [Kind in ChatAnswer['kind'] as `message_${Kind}`]: Sending;
} & {
  /** Alerts that a destination rejected, or did not accept for a day. */
  readonly alerts_given_up: {
    readonly destinationId: DestinationId;
    readonly alerts: number;
    readonly reason: string;
  };
  /** The answer of a webhook to its challenge. */
  readonly webhook_challenged: EventDetails;
  readonly alert_unreadable: EventDetails;
  readonly delivery_failed: EventDetails;
};

/** The log fields of a notification that was sent or failed. */
type Sending = {
  /** The id of the alert, or of the digest. */
  readonly notification: string;
  readonly destinationId: DestinationId;
  readonly alerts: number;
  /** The number of alerts that took more than a minute although the channel works. */
  readonly late: number;
  /** The age of the notification's oldest alert. */
  readonly seconds: number;
  /** Consecutive failed attempts before this one. */
  readonly failures: number;
  readonly reason?: string;
};
