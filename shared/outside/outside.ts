import type { Destinations } from '#shared/channels/destination.ts';
import type { DestinationClients } from '#shared/channels/destinations.ts';
import type { AlertTopics, AlertTopicsSettings } from '#shared/clients/alert-topics.ts';
import type { EmailSettings, SendEmail } from '#shared/clients/email-sender.ts';
import type { SendAll } from '#shared/clients/fifo-queue.ts';
import type { HttpClient, HttpGuard, HttpLimits } from '#shared/clients/http-client.ts';
import type { QueueDepth } from '#shared/clients/queue-depths.ts';
import type { ReadSecret } from '#shared/clients/secrets.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import type { OtherProviders } from '#shared/providers/create-others.ts';
import type { Log } from '#shared/runtime/log.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import type { Table } from '#shared/stores/table.ts';
import type { MainUpstream, ReadHoldings } from '#shared/use-cases/upstream.ts';

/**
 * The services and resources that a function uses outside its own code. On Lambda these are AWS
 * clients. In a local world they are a table, queues and topics in the same process.
 */
export type Outside = {
  /** The environment variables of the function. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly now: () => Instant;
  /** The real time, as on other machines. In a local stack `now` may be ahead of the real time. */
  readonly wallClock: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  /**
   * Milliseconds before its timeout at which an invocation is aborted. 0 turns this off for virtual
   * time, because timers of the process measure real time.
   */
  readonly earlyAbortMs: number;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Returns `count` cryptographically random bytes. */
  readonly randomBytes: (count: number) => Buffer;
  /** A number that is unique to each call. */
  readonly uniqueNumber: () => number;
  readonly logOf: (functionName: string) => Log;
  readonly httpClient: (limits: HttpLimits, guard?: HttpGuard) => HttpClient;
  readonly table: (name: string) => Table;
  readonly bulkTable: (name: string) => BulkTable;
  readonly senderTo: <Message>(
    queueUrl: string,
    groupOf: (message: Message) => string,
  ) => SendAll<Message>;
  readonly queueDepth: (queueUrl: string) => Promise<QueueDepth>;
  /** Creates the reader of an SSM SecureString. */
  readonly secret: (parameterName: string) => ReadSecret;
  readonly topics: (settings: AlertTopicsSettings) => AlertTopics;
  readonly emailSender: (settings: EmailSettings) => SendEmail;
  readonly destinations: (clients: DestinationClients) => Destinations;
  /** The provider that a stage's polls are planned for. */
  readonly upstream: (provider: MainProvider, settings: ProviderSettings) => MainUpstream;
  readonly otherUpstreams: OtherProviders;
  readonly holdingsReader: (provider: MainProvider, settings: ProviderSettings) => ReadHoldings;
};

/** The members that every function uses. */
export type Basics = Pick<
  Outside,
  | 'variables'
  | 'now'
  | 'wallClock'
  | 'sleepUntil'
  | 'earlyAbortMs'
  | 'random'
  | 'randomBytes'
  | 'uniqueNumber'
  | 'logOf'
>;
