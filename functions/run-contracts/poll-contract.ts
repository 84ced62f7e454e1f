import { contractOf } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { lookBackDays, type Part, type PricePoint } from '#shared/domain/market/point.ts';
import type {
  FloorInterval,
  FloorPoint,
  LowestTrade,
  Outcome,
} from '#shared/domain/market/upstream.ts';
import type { PollMessage } from '#shared/domain/messages/contract-message.ts';
import { absorbAnswers, isQuiet, type PartAnswer } from '#shared/domain/polling/absorb-answers.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { callInSlot, type LeasedCall } from '#shared/domain/polling/governed-call.ts';
import type { UpstreamCall } from '#shared/domain/polling/upstream-limits.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { RunContractsPorts } from './ports.ts';

const MAX_COMMITS = 5;
/** Characters of a floor's source. */
const SOURCE = 24;

/**
 * Asks the upstream for a contract's parts and commits what it said.
 *
 * Tells the record as committed, or undefined after a quiet poll, which touches no table.
 */
export async function pollContract(
  ports: RunContractsPorts,
  message: PollMessage,
  signal: AbortSignal,
): Promise<ContractRecord | undefined> {
  const asked = await Promise.all(await askAll(ports, message, signal));
  const answers = asked.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  reportTroubles(ports, message, answers);
  const unasked = asked.flatMap(({ part, answer }) => (answer === undefined ? [part] : []));
  return await commit(ports, message.hint, answers, unasked);
}

/** Answers without a value are for operators to see; prices are what the table tells. */
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

type Asked = { readonly part: Part; readonly answer?: PartAnswer };

/** One lease for all parts; each part's answer by itself, so that none delays another. */
async function askAll(
  ports: RunContractsPorts,
  { contract, parts, hint }: PollMessage,
  signal: AbortSignal,
): Promise<readonly Promise<Asked>[]> {
  const lease = await ports.leaseCalls(parts.map(waysOf));
  if (!lease.granted) {
    ports.report('contract_not_polled', { contract, reason: lease.reason, until: lease.until });
    return parts.map((part) => Promise.resolve({ part }));
  }
  return parts.map(async (part, index): Promise<Asked> => {
    const leased = lease.calls[index];
    if (leased === undefined) return { part };
    const first = await ask(ports, hint, part, { ...leased, probe: lease.probe }, signal);
    if (first === undefined) return { part };
    if (leased.call !== 'lowestprice' || first.outcome.kind !== 'unsupported') {
      return { part, answer: first };
    }
    const second = await askSuccessor(ports, hint, part, signal);
    return second === undefined ? { part } : { part, answer: second };
  });
}

/** The other way to the lowest trade, once the first turned out to be retired. */
async function askSuccessor(
  ports: RunContractsPorts,
  hint: ContractRecord,
  part: Part,
  signal: AbortSignal,
): Promise<PartAnswer | undefined> {
  const lease = await ports.leaseCalls([['price']]);
  const [leased] = lease.granted ? lease.calls : [];
  if (!lease.granted || leased === undefined) return undefined;
  return await ask(ports, hint, part, { ...leased, probe: lease.probe }, signal);
}

async function ask(
  ports: RunContractsPorts,
  hint: ContractRecord,
  part: Part,
  leased: LeasedCall,
  signal: AbortSignal,
): Promise<PartAnswer | undefined> {
  const answered = await callInSlot(
    ports,
    leased,
    (askedAt) => fetchPart(ports, hint, part, leased.call, askedAt, signal),
    signal,
  );
  return answered && { part, ...answered };
}

async function fetchPart(
  { upstream }: RunContractsPorts,
  hint: ContractRecord,
  part: Part,
  call: UpstreamCall,
  now: Instant,
  signal: AbortSignal,
): Promise<Outcome<readonly PricePoint[]>> {
  const contract = contractOf(hint.contract);
  const days = lookBackDays(part);
  if (days === undefined) {
    const interval = intervalSince(hint.parts[part]?.newest?.point.time, now);
    return mapOutcome(await upstream.floorHistory(contract, interval, signal), (points) =>
      points.map(floorPrice),
    );
  }
  const way = call === 'price' ? 'price' : 'lowestprice';
  return mapOutcome(await upstream.lowestTrade(contract, days, way, signal), (trade) => [
    tradePrice(trade),
  ]);
}

/** The shortest interval that reaches back to the last point, so that one page holds what is new. */
function intervalSince(last: Instant | undefined, now: Instant): FloorInterval {
  if (last === undefined) return '30d';
  const age = now - last + HOUR;
  if (age <= DAY) return '1d';
  return age <= 7 * DAY ? '7d' : '30d';
}

function waysOf(part: Part): readonly UpstreamCall[] {
  return lookBackDays(part) === undefined ? ['floor'] : ['lowestprice', 'price'];
}

function floorPrice({ marketplaces, ...point }: FloorPoint): PricePoint {
  const source = shortened(marketplaces.join(', '));
  return { kind: 'price', ...point, ...(source === '' ? {} : { source }) };
}

/** A vendor's words are kept with the contract, which is read each minute: only so many of them. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length > SOURCE ? `${characters.slice(0, SOURCE - 1).join('')}…` : text;
}

/** Only trades in ETH are told, on every chain. */
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

function mapOutcome<Told, Meant>(
  outcome: Outcome<Told>,
  map: (value: Told) => Meant,
): Outcome<Meant> {
  return outcome.kind === 'ok' ? { kind: 'ok', value: map(outcome.value) } : outcome;
}

/** The one write of a poll that is not quiet; from a fresh reading where the hint was stale. */
async function commit(
  ports: RunContractsPorts,
  hint: ContractRecord,
  answers: readonly PartAnswer[],
  unasked: readonly Part[],
): Promise<ContractRecord | undefined> {
  let known: ContractRecord | undefined = hint;
  for (let attempt = 1; known !== undefined; attempt += 1) {
    const now = ports.now();
    const next = wanting(absorbAnswers(known, answers, now), unasked, now);
    if (unasked.length === 0 && isQuiet(known, next, now)) return undefined;
    try {
      return await ports.putContract(next);
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt === MAX_COMMITS) throw error;
      known = await ports.getContract(hint.contract);
    }
  }
  return undefined;
}

/** Parts that no slot was left for are asked first in the next minutes. */
function wanting(record: ContractRecord, unasked: readonly Part[], now: Instant): ContractRecord {
  const missed = unasked.filter((part) => record.parts[part] !== undefined);
  if (missed.length === 0) return record;
  const wanted = Object.fromEntries(missed.map((part) => [part, now]));
  return { ...record, wanted: { ...wanted, ...record.wanted } };
}
