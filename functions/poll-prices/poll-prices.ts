import { isDeepStrictEqual } from 'node:util';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { isDerived } from '#shared/domain/market/derived-key.ts';
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
import { sourcesOf } from '#shared/domain/polling/derived-answer.ts';
import type { PlannedPoll } from '#shared/domain/polling/minute-plan.ts';
import { passed } from '#shared/domain/polling/poll-progress.ts';
import { budgetUsed, denialsOf, whyStopped } from '#shared/domain/polling/rate-limiter.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { claimPass } from './claim-pass.ts';
import type { Pass } from './pass.ts';
import { pollContract } from './poll-contract.ts';
import { pollDerived } from './poll-derived.ts';
import type { PollPricesPorts, PriceSource } from './ports.ts';

/** The result of a pass, and the state of the stack at its start. */
export type PassSummary = {
  readonly at: Instant;
  readonly minute: Minute;
  readonly contracts: number;
  readonly polls: number;
  readonly evaluations: number;
  /** The longest cadence of all tenants. */
  readonly cadenceMinutes: number;
  /** The keys of unreadable items, which are skipped until they are repaired. */
  readonly unreadable: readonly string[];
  /** The reason why the first provider accepts no calls; absent while it accepts them. */
  readonly pollsStopped?: string;
  /** The provider that replaces the first provider. Without a fallback, polls wait. */
  readonly fallback?: Provider;
  /**
   * Start of the longest current denial by the provider: of its whole service or of one operation.
   */
  readonly deniedSince: Instant | undefined;
  /** Used part of the provider's budgets, in percent. */
  readonly budgetUsed: { readonly inDay: number; readonly inMonth: number };
  readonly dataAge: DataAge;
};

/** Attempts to claim a pass; other writes to the rate limiter may conflict with the claim. */
const MOST_CLAIMS = 10;

/** Milliseconds after which a pass reads the provider's rate limiter again. */
const LOOKED_AFTER = SECOND;

/**
 * Polls each contract that has become due since the last finished pass, and queues contracts with new
 * prices for evaluation. A pass plans and charges all its calls before it makes the first call. A
 * repeated tick polls nothing twice, and the next pass repeats the unfinished polls.
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
  const { claimed, rateLimiter, cadences, cadenceOf, polls, stopped, source, fallback } = plan;
  const polled = new Set(polls.map(({ record }) => record));
  const left = records.filter((record) => isEvaluationDue(record, now) && !polled.has(record));
  const derived = polls.filter(({ record }) => isDerived(record.contract));
  const others = polls.filter(({ record }) => !isDerived(record.contract));
  const newest = new Map(records.map((record) => [record.contract, record]));
  const pass: Pass = { cadenceOf, minute, newest };
  const messages = left.map((record) =>
    evaluateMessage(record, floorCadence(record, pass), `${minute}`),
  );
  const [failed] = await waitForAll([
    makePolls(ports, source, others, pass, signal),
    sendEvaluations(ports, messages),
  ]);
  // If the claim has expired, another pass has taken over.
  if (claimed !== undefined) {
    await unlessConflict(() => ports.putProgress(passed(claimed, failed, ports.now())));
  }
  await pollAllDerived(ports, derived, pass, failed);
  if (!isDeepStrictEqual(cadences, known)) await ports.noteCadences(cadences);
  return {
    at: now,
    minute,
    contracts: records.length,
    polls: polled.size,
    evaluations: left.length,
    cadenceMinutes: longestCadence(plan.cadencesNow, ports.cadenceMinutes),
    unreadable,
    ...defined({ pollsStopped: stopped?.reason, fallback }),
    deniedSince: earliest(denialsOf(rateLimiter, 'polling', now).map(({ since }) => since)),
    budgetUsed: budgetUsed(rateLimiter, ports.limits, now),
    dataAge: dataAge(records, now),
  };
}

/**
 * Updates the derived contracts with the floors of this pass, without a call. The next pass does
 * the same, so a failure needs no retry. A derived contract keeps its last value if a poll of its
 * floors failed.
 */
async function pollAllDerived(
  ports: PollPricesPorts,
  derived: readonly PlannedPoll[],
  pass: Pass,
  failed: readonly ContractKey[],
): Promise<void> {
  const known = derived.filter(
    ({ record }) => !sourcesOf(record).some((contract) => failed.includes(contract)),
  );
  const polls = known.map(({ record }) =>
    evaluated(ports, record, floorCadence(record, pass), () => pollDerived(ports, record, pass)),
  );
  await waitForAll(polls);
}

/**
 * The cadence of a contract's floors; for a derived contract, the longest cadence of its sources.
 */
function floorCadence(record: ContractRecord, { cadenceOf, newest }: Pass): number {
  const sources = sourcesOf(record).flatMap((contract) => newest.get(contract) ?? []);
  return Math.max(...(sources.length === 0 ? [record] : sources).map(cadenceOf));
}

/**
 * Makes the polls at their planned times, and returns the contracts whose polls failed. After a
 * refused call, this pass makes no further calls to the provider. The remaining polls only record
 * the start of the failure, and their contracts are polled first once the provider accepts calls.
 */
async function makePolls(
  ports: PollPricesPorts,
  source: PriceSource,
  polls: readonly PlannedPoll[],
  { cadenceOf, newest }: Pass,
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
        const rateLimiter = await source.getRateLimiter();
        isRefused = whyStopped(rateLimiter, 'polling', 0, source.limits, now) !== undefined;
        lookedAt = now;
      }
      for (const poll of together) {
        const made = isRefused ? { ...poll, calls: {} } : poll;
        const { record } = made;
        const makePoll = async () => {
          const changed = await pollContract(ports, source, made, signal);
          if (changed !== undefined) newest.set(record.contract, changed);
          return changed;
        };
        begun.push(evaluated(ports, record, cadenceOf(record), makePoll));
      }
    }
  } finally {
    // Lambda freezes work that still runs when the invocation ends, so wait for it.
    await waitForAll(begun);
  }
  return (await waitForAll(begun)).flat();
}

/**
 * Makes a poll, and queues its contract for evaluation if the record has changed. Returns the
 * contract if the poll failed.
 */
async function evaluated(
  ports: PollPricesPorts,
  { contract }: ContractRecord,
  cadenceMinutes: number,
  poll: () => Promise<ContractRecord | undefined>,
): Promise<readonly ContractKey[]> {
  try {
    const changed = await poll();
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

/**
 * Sends the messages that start evaluations. If sending fails, the next pass sends them again,
 * because the prices are stored.
 */
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
