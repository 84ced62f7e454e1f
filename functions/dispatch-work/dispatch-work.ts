import { isDeepStrictEqual } from 'node:util';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { type Hints, hintsAfterLook } from '#shared/domain/channels/hints.ts';
import { CANARY, CANARY_MINUTES } from '#shared/domain/market/canary.ts';
import {
  earliest,
  type Instant,
  MINUTE,
  type Minute,
  SECOND,
} from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/point.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import { type Cadences, longestCadence } from '#shared/domain/polling/cadences.ts';
import { encodeContract } from '#shared/domain/polling/contract-codec.ts';
import {
  type ContractRecord,
  isEvaluationDue,
  isLackedBy,
} from '#shared/domain/polling/contract-record.ts';
import { type DataAge, dataAge } from '#shared/domain/polling/data-age.ts';
import type {
  DispatchProgress,
  DueCursors,
  DueLimits,
} from '#shared/domain/polling/dispatch-progress.ts';
import {
  callOf,
  type DueWork,
  dueWork,
  isReportedBy,
  PLANNED_SECONDS,
  pollsPerMinute,
  waysOf,
} from '#shared/domain/polling/due-work.ts';
import {
  budgetUsed,
  costOf,
  denialsOf,
  type GovernorRecord,
  wayFor,
  whyStopped,
} from '#shared/domain/polling/governor.ts';
import {
  inOrder,
  type PlannedPoll,
  type Poll,
  planMinute,
  upTo,
} from '#shared/domain/polling/minute-plan.ts';
import { NOTHING_SPENT, shareOut, withSpent } from '#shared/domain/polling/tenant-shares.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { stayForChannels } from './stay-for-channels.ts';

/** A provider that calls can be planned for. */
export type PlannedProvider = {
  readonly limits: UpstreamLimits;
  readonly getGovernor: () => Promise<GovernorRecord>;
  readonly putGovernor: (governor: GovernorRecord) => Promise<GovernorRecord>;
};

export type DispatchWorkPorts = PlannedProvider & {
  /** Those that stand in for the first while it may not be asked, in this order. */
  readonly others: readonly PlannedProvider[];
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly cadenceMinutes: number;
  readonly getCadences: () => Promise<Cadences>;
  readonly noteCadences: (cadences: Cadences) => Promise<void>;
  readonly getProgress: () => Promise<DispatchProgress | undefined>;
  readonly finish: (progress: DispatchProgress) => Promise<void>;
  readonly allContracts: () => Promise<{
    readonly records: readonly ContractRecord[];
    readonly unreadable: readonly string[];
  }>;
  /**
   * The oldest due timers of each shard and, where it has more, some of those behind its cursor.
   */
  readonly dueTimers: (
    until: Instant,
    most: DueLimits,
    dueCursors: DueCursors,
  ) => Promise<{
    readonly timers: readonly Timer[];
    readonly dueCursors: DueCursors;
    /** Since when the oldest timer is due that needs no answer of the upstream. */
    readonly overdueSince: Instant | undefined;
    readonly unreadable: readonly string[];
  }>;
  /** The destinations that are due until then; of each shard the oldest, so many. */
  readonly channelsDue: (
    until: Instant,
    perShard: number,
  ) => Promise<readonly { readonly destinationId: DestinationId; readonly dueAt: Instant }[]>;
  readonly getHints: (id: string) => Promise<Hints | undefined>;
  readonly putHints: (hints: Hints) => Promise<void>;
  readonly removeHints: (hints: Hints) => Promise<void>;
  /** Whether alerts wait in the inbox of a destination that may be sent now. */
  readonly hasWaiting: (destinationId: DestinationId) => Promise<boolean>;
  readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
  readonly sendToLists: (messages: readonly Outgoing<ListMessage>[]) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};

/** What a tick sent, and the state of the stack at that time. */
export type DispatchSummary = {
  readonly at: Instant;
  readonly minute: Minute;
  readonly contracts: number;
  readonly polls: number;
  readonly evaluations: number;
  readonly timers: number;
  /** The longest of all tenants. */
  readonly cadenceMinutes: number;
  /** The keys of unreadable items: they are skipped until they are repaired. */
  readonly unreadable: readonly string[];
  /** Why the first provider may not be asked; absent while it may. */
  readonly pollsStopped?: string;
  /** The provider that stands in for it; where there is none, polls wait. */
  readonly standsIn?: Provider;
  /** Since when the upstream denies polling its service, or an operation of it. */
  readonly deniedSince: Instant | undefined;
  /** Percent of the upstream's budgets. */
  readonly budgetUsed: { readonly inDay: number; readonly inMonth: number };
  readonly dataAge: DataAge;
  /** Since when the longest waiting change job or channel is due. */
  readonly overdueSince: Instant | undefined;
};

/** Timers of a shard in one tick. */
const DUE_PER_SHARD: DueLimits = { oldest: 200, behind: 1000 };

/** Milliseconds after which a tick that spreads its polls reads the governor again. */
const LOOKED_AFTER = SECOND;

/**
 * Sends each contract, list and channel the work that fell due since the last finished minute. The
 * next tick makes up for a missed one, and a repeated tick sends nothing new.
 *
 * Calls are planned for all polls together and written once. Each message is sent when its slot
 * comes, so that no function waits for it.
 */
export async function dispatchWork(
  ports: DispatchWorkPorts,
  signal: AbortSignal,
): Promise<DispatchSummary> {
  const now = ports.now();
  const minute = Math.floor(now / MINUTE);
  const progress: Omit<DispatchProgress, 'tickedAt'> = (await ports.getProgress()) ?? {
    version: 0,
    polledUntil: minute - 1,
    dueCursors: {},
  };
  const [{ records, unreadable }, due] = await Promise.all([
    ports.allContracts(),
    ports.dueTimers(now, DUE_PER_SHARD, progress.dueCursors),
  ]);
  const planned = await retryingConflicts(() => plan(ports, records, progress, now));
  const { governor, cadences, spending, work, polls, stopped, source, standsIn } = planned;
  const isWaiting = source.stopped !== undefined;
  const tick: Tick = { minute, cadenceOf: planned.cadenceOf, provider: standsIn };
  if (!isDeepStrictEqual(cadences, await ports.getCadences())) await ports.noteCadences(cadences);
  // A poll evaluates its contract as well; contracts without a poll get an `evaluate` message.
  const polled = new Set(isWaiting ? [] : polls.map(({ record }) => record));
  const evaluations = work.filter(
    ({ record }) => isEvaluationDue(record, now) && !polled.has(record),
  );

  await ports.sendToContracts(evaluations.map(({ record }) => evaluateMessage(record, tick)));
  const [sent, timers] = await Promise.allSettled([
    sendPolls({ ...ports, ...source }, polls, tick, signal),
    sendTimers(ports, due.timers, tick),
  ]);
  if (sent.status === 'rejected') throw sent.reason;
  // Written even if sending timers failed: sent polls must not be sent again, and timers that
  // cannot be sent must not block those behind them.
  await ports.finish({
    ...progress,
    tickedAt: now,
    spending,
    standsIn,
    polledUntil: isWaiting ? progress.polledUntil : Math.max(minute, progress.polledUntil),
    dueCursors: due.dueCursors,
  });
  if (timers.status === 'rejected') throw timers.reason;
  await stayForChannels(ports, now, signal);
  return {
    at: now,
    minute,
    contracts: records.length,
    polls: polled.size,
    evaluations: evaluations.length,
    timers: due.timers.length,
    cadenceMinutes: longestCadence(planned.cadencesNow, ports.cadenceMinutes),
    unreadable: [...unreadable, ...due.unreadable],
    ...(stopped === undefined ? {} : { pollsStopped: stopped.reason }),
    ...(standsIn === undefined ? {} : { standsIn }),
    deniedSince: earliest(denialsOf(governor, 'polling', now).map(({ since }) => since)),
    budgetUsed: budgetUsed(governor, ports.limits, now),
    dataAge: dataAge(records, now),
    overdueSince: due.overdueSince,
  };
}

/**
 * Plans the calls of a minute and writes them, before any of their messages is sent: of the first
 * provider or, while that may not be asked, of the next one that may.
 */
async function plan(
  ports: DispatchWorkPorts,
  records: readonly ContractRecord[],
  progress: Pick<DispatchProgress, 'polledUntil' | 'spending'>,
  now: Instant,
) {
  const { cadenceMinutes } = ports;
  const { polledUntil: after, spending: before = NOTHING_SPENT } = progress;
  const span = { after, until: Math.floor(now / MINUTE) };
  const priced = records.filter(({ contract }) => contract !== CANARY);
  const first = await accountOf(ports, now);
  const standIn = first.stopped && (await standInOf(ports, now));
  const source = standIn ?? first;
  const { governor, limits } = source;
  const lasting = shareOut(priced, before, first.governor, first.limits, cadenceMinutes, now);
  // What tenants have spent is of the first provider.
  const shares =
    standIn === undefined
      ? lasting
      : shareOut(priced, NOTHING_SPENT, governor, limits, cadenceMinutes, now);
  const cadenceOf = (record: ContractRecord) =>
    record.contract === CANARY
      ? Math.min(cadenceMinutes, CANARY_MINUTES)
      : shares.cadenceOf(record);
  const work = records.flatMap((record): Work[] => {
    const what = dueWork(record, span, cadenceOf(record), now);
    return what === undefined ? [] : [{ record, what }];
  });
  const mayPlan = (record: ContractRecord, part: Part) =>
    !(standIn !== undefined && isLackedBy(record, limits.provider, now)) &&
    wayFor(governor, 'polling', waysOf(part, limits.provider), now) !== undefined &&
    whyStopped(governor, 'polling', costOf([callOf(part)], limits), limits, now) === undefined;
  const mayAsk = (record: ContractRecord, part: Part) =>
    mayPlan(record, part) ||
    // Within the poll others are asked for what the planned provider may not be asked for.
    (source.stopped === undefined &&
      ports.others.some(
        ({ limits: { provider } }) => provider !== limits.provider && isReportedBy(provider, part),
      ));
  const slots = source.stopped === undefined ? pollsPerMinute(limits) : Number.POSITIVE_INFINITY;
  const due = work.flatMap(({ record, what }): Poll[] => {
    if (what.kind !== 'poll' || record.contract === CANARY) return [];
    // A part that nobody may be asked for is sent once: it gets no call, and its silence counts from then.
    const parts = what.parts.filter(
      (part) => mayAsk(record, part) || record.parts[part]?.silentSince === undefined,
    );
    return parts.length > 0 ? [{ ...what, record, parts }] : [];
  });
  const ordered = inOrder(due, shares, limits);
  const until = now + PLANNED_SECONDS * SECOND;
  const planned = planMinute(governor, upTo(slots, ordered), limits, { now: ports.now(), until });
  const paid = standIn === undefined ? planned.polls : [];
  const spending = paid.reduce((sum, { record, calls }) => {
    const made = Object.values(calls).flatMap((leased) => leased?.call ?? []);
    return withSpent(sum, record, costOf(made, limits), now);
  }, before);
  const written =
    planned.governor === governor ? governor : await source.putGovernor(planned.governor);
  return {
    ...{ spending, work, source, polls: [...pollsOfCanary(work, now), ...planned.polls] },
    stopped: first.stopped,
    standsIn: standIn?.limits.provider,
    governor: standIn === undefined ? written : first.governor,
    cadences: lasting.cadences,
    cadencesNow: shares.cadences,
    cadenceOf,
  };
}

/** The canary's floor is known: no call is planned for it, and no budget holds it up. */
function pollsOfCanary(work: readonly Work[], now: Instant): readonly PlannedPoll[] {
  return work.flatMap(({ record, what }) =>
    what.kind === 'poll' && record.contract === CANARY
      ? [{ record, parts: what.parts, calls: {}, sendAt: now }]
      : [],
  );
}

/** A provider with its account of now, and why it may not be asked; undefined where it may. */
type ProviderNow = PlannedProvider & {
  readonly governor: GovernorRecord;
  readonly stopped: ReturnType<typeof whyStopped>;
};

async function accountOf(
  { limits, getGovernor, putGovernor }: PlannedProvider,
  now: Instant,
): Promise<ProviderNow> {
  const governor = await getGovernor();
  const stopped = whyStopped(governor, 'polling', cheapest(limits), limits, now);
  return { limits, getGovernor, putGovernor, governor, stopped };
}

/** The first of the other providers that may be asked now; one of sales alone where no other may. */
async function standInOf(
  { others }: DispatchWorkPorts,
  now: Instant,
): Promise<ProviderNow | undefined> {
  const hasFloors = ({ limits }: PlannedProvider) => isReportedBy(limits.provider, 'floor');
  const withFloors = others.filter(hasFloors);
  for (const other of [...withFloors, ...others.filter((one) => !hasFloors(one))]) {
    const account = await accountOf(other, now);
    if (account.stopped === undefined) return account;
  }
  return undefined;
}

/**
 * Sends the polls as their slots come. If the provider refuses a call meanwhile, the remaining polls
 * are sent without calls, so that their contracts record the silence. These contracts are polled
 * first when the provider answers again.
 */
async function sendPolls(
  ports: Pick<
    DispatchWorkPorts,
    'now' | 'sleepUntil' | 'getGovernor' | 'limits' | 'sendToContracts'
  >,
  polls: readonly PlannedPoll[],
  tick: Tick,
  signal: AbortSignal,
): Promise<void> {
  let isRefused = false;
  let lookedAt = ports.now();
  for (const [sendAt, together] of Map.groupBy(polls, (poll) => poll.sendAt)) {
    if (sendAt > ports.now()) await ports.sleepUntil(sendAt, signal);
    const now = ports.now();
    if (!isRefused && now - lookedAt >= LOOKED_AFTER) {
      const governor = await ports.getGovernor();
      isRefused = whyStopped(governor, 'polling', 0, ports.limits, now) !== undefined;
      lookedAt = now;
    }
    await ports.sendToContracts(
      together.map((poll) => pollMessage(isRefused ? { ...poll, calls: {} } : poll, tick)),
    );
  }
}

/** The values of a tick that all of its messages share. */
type Tick = {
  readonly minute: Minute;
  /** The provider that calls are planned for, where that is not the first. */
  readonly provider: Provider | undefined;
  readonly cadenceOf: (record: ContractRecord) => number;
};

type Work = { readonly record: ContractRecord; readonly what: DueWork };

function pollMessage(
  { record, parts, calls }: PlannedPoll,
  { minute, cadenceOf, provider }: Tick,
): Outgoing<SentContractMessage> {
  const { contract } = record;
  return {
    message: {
      kind: 'poll',
      contract,
      parts: [...parts],
      calls,
      ...(provider === undefined ? {} : { provider }),
      hint: encodeContract(record),
      cadenceMinutes: cadenceOf(record),
    },
    deduplication: `poll ${contract} ${parts.join(' ')} ${minute}`,
  };
}

function evaluateMessage(
  record: ContractRecord,
  { minute, cadenceOf }: Tick,
): Outgoing<SentContractMessage> {
  const { contract } = record;
  return {
    message: { kind: 'evaluate', contract, cadenceMinutes: cadenceOf(record) },
    deduplication: `evaluate ${contract} ${minute}`,
  };
}

function deduplicationOf(timer: Timer, minute: Minute): string {
  return `due ${JSON.stringify(timer)} ${minute}`;
}

async function sendTimers(
  ports: DispatchWorkPorts,
  due: readonly Timer[],
  { minute }: Tick,
): Promise<void> {
  const toLists: Outgoing<ListMessage>[] = [];
  const toChannels: Outgoing<ChannelMessage>[] = [];
  for (const timer of due) {
    const deduplication = deduplicationOf(timer, minute);
    if (timer.kind === 'channel') {
      toChannels.push({ message: { destinationId: timer.destinationId }, deduplication });
    } else if (timer.kind === 'change') {
      toLists.push({ message: listMessageOf(timer), deduplication });
    }
  }
  await ports.sendToLists(toLists);
  await ports.sendToChannels(toChannels);
  await lookIntoInboxes(ports, due, minute);
}

/** Sends the destinations of hints in whose inboxes alerts wait, each once. */
async function lookIntoInboxes(
  ports: DispatchWorkPorts,
  due: readonly Timer[],
  minute: Minute,
): Promise<void> {
  const ids = due.flatMap((timer) => (timer.kind === 'hints' ? [timer.id] : []));
  const all = (await waitForAll(ids.map(ports.getHints))).filter((hints) => hints !== undefined);
  const destinations = [...new Set(all.flatMap((hints) => hints.destinations))];
  const looks = await waitForAll(destinations.map(ports.hasWaiting));
  const waiting = new Set(destinations.filter((_destination, index) => looks[index] === true));
  await ports.sendToChannels(
    [...waiting].map((destinationId) => ({
      message: { destinationId },
      deduplication: `hints ${destinationId} ${minute}`,
    })),
  );
  await waitForAll(
    all.map(async (hints) => {
      const wereWaiting = hints.destinations.some((one) => waiting.has(one));
      const after = hintsAfterLook(hints, wereWaiting, ports.now());
      await (after === undefined ? ports.removeHints(hints) : ports.putHints(after));
    }),
  );
}

function listMessageOf({
  list: { tenant, id },
  target,
}: Extract<Timer, { kind: 'change' }>): ListMessage {
  if (target.kind === 'expiry') {
    return { kind: 'expiry', tenant, list: id, rule: target.rule, end: target.end };
  }
  if (target.kind === 'acknowledgement' || target.kind === 'escalation') {
    return { ...target, tenant, list: id };
  }
  return { kind: target.kind === 'mutes' ? 'unmute' : target.kind, tenant, list: id };
}

/** The cost of the cheapest call: when the budget has less left, polls wait. */
function cheapest({ costs }: UpstreamLimits): number {
  return Math.min(...Object.values(costs));
}
