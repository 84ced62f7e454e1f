import type { EmailSending } from '#infra/operate/account/email-sending.ts';
import type { OperatorTopics } from '#infra/operate/account/operator-topics.ts';
import type { CanaryReturn } from '#infra/operate/canary/last-return.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { InboxEntry } from '#shared/domain/channels/alert-record.ts';
import { channelOf } from '#shared/domain/channels/destination-id.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import { type Cadences, longestCadence } from '#shared/domain/polling/cadences.ts';
import { type ContractRecord, newestOf, partsOf } from '#shared/domain/polling/contract-record.ts';
import { type DataAge, dataAge, isSilent } from '#shared/domain/polling/data-age.ts';
import {
  budgetUsed,
  type Denial,
  denialsOf,
  type GovernorRecord,
} from '#shared/domain/polling/governor.ts';
import { refusalInWords } from '#shared/domain/polling/part-health.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';

/** The providers, the first one's budgets in cost units, and the cadence of a stack as deployed. */
export type Promised = {
  readonly provider: Provider;
  readonly others: readonly Provider[];
  readonly budgetPerDay: number;
  readonly budgetPerMonth: number;
  readonly cadenceMinutes: number;
  /** When the key of the first provider ends, of one that does. */
  readonly keyEndsAt: Instant | undefined;
};
type QueueDepth = { readonly name: string; readonly waiting: number };

/** The reads behind a status. */
export type StatusPorts = {
  readonly now: Instant;
  readonly promised: Promised;
  readonly getProgress: () => Promise<PollProgress | undefined>;
  readonly getGovernor: (provider: Provider) => Promise<GovernorRecord>;
  readonly getCadences: () => Promise<Cadences>;
  readonly allContracts: () => Promise<{
    readonly records: readonly ContractRecord[];
    readonly unreadable: readonly string[];
  }>;
  readonly dueTimers: (
    until: Instant,
    perShard: number,
  ) => Promise<{
    readonly timers: readonly Timer[];
    readonly overdueSince: Instant | undefined;
    readonly unreadable: readonly string[];
  }>;
  readonly oldestInInbox: (
    destinationId: DestinationId,
    limit: number,
  ) => Promise<readonly InboxEntry[]>;
  /** What SES sends; undefined where SNS sends all emails. */
  readonly getEmails: () => Promise<EmailSending | undefined>;
  /** Who gets the alarms; undefined of a local stack, which has none. */
  readonly getOperators: () => Promise<OperatorTopics | undefined>;
  /** When the canary last came back; undefined of a stack without one. */
  readonly lastReturn: () => Promise<CanaryReturn | undefined>;
  readonly deadLetters: () => Promise<readonly QueueDepth[]>;
  /** The unreadable watchlists of all tenants. */
  readonly unreadableLists: () => Promise<readonly string[]>;
};

/** The number of waiting things, and since when the oldest waits. */
export type Waiting = { readonly count: number; readonly since: Instant | undefined };

/** What a provider says now. */
export type ProviderStatus = {
  readonly provider: Provider;
  /** What it denies polling and the v2.2 interface. */
  readonly denials: readonly (Denial & { readonly user: UpstreamUser })[];
  readonly blockedUntil: Instant | undefined;
};

/** The status of a stack. */
export type StackStatus = {
  readonly at: Instant;
  readonly tickedAt: Instant | undefined;
  readonly upstream: {
    /** What each provider says, the first of them the one that polls are planned for. */
    readonly providers: readonly ProviderStatus[];
    readonly budgetUsed: { readonly inDay: number; readonly inMonth: number };
    /** The longest cadence of all tenants. */
    readonly cadenceMinutes: number;
    readonly promisedCadenceMinutes: number;
    readonly keyEndsAt: Instant | undefined;
  };
  readonly data: DataAge & {
    /** The contract whose newest floor is the oldest. */
    readonly oldestContract: ContractKey | undefined;
    /** Some of the contracts without a usable answer. */
    readonly silentContracts: readonly { readonly contract: ContractKey; readonly why: string }[];
    /** Some of the parts whose answers left records out within a day. */
    readonly skipped: readonly {
      readonly contract: ContractKey;
      readonly part: Part;
      readonly records: Skipped;
    }[];
  };
  /** Channels with undelivered alerts; `operatorsSince` covers the operators' own. */
  readonly channels: Waiting & { readonly operatorsSince: Instant | undefined };
  readonly emails: EmailSending | undefined;
  readonly operators: OperatorTopics | undefined;
  readonly canary: CanaryReturn | undefined;
  /** The number of overdue change timers: jobs, topics, expiries. */
  readonly changes: number;
  /** The due time of the longest overdue timer; timers that wait for the provider do not count. */
  readonly overdueSince: Instant | undefined;
  readonly deadLetters: readonly QueueDepth[];
  readonly unreadable: readonly string[];
};

/** Timers read of each shard: a longer queue is reported as trouble anyway. */
const PER_SHARD = 250;
const AT_ONCE = 25;
const SHOWN = 5;

function providerStatus(provider: Provider, record: GovernorRecord, now: Instant): ProviderStatus {
  const { blockedUntil = 0 } = record;
  return {
    provider,
    denials: UpstreamUser.options.flatMap((user) =>
      denialsOf(record, user, now).map((denial) => ({ user, ...denial })),
    ),
    blockedUntil: blockedUntil > now ? blockedUntil : undefined,
  };
}

/** Reads the status of a stack: the state in its table, and the dead letters in its queues. */
export async function readStackStatus(ports: StatusPorts): Promise<StackStatus> {
  const { now } = ports;
  const { provider, others } = ports.promised;
  const [progress, governor, records, cadences, registry, due, all, deadLetters, lists] =
    await Promise.all([
      ports.getProgress(),
      ports.getGovernor(provider),
      Promise.all(others.map(async (other) => ({ other, record: await ports.getGovernor(other) }))),
      ports.getCadences(),
      ports.allContracts(),
      ports.dueTimers(now, PER_SHARD),
      // All timers, due or not: a channel has one as long as alerts wait for it.
      ports.dueTimers(now + 400 * DAY, PER_SHARD),
      ports.deadLetters(),
      ports.unreadableLists(),
    ]);
  return {
    at: now,
    tickedAt: progress?.tickedAt,
    upstream: {
      providers: [
        providerStatus(provider, governor, now),
        ...records.map(({ other, record }) => providerStatus(other, record, now)),
      ],
      budgetUsed: budgetUsed(governor, ports.promised, now),
      cadenceMinutes: longestCadence(cadences, ports.promised.cadenceMinutes),
      promisedCadenceMinutes: ports.promised.cadenceMinutes,
      keyEndsAt: ports.promised.keyEndsAt,
    },
    data: dataOf(registry.records, now),
    channels: await waitingChannels(ports, all.timers),
    emails: await ports.getEmails(),
    operators: await ports.getOperators(),
    canary: await ports.lastReturn(),
    changes: due.timers.filter(({ kind }) => kind === 'job').length,
    overdueSince: due.overdueSince,
    deadLetters: deadLetters.filter(({ waiting }) => waiting > 0),
    unreadable: [...registry.unreadable, ...due.unreadable, ...lists],
  };
}

function dataOf(records: readonly ContractRecord[], now: Instant): StackStatus['data'] {
  const age = dataAge(records, now);
  const oldest = records.find((record) => newestOf(record, 'floor')?.time === age.oldest);
  const silent = records.filter((record) => isSilent(record, now));
  return {
    ...age,
    oldestContract: age.oldest === undefined ? undefined : oldest?.contract,
    silentContracts: silent
      .slice(0, SHOWN)
      .map((record) => ({ contract: record.contract, why: whySilent(record) })),
    skipped: records
      .flatMap((record) =>
        partsOf(record).flatMap(([part, { skipped }]) =>
          skipped !== undefined && now - skipped.at < DAY
            ? [{ contract: record.contract, part, records: skipped.records }]
            : [],
        ),
      )
      .slice(0, SHOWN),
  };
}

function whySilent(record: ContractRecord): string {
  const silent = partsOf(record).find(([, { silentSince }]) => silentSince !== undefined);
  if (silent === undefined) return '';
  const [part, { outcome = '', reason }] = silent;
  return `${part}: ${refusalInWords(outcome, reason).reason}`;
}

async function waitingChannels(
  ports: StatusPorts,
  timers: readonly Timer[],
): Promise<StackStatus['channels']> {
  const destinationIds = timers.flatMap((timer) =>
    timer.kind === 'channel' ? [timer.destinationId] : [],
  );
  const oldest = (
    await eachOf(destinationIds, (destinationId) => ports.oldestInInbox(destinationId, 1))
  ).flat();
  const sinceOf = (entries: readonly InboxEntry[]) =>
    earliest(entries.map(({ alert }) => Date.parse(alert.at)));
  return {
    count: oldest.length,
    since: sinceOf(oldest),
    operatorsSince: sinceOf(
      oldest.filter(({ destinationId }) => channelOf(destinationId) === undefined),
    ),
  };
}

async function eachOf<Thing, Found>(
  things: readonly Thing[],
  find: (thing: Thing) => Promise<Found>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let start = 0; start < things.length; start += AT_ONCE) {
    found.push(...(await Promise.all(things.slice(start, start + AT_ONCE).map(find))));
  }
  return found;
}
