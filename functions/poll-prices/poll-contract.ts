import { defined } from '#shared/domain/defined.ts';
import { CANARY, canaryFloor } from '#shared/domain/market/canary.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';
import { type Part, STATISTICS, seriesOf } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { absorbAnswers, isQuiet, type PartAnswer } from '#shared/domain/polling/absorb-answers.ts';
import {
  type ContractRecord,
  isLackedBy,
  newestOf,
  withLacking,
} from '#shared/domain/polling/contract-record.ts';
import { floorPrices } from '#shared/domain/polling/floor-pages.ts';
import type { LeasedCall } from '#shared/domain/polling/leased-call.ts';
import type { PlannedPoll } from '#shared/domain/polling/minute-plan.ts';
import { type Filling, filled } from '#shared/domain/polling/past.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { callInSlot, callOnce } from '#shared/use-cases/governed-call.ts';
import { recordHistory } from '#shared/use-cases/record-history.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { withOthers } from './ask-others.ts';
import { type Asked, askedOf, carriedAnswer, fetchPart } from './ask-part.ts';
import { fillPast } from './fill-past.ts';
import type { PollPricesPorts, PriceSource } from './ports.ts';

const MAX_COMMITS = 5;

/**
 * Makes the planned calls of a contract and commits the answers. `source` is the provider that they
 * are planned for.
 *
 * Returns the committed record, or undefined after a quiet poll: such a poll makes no call to the
 * table.
 */
export async function pollContract(
  ports: PollPricesPorts,
  source: PriceSource,
  poll: PlannedPoll,
  signal: AbortSignal,
): Promise<ContractRecord | undefined> {
  const { record } = poll;
  const asked = await waitForAll(askAll(ports, source, poll, signal));
  const carried = asked.flatMap((one) => carriedIn(record, one));
  const all = [...asked, ...carried];
  const answers = all.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  const unasked = all.flatMap(({ part, answer }) => (answer === undefined ? [part] : []));
  if (unasked.length > 0 && record.contract !== CANARY) {
    ports.report('contract_not_polled', { contract: record.contract, parts: unasked });
  }
  const { page } = asked.find(({ part }) => seriesOf(part).hasPast) ?? {};
  const filling = page && (await fillPast(ports, record, page, signal));
  const lackedBy = asked.flatMap((one) => one.lackedBy ?? []);
  return await commit(ports, record, { answers, unasked, filling, lackedBy });
}

/** The series of a contract that come with an answer about its floor. */
function carriedIn(
  record: ContractRecord,
  asked: Asked,
): readonly Pick<Asked, 'part' | 'answer'>[] {
  if (asked.part !== 'floor') return [];
  return STATISTICS.filter((part) => record.parts[part] !== undefined).map((part) => ({
    part,
    ...defined({ answer: carriedAnswer(part, asked) }),
  }));
}

/** Asks for each part on its own, so that none delays another. */
function askAll(
  ports: PollPricesPorts,
  source: PriceSource,
  { record, parts, calls }: PlannedPoll,
  signal: AbortSignal,
): readonly Promise<Asked>[] {
  if (record.contract === CANARY) {
    return parts.map(async (part) => askedOfCanary(part, ports.now()));
  }
  const isLacked = isLackedBy(record, source.provider, ports.now());
  return parts.map(async (part): Promise<Asked> => {
    const planned = isLacked ? undefined : calls[part];
    const asked = await askPlanned(source, record, part, planned, signal);
    return await withOthers(ports, source, record, asked, signal);
  });
}

/** The answer about the canary, without a provider. The canary has a floor and no other series. */
function askedOfCanary(part: Part, now: Instant): Asked {
  if (part !== 'floor') return { part };
  const { points } = floorPrices({ points: [canaryFloor(now)] }, '1d', now);
  return { part, answer: { part, askedAt: now, outcome: { kind: 'ok', value: points } } };
}

async function askPlanned(
  source: PriceSource,
  record: ContractRecord,
  part: Part,
  planned: LeasedCall | undefined,
  signal: AbortSignal,
): Promise<Asked> {
  if (planned === undefined) return { part };
  const fetch = (call: UpstreamCall) => (askedAt: Instant) =>
    fetchPart(source, record, part, call, askedAt, signal);
  const made = await callInSlot(source, planned, fetch(planned.call), signal);
  if (made?.call !== 'lowestprice' || !isNotOffered(made.outcome)) return askedOf(part, made);
  // It does not offer the first of two calls: the other is made at once.
  const next = await callOnce(source, ['price'], (call, at) => fetch(call)(at), signal);
  return askedOf(part, next.call === undefined ? undefined : next);
}

function isNotOffered(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'denied') return outcome.reason === 'plan';
  if (outcome.kind !== 'unsupported') return false;
  return outcome.reason === 'retired' || outcome.reason === 'chain';
}

/** The result of asking for the parts of one poll. */
type Asking = {
  readonly answers: readonly PartAnswer[];
  /** Parts without a slot, and parts that may not be asked for now. */
  readonly unasked: readonly Part[];
  /** How far back past floors were recorded; undefined if there was nothing to record. */
  readonly filling: Filling | undefined;
  /** Providers other than the first that lack the contract. */
  readonly lackedBy: readonly Provider[];
};

/**
 * Writes the record, unless the poll is quiet. On a version conflict the answers are absorbed again
 * into the fresh record, up to five times.
 */
async function commit(
  ports: PollPricesPorts,
  planned: ContractRecord,
  { answers, unasked, filling, lackedBy }: Asking,
): Promise<ContractRecord | undefined> {
  let known: ContractRecord | undefined = planned;
  for (let attempt = 1; known !== undefined; attempt += 1) {
    const now = ports.now();
    const absorbed = withLacking(absorbAnswers(known, answers, now), lackedBy, now);
    const next = withSilence(withPast(absorbed, filling, known, now), unasked, now);
    if (unasked.length === 0 && isQuiet(known, next, now)) return undefined;
    // If too many steps wait, the oldest are merged. Their prices are recorded first.
    if (known.timeline.steps[0]?.seq !== next.timeline.steps[0]?.seq)
      await recordHistory(ports, known);
    try {
      return await ports.putContract(next);
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt === MAX_COMMITS) throw error;
      known = await ports.getContract(planned.contract);
    }
  }
  return undefined;
}

/**
 * The record with how far back its floors are known. Watches that have waited for that are evaluated
 * with the next answer.
 */
function withPast(
  record: ContractRecord,
  filling: Filling | undefined,
  known: ContractRecord,
  now: Instant,
): ContractRecord {
  if (filling === undefined) return record;
  const before = { past: known.past, last: newestOf(known, 'floor') };
  const past = filled(record.past, filling, before);
  const isFurther = past.known !== record.past?.known;
  return { ...record, past, ...(isFurther && { timers: { ...record.timers, awaited: now } }) };
}

/** Marks parts that were not asked as silent: they are asked first in the next minutes. */
function withSilence(
  record: ContractRecord,
  unasked: readonly Part[],
  now: Instant,
): ContractRecord {
  const silent = unasked.flatMap((part) => {
    const known = record.parts[part];
    if (known === undefined) return [];
    return [[part, { ...known, silentSince: known.silentSince ?? now, retryAt: now }] as const];
  });
  if (silent.length === 0) return record;
  return { ...record, parts: { ...record.parts, ...Object.fromEntries(silent) } };
}
