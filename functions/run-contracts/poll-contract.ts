import { contractOf } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { lookBackDays, PARTS, type Part, type PricePoint } from '#shared/domain/market/point.ts';
import {
  type FloorInterval,
  type LowestTrade,
  mapOutcome,
  type Outcome,
} from '#shared/domain/market/upstream.ts';
import type { PollMessage } from '#shared/domain/messages/contract-message.ts';
import { absorbAnswers, isQuiet, type PartAnswer } from '#shared/domain/polling/absorb-answers.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { waysOf } from '#shared/domain/polling/due-work.ts';
import {
  floorPrices,
  intervalSince,
  intervalsFor,
  longer,
  type PricePage,
} from '#shared/domain/polling/floor-pages.ts';
import { isMissed, type LeasedCall } from '#shared/domain/polling/leased-call.ts';
import { type Filling, filled } from '#shared/domain/polling/past.ts';
import type { UpstreamCall } from '#shared/domain/polling/upstream-limits.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { callInSlot } from '#shared/use-cases/governed-call.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { fillPast } from './fill-past.ts';
import type { RunContractsPorts } from './ports.ts';

const MAX_COMMITS = 5;

/**
 * Asks the upstream for a contract's parts and commits the answers.
 *
 * Returns the committed record, or undefined after a quiet poll without a waiting watch: such a
 * poll touches no table.
 */
export async function pollContract(
  ports: RunContractsPorts,
  message: PollMessage,
  signal: AbortSignal,
): Promise<ContractRecord | undefined> {
  const asked = await waitForAll(await askAll(ports, message, signal));
  const answers = asked.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  reportTroubles(ports, message, answers);
  const unasked = asked.flatMap(({ part, answer }) => (answer === undefined ? [part] : []));
  const { page } = asked.find(({ part }) => part === 'floor') ?? {};
  const filling = page && (await fillPast(ports, message.hint, page, signal));
  return await commit(ports, message, { answers, unasked, filling });
}

/** Reports refused parts to operators; `ok` and `empty` are regular answers. */
function reportTroubles(
  ports: RunContractsPorts,
  { contract }: PollMessage,
  answers: readonly PartAnswer[],
): void {
  for (const { part, outcome } of answers) {
    if (outcome.kind === 'ok' || outcome.kind === 'empty') continue;
    ports.report('part_not_answered', { contract, part, ...outcome });
  }
}

type Asked = {
  readonly part: Part;
  readonly answer?: PartAnswer;
  /** The prices of an `ok` answer, and where the next page begins. */
  readonly page?: PricePage;
};

/** Asks for each part on its own, so that none delays another. */
async function askAll(
  ports: RunContractsPorts,
  message: PollMessage,
  signal: AbortSignal,
): Promise<readonly Promise<Asked>[]> {
  const { parts, hint } = message;
  const calls = await callsOf(ports, message);
  return parts.map(async (part): Promise<Asked> => {
    const leased = calls[part];
    if (leased === undefined) return { part };
    const first = await ask(ports, hint, part, leased, signal);
    return leased.call === 'lowestprice' && isNotOffered(first.answer?.outcome)
      ? await askSuccessor(ports, hint, part, signal)
      : first;
  });
}

/** The planned calls; parts without one, and parts whose slot was missed, share one new lease. */
async function callsOf(
  ports: RunContractsPorts,
  { contract, parts, calls = {} }: PollMessage,
): Promise<NonNullable<PollMessage['calls']>> {
  const isInTime = (part: Part) => {
    const planned = calls[part];
    return planned !== undefined && !isMissed(planned, ports.now());
  };
  const left = parts.filter((part) => !isInTime(part));
  const planned = await withTries(ports, calls, left);
  if (left.length === 0) return planned;
  const lease = await ports.leaseCalls(left.map(waysOf));
  if (!lease.granted) {
    ports.report('contract_not_polled', { contract, reason: lease.reason, until: lease.until });
  }
  const leased = left.map((part, index) => [part, lease.granted ? lease.calls[index] : undefined]);
  return { ...planned, ...Object.fromEntries(leased) };
}

/** The planned calls, without tries of open breakers that another worker has taken meanwhile. */
async function withTries(
  { takeTry }: RunContractsPorts,
  calls: NonNullable<PollMessage['calls']>,
  left: readonly Part[],
): Promise<NonNullable<PollMessage['calls']>> {
  const made: { -readonly [Of in Part]?: LeasedCall } = {};
  for (const part of PARTS) {
    const call = left.includes(part) ? undefined : calls[part];
    if (call !== undefined && (!call.probe || (await takeTry(call.call)))) made[part] = call;
  }
  return made;
}

function isNotOffered(outcome: PartAnswer['outcome'] | undefined): boolean {
  if (outcome?.kind === 'denied') return outcome.reason === 'plan';
  if (outcome?.kind !== 'unsupported') return false;
  return outcome.reason === 'retired' || outcome.reason === 'chain';
}

/** Asks for the lowest trade by the other call, after the provider does not offer the first. */
async function askSuccessor(
  ports: RunContractsPorts,
  hint: ContractRecord,
  part: Part,
  signal: AbortSignal,
): Promise<Asked> {
  const lease = await ports.leaseCalls([['price']]);
  const [leased] = lease.granted ? lease.calls : [];
  if (!lease.granted || leased === undefined) return { part };
  return await ask(ports, hint, part, leased, signal);
}

async function ask(
  ports: RunContractsPorts,
  hint: ContractRecord,
  part: Part,
  leased: LeasedCall,
  signal: AbortSignal,
): Promise<Asked> {
  const answered = await callInSlot(
    ports,
    leased,
    (askedAt) => fetchPart(ports, hint, part, leased.call, askedAt, signal),
    signal,
  );
  if (answered === undefined) return { part };
  const { askedAt, outcome } = answered;
  const reported = mapOutcome(outcome, ({ points }) => points);
  return {
    part,
    answer: { part, askedAt, outcome: reported },
    ...(outcome.kind === 'ok' && !outcome.value.isCut ? { page: outcome.value } : {}),
  };
}

async function fetchPart(
  { upstream }: RunContractsPorts,
  hint: ContractRecord,
  part: Part,
  call: UpstreamCall,
  now: Instant,
  signal: AbortSignal,
): Promise<Outcome<PricePage>> {
  const contract = contractOf(hint.contract);
  const days = lookBackDays(part);
  if (days === undefined) {
    const interval = intervalFor(hint, now);
    const poll = { newest: newestFloor(hint), reachesBack: hint.past?.wanted !== undefined };
    const query = { interval, poll };
    return mapOutcome(await upstream.floorHistory(contract, query, signal), (page) =>
      floorPrices(page, interval, now),
    );
  }
  const way = call === 'price' ? 'price' : 'lowestprice';
  return mapOutcome(await upstream.lowestTrade(contract, days, way, signal), (trade) => ({
    points: [tradePrice(trade)],
  }));
}

/** The newest observed floor; an outlier too: the same answer once more does not confirm it. */
function newestFloor({ parts }: ContractRecord): PricePoint | undefined {
  const point = parts.floor?.newest?.point;
  return point?.kind === 'price' ? point : undefined;
}

/** The interval whose first page holds all new floors, and from which windows are filled. */
function intervalFor({ parts, past }: ContractRecord, now: Instant): FloorInterval {
  const since = intervalSince(parts.floor?.newest?.point.time, now);
  return past?.wanted === undefined ? since : longer(since, intervalsFor(past.wanted)[0]);
}

/** The provider reports trades in ETH only, on every chain. */
function tradePrice({ time, price, usd, transactionHash }: LowestTrade): PricePoint {
  return {
    kind: 'price',
    time,
    price,
    currency: 'eth',
    ...(usd === undefined ? {} : { usd }),
    ...(transactionHash === undefined ? {} : { source: transactionHash }),
    tradedAt: time,
  };
}

/** The result of asking for the parts of one poll. */
type Asking = {
  readonly answers: readonly PartAnswer[];
  /** Parts without a slot, and parts that may not be asked for now. */
  readonly unasked: readonly Part[];
  /** How far back past floors were recorded; undefined if there was nothing to record. */
  readonly filling: Filling | undefined;
};

/**
 * Writes the record, unless the poll is quiet. On a version conflict the answers are absorbed again
 * into the fresh record, up to five times.
 */
async function commit(
  ports: RunContractsPorts,
  { hint, isAwaited }: PollMessage,
  { answers, unasked, filling }: Asking,
): Promise<ContractRecord | undefined> {
  let known: ContractRecord | undefined = hint;
  for (let attempt = 1; known !== undefined; attempt += 1) {
    const now = ports.now();
    const absorbed = absorbAnswers(known, answers, now);
    const next = withSilence(withPast(absorbed, filling, known), unasked, now);
    if (!isAwaited && unasked.length === 0 && isQuiet(known, next, now)) return undefined;
    try {
      return await ports.putContract(next);
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt === MAX_COMMITS) throw error;
      known = await ports.getContract(hint.contract);
    }
  }
  return undefined;
}

/** The record with how far back its floors are known. */
function withPast(
  record: ContractRecord,
  filling: Filling | undefined,
  { parts, past }: ContractRecord,
): ContractRecord {
  if (filling === undefined) return record;
  const before = { past, last: parts.floor?.newest?.point };
  return { ...record, past: filled(record.past, filling, before) };
}

/**
 * Marks parts that were not asked as silent and wanted: they are asked first in the next minutes.
 */
function withSilence(
  record: ContractRecord,
  unasked: readonly Part[],
  now: Instant,
): ContractRecord {
  const silent = unasked.flatMap((part) => {
    const known = record.parts[part];
    if (known === undefined) return [];
    return [[part, { ...known, silentSince: known.silentSince ?? now }] as const];
  });
  if (silent.length === 0) return record;
  const wanted = Object.fromEntries(silent.map(([part]) => [part, now]));
  return {
    ...record,
    parts: { ...record.parts, ...Object.fromEntries(silent) },
    wanted: { ...wanted, ...record.wanted },
  };
}
