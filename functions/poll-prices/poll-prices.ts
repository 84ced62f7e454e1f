import { isDeepStrictEqual } from 'node:util';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import {
  earliest,
  type Instant,
  MINUTE,
  type Minute,
  SECOND,
} from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { longestCadence } from '#shared/domain/polling/cadences.ts';
import { type ContractRecord, isEvaluationDue } from '#shared/domain/polling/contract-record.ts';
import { type DataAge, dataAge } from '#shared/domain/polling/data-age.ts';
import { budgetUsed, denialsOf, whyStopped } from '#shared/domain/polling/governor.ts';
import type { PlannedPoll } from '#shared/domain/polling/minute-plan.ts';
import { passed } from '#shared/domain/polling/poll-progress.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { claimPass } from './claim-pass.ts';
import { pollContract } from './poll-contract.ts';
import type { PollPricesPorts, PriceSource } from './ports.ts';

/** What a pass did, and the state of the stack at that time. */
export type PassSummary = {
  readonly at: Instant;
  readonly minute: Minute;
  readonly contracts: number;
  readonly polls: number;
  readonly evaluations: number;
  /** The longest of all tenants. */
  readonly cadenceMinutes: number;
  /** The keys of unreadable items: they are skipped until they are repaired. */
  readonly unreadable: readonly string[];
  /** Why the first provider accepts no calls; absent while it does. */
  readonly pollsStopped?: string;
  /** The provider that stands in for it. Without one, polls wait. */
  readonly standsIn?: Provider;
  /** Since when the upstream denies polling its service, or an operation of it. */
  readonly deniedSince: Instant | undefined;
  /** Percent of the upstream's budgets. */
  readonly budgetUsed: { readonly inDay: number; readonly inMonth: number };
  readonly dataAge: DataAge;
};

/** Attempts to claim a pass, while others use the account of the provider. */
const MOST_CLAIMS = 10;

/** Milliseconds after which a pass reads the account of its provider again. */
const LOOKED_AFTER = SECOND;

/**
 * Polls each contract that fell due since the last finished pass, and has contracts evaluated whose
 * prices have changed. All calls are planned and charged before the first is made. A repeated tick
 * polls nothing twice, and the next pass repeats what this one could not finish.
 */
export async function pollPrices(
  ports: PollPricesPorts,
  signal: AbortSignal,
): Promise<PassSummary> {
  const now = ports.now();
  const minute = Math.floor(now / MINUTE);
  const [{ records, unreadable }, known] = await waitForAll([
    ports.allContracts(),
    ports.getCadences(),
  ]);
  const plan = await retryingConflicts(() => claimPass(ports, records, now), MOST_CLAIMS);
  const { claimed, governor, cadences, cadenceOf, polls, stopped, source, standsIn } = plan;
  const polled = new Set(polls.map(({ record }) => record));
  const left = records.filter((record) => isEvaluationDue(record, now) && !polled.has(record));
  const messages = left.map((record) => evaluateMessage(record, cadenceOf(record), `${minute}`));
  const [failed] = await waitForAll([
    makePolls(ports, source, polls, cadenceOf, signal),
    sendEvaluations(ports, messages),
  ]);
  // If its claim has expired, the next pass has taken over.
  if (claimed !== undefined) {
    await unlessConflict(() => ports.putProgress(passed(claimed, failed, ports.now())));
  }
  if (!isDeepStrictEqual(cadences, known)) await ports.noteCadences(cadences);
  return {
    at: now,
    minute,
    contracts: records.length,
    polls: polled.size,
    evaluations: left.length,
    cadenceMinutes: longestCadence(plan.cadencesNow, ports.cadenceMinutes),
    unreadable,
    ...defined({ pollsStopped: stopped?.reason, standsIn }),
    deniedSince: earliest(denialsOf(governor, 'polling', now).map(({ since }) => since)),
    budgetUsed: budgetUsed(governor, ports.limits, now),
    dataAge: dataAge(records, now),
  };
}

/**
 * Makes the polls at their slots, and returns the contracts whose polls failed. After a refusal the
 * provider gets no more calls. The remaining contracts record its silence, and are polled first when
 * it answers again.
 */
async function makePolls(
  ports: PollPricesPorts,
  source: PriceSource,
  polls: readonly PlannedPoll[],
  cadenceOf: (record: ContractRecord) => number,
  signal: AbortSignal,
): Promise<readonly ContractKey[]> {
  const begun: Promise<readonly ContractKey[]>[] = [];
  let isRefused = false;
  let lookedAt = ports.now();
  try {
    for (const [startAt, together] of Map.groupBy(polls, (poll) => poll.startAt)) {
      if (startAt > ports.now()) await ports.sleepUntil(startAt, signal);
      const now = ports.now();
      if (!isRefused && now - lookedAt >= LOOKED_AFTER) {
        const governor = await source.getGovernor();
        isRefused = whyStopped(governor, 'polling', 0, source.limits, now) !== undefined;
        lookedAt = now;
      }
      for (const poll of together) {
        const made = isRefused ? { ...poll, calls: {} } : poll;
        begun.push(makePoll(ports, source, made, cadenceOf(poll.record), signal));
      }
    }
  } finally {
    // Lambda freezes what is still running at the end, and the next pass would wake it.
    await waitForAll(begun);
  }
  return (await waitForAll(begun)).flat();
}

/** Makes a poll and has its new prices evaluated. Returns its contract if the poll failed. */
async function makePoll(
  ports: PollPricesPorts,
  source: PriceSource,
  poll: PlannedPoll,
  cadenceMinutes: number,
  signal: AbortSignal,
): Promise<readonly ContractKey[]> {
  const { contract } = poll.record;
  try {
    const changed = await pollContract(ports, source, poll, signal);
    if (changed !== undefined) {
      const turn = `v${changed.version}`;
      await sendEvaluations(ports, [evaluateMessage(changed, cadenceMinutes, turn)]);
    }
    return [];
  } catch (error) {
    ports.report('poll_failed', { contract, error });
    return [contract];
  }
}

/** Sends messages. The prices are stored, so the next pass sends a message that was not sent. */
async function sendEvaluations(
  ports: PollPricesPorts,
  messages: readonly Outgoing<SentContractMessage>[],
): Promise<void> {
  try {
    await ports.sendToContracts(messages);
  } catch (error) {
    ports.report('evaluation_not_sent', { messages: messages.length, error });
  }
}

function evaluateMessage(
  { contract }: ContractRecord,
  cadenceMinutes: number,
  turn: string,
): Outgoing<SentContractMessage> {
  return {
    message: { kind: 'evaluate', contract, cadenceMinutes },
    deduplication: `evaluate ${contract} ${turn}`,
  };
}
