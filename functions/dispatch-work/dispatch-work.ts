import { earliest, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/point.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Appointment, Turns } from '#shared/domain/polling/appointment.ts';
import { encodeContract } from '#shared/domain/polling/contract-codec.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { type DataAge, dataAge } from '#shared/domain/polling/data-age.ts';
import {
  callOf,
  type DispatchProgress,
  type DueWork,
  dueWork,
  effectiveCadence,
  type Minute,
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
import { type PlannedPoll, planMinute } from '#shared/domain/polling/minute-plan.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { retryingConflicts } from '#shared/domain/version-conflict.ts';

export type DispatchWorkPorts = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly cadenceMinutes: number;
  readonly limits: UpstreamLimits;
  readonly getGovernor: () => Promise<GovernorRecord>;
  readonly putGovernor: (governor: GovernorRecord) => Promise<GovernorRecord>;
  readonly getCadence: () => Promise<number | undefined>;
  readonly noteCadence: (minutes: number) => Promise<void>;
  readonly getProgress: () => Promise<DispatchProgress | undefined>;
  readonly finish: (progress: DispatchProgress) => Promise<void>;
  readonly allContracts: () => Promise<{
    readonly records: readonly ContractRecord[];
    readonly unreadable: readonly string[];
  }>;
  /** The oldest of each shard, and of one that has more as many again, each in its turn. */
  readonly dueAppointments: (
    until: Instant,
    perShard: number,
    turns: Turns,
  ) => Promise<{
    readonly appointments: readonly Appointment[];
    readonly turns: Turns;
    /** Since when the longest waiting of them is due that waits for no answer of the upstream. */
    readonly owedSince: Instant | undefined;
    readonly unreadable: readonly string[];
  }>;
  readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
  readonly sendToLists: (messages: readonly Outgoing<ListMessage>[]) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};

/** What a tick sent, and what it saw of how the stack does. */
export type DispatchSummary = {
  readonly at: Instant;
  readonly minute: Minute;
  readonly contracts: number;
  readonly polls: number;
  readonly evaluations: number;
  readonly appointments: number;
  readonly cadenceMinutes: number;
  /** Items that make no sense: nothing is done for them until somebody mends them. */
  readonly unreadable: readonly string[];
  /** Why nothing was polled, if so. */
  readonly pollsStopped?: string;
  /** Since when the upstream has denied its service, or an operation of it, to polling. */
  readonly deniedSince: Instant | undefined;
  /** Percent of the upstream's budgets. */
  readonly budgetUsed: { readonly inDay: number; readonly inMonth: number };
  readonly dataAge: DataAge;
  /** Since when the longest waiting outbox, change or channel is due. */
  readonly owedSince: Instant | undefined;
};

/** So many of the oldest are sent in one tick, and as many of those behind them. */
const DUE_PER_SHARD = 200;

/** So often a tick that spreads its polls looks whether the provider still answers. */
const LOOKED_AFTER = SECOND;

/**
 * Sends each contract, list and channel the work that fell due since the last finished minute: a
 * missed tick is caught up with, a repeated one sends nothing new.
 *
 * Calls are planned for all polls together and written once; each message is sent when its slot
 * comes, so that no function waits for it.
 */
export async function dispatchWork(
  ports: DispatchWorkPorts,
  signal: AbortSignal,
): Promise<DispatchSummary> {
  const now = ports.now();
  const minute = Math.floor(now / MINUTE);
  const progress = (await ports.getProgress()) ?? {
    version: 0,
    polledUntil: minute - 1,
    turns: {},
  };
  const [{ records, unreadable }, due] = await Promise.all([
    ports.allContracts(),
    ports.dueAppointments(now, DUE_PER_SHARD, progress.turns),
  ]);
  const { governor, cadenceMinutes, work, polls, stopped } = await retryingConflicts(() =>
    plan(ports, records, { after: progress.polledUntil, until: minute }, now),
  );
  const tick = { minute, cadenceMinutes };
  const evaluations = work.filter(
    ({ record, what }) =>
      what.kind === 'evaluate' || (stopped !== undefined && record.unjudged.length > 0),
  );

  await ports.sendToContracts(evaluations.map(({ record }) => evaluateMessage(record, tick)));
  const [polled, appointed] = await Promise.allSettled([
    sendPolls(ports, polls, tick, signal),
    sendAppointments(ports, due.appointments, tick),
  ]);
  if (polled.status === 'rejected') throw polled.reason;
  // Polls that were sent are not to be sent again, and what cannot be sent keeps nothing behind it
  // from its turn.
  await ports.finish({
    ...progress,
    tickedAt: now,
    polledUntil:
      stopped === undefined ? Math.max(minute, progress.polledUntil) : progress.polledUntil,
    turns: due.turns,
  });
  if (appointed.status === 'rejected') throw appointed.reason;
  return {
    at: now,
    minute,
    contracts: records.length,
    polls: stopped === undefined ? new Set(polls.map(({ record }) => record)).size : 0,
    evaluations: evaluations.length,
    appointments: due.appointments.length,
    cadenceMinutes,
    unreadable: [...unreadable, ...due.unreadable],
    ...(stopped === undefined ? {} : { pollsStopped: stopped.reason }),
    deniedSince: earliest(denialsOf(governor, 'polling', now).map(({ since }) => since)),
    budgetUsed: budgetUsed(governor, ports.limits, now),
    dataAge: dataAge(records, now),
    owedSince: due.owedSince,
  };
}

/** The calls of a minute, as they are written before any of their messages is sent. */
async function plan(
  ports: DispatchWorkPorts,
  records: readonly ContractRecord[],
  span: { readonly after: Minute; readonly until: Minute },
  now: Instant,
) {
  const { limits } = ports;
  const governor = await ports.getGovernor();
  const cadenceMinutes = await noteCadence(ports, records, governor, now);
  const work = records.flatMap((record): Work[] => {
    const what = dueWork(record, span, cadenceMinutes);
    return what === undefined ? [] : [{ record, what }];
  });
  const stopped = whyStopped(governor, 'polling', cheapest(limits), limits, now);
  const mayAsk = (part: Part) =>
    wayFor(governor, 'polling', waysOf(part), now) !== undefined &&
    whyStopped(governor, 'polling', costOf([callOf(part)], limits), limits, now) === undefined;
  const slots = stopped === undefined ? pollsPerMinute(limits) : Number.POSITIVE_INFINITY;
  const wanted = pollsInOrder(work, mayAsk, slots);
  const until = now + PLANNED_SECONDS * SECOND;
  const planned = planMinute(governor, wanted, limits, { now: ports.now(), until });
  return {
    ...{ cadenceMinutes, work, stopped, polls: planned.polls },
    governor: planned.governor === governor ? governor : await ports.putGovernor(planned.governor),
  };
}

/**
 * Sends the polls as their slots come. Should the provider refuse meanwhile, the rest goes without
 * its calls: the contracts note their silence and are asked first when the provider answers again.
 */
async function sendPolls(
  ports: DispatchWorkPorts,
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

/** What a tick tells everyone it sends work to. */
type Tick = { readonly minute: Minute; readonly cadenceMinutes: number };

type Work = { readonly record: ContractRecord; readonly what: DueWork };
type Poll = Extract<DueWork, { kind: 'poll' }> & { readonly record: ContractRecord };

/** The cadence that the budget allows, told to whoever asks for it when it changed. */
async function noteCadence(
  ports: DispatchWorkPorts,
  records: readonly ContractRecord[],
  governor: GovernorRecord,
  now: Instant,
): Promise<number> {
  const calls = records.flatMap((record) => partsOf(record).map(([part]) => callOf(part)));
  const round = { calls: calls.length, cost: costOf(calls, ports.limits) };
  const minutes = effectiveCadence(ports.cadenceMinutes, round, governor, ports.limits, now);
  if (minutes !== (await ports.getCadence())) await ports.noteCadence(minutes);
  return minutes;
}

/**
 * What is wanted goes first, longest wanted before others, as much as a minute has slots for.
 *
 * A part that may not be asked is sent once all the same: it gets no lease, and its silence counts
 * from then.
 */
function pollsInOrder(
  work: readonly Work[],
  mayAsk: (part: Part) => boolean,
  slots: number,
): readonly Poll[] {
  const polls = work.flatMap(({ record, what }): Poll[] => {
    if (what.kind !== 'poll') return [];
    const parts = what.parts.filter(
      (part) => mayAsk(part) || record.parts[part]?.silentSince === undefined,
    );
    return parts.length > 0 ? [{ ...what, record, parts }] : [];
  });
  const wanted = polls
    .filter(({ wantedSince }) => wantedSince !== undefined)
    .toSorted((a, b) => (a.wantedSince ?? 0) - (b.wantedSince ?? 0));
  const others = polls.filter(({ wantedSince }) => wantedSince === undefined);
  return [...wanted.slice(0, slots), ...others];
}

function pollMessage(
  { record, parts, calls }: PlannedPoll,
  { minute, cadenceMinutes }: Tick,
): Outgoing<SentContractMessage> {
  const { contract } = record;
  return {
    message: {
      kind: 'poll',
      contract,
      parts: [...parts],
      calls,
      hint: encodeContract(record),
      cadenceMinutes,
    },
    deduplication: `poll ${contract} ${parts.join(' ')} ${minute}`,
  };
}

function evaluateMessage(
  { contract }: ContractRecord,
  { minute, cadenceMinutes }: Tick,
): Outgoing<SentContractMessage> {
  return {
    message: { kind: 'evaluate', contract, cadenceMinutes },
    deduplication: `evaluate ${contract} ${minute}`,
  };
}

async function sendAppointments(
  ports: DispatchWorkPorts,
  due: readonly Appointment[],
  { minute, cadenceMinutes }: Tick,
): Promise<void> {
  const toContracts: Outgoing<SentContractMessage>[] = [];
  const toLists: Outgoing<ListMessage>[] = [];
  const toChannels: Outgoing<ChannelMessage>[] = [];
  for (const appointment of due) {
    const deduplication = `due ${JSON.stringify(appointment)} ${minute}`;
    if (appointment.kind === 'pending' && appointment.target.kind === 'contract') {
      const { list, target } = appointment;
      const { contract } = target;
      const message = { kind: 'apply' as const, contract, tenant: list.tenant, list: list.id };
      toContracts.push({ message, deduplication });
    } else if (appointment.kind === 'watch') {
      toContracts.push({
        message: { kind: 'judge', ...appointment.id, cadenceMinutes },
        deduplication,
      });
    } else if (appointment.kind === 'channel') {
      toChannels.push({ message: { sink: appointment.sink }, deduplication });
    } else {
      toLists.push({ message: listMessageOf(appointment), deduplication });
    }
  }
  await ports.sendToContracts(toContracts);
  await ports.sendToLists(toLists);
  await ports.sendToChannels(toChannels);
}

function listMessageOf({
  list: { tenant, id },
  target,
}: Extract<Appointment, { kind: 'pending' }>): ListMessage {
  if (target.kind === 'expiry') {
    return { kind: 'expiry', tenant, list: id, rule: target.rule, end: target.end };
  }
  return { kind: target.kind === 'mutes' ? 'unmute' : 'topic', tenant, list: id };
}

/** The least that anything costs: when not even that is left, polls wait. */
function cheapest({ costs }: UpstreamLimits): number {
  return Math.min(...Object.values(costs));
}
