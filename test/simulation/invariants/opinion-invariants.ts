import { isDeepStrictEqual } from 'node:util';
import { type ContractKey, isOfTraits } from '#shared/domain/market/contract.ts';
import type { FloorPage, FloorPoint, Outcome } from '#shared/domain/market/upstream.ts';
import { EncodedContract } from '#shared/domain/polling/contract-codec.ts';
import { type ContractRecord, newestOf, seriesIn } from '#shared/domain/polling/contract-record.ts';
import { newestReading } from '#shared/domain/timeline/timeline.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';
import type {
  SecondAnswer,
  SecondProviderPlan,
} from '#test/simulation/services/second-provider.ts';
import { amount } from './documents.ts';

type Floor = Pick<FloorPoint, 'time' | 'price' | 'currency'>;
/** The second provider has only the current floor, dated at the time of the request. */
type OtherFloor = Omit<Floor, 'time'>;
type Known = ContractRecord | undefined;

/** A poll of a floor, with the answers of the providers. */
type Poll = {
  readonly by: Invocation;
  readonly contract: ContractKey;
  /** When the first call of the poll began. */
  readonly startedAt: number;
  /** The cached record of the contract at about the time when the pass read it. */
  readonly cached: Known;
  isAnswered: boolean;
  first?: Floor;
  earlier?: readonly Floor[];
  askedSecondAt?: number;
  second?: OtherFloor;
  isCommitted: boolean;
};

type How = 'alone' | 'fallback' | 'agreed' | 'nearer' | 'sold near' | 'overruled' | 'disputed';
/** A permitted outcome of a poll. */
type Ruling = {
  readonly how: How;
  readonly floor?: { readonly time?: number } & OtherFloor;
  readonly isConfirmed?: true;
};

export type OpinionInvariants = {
  readonly floorAsked: (contract: ContractKey, by: Invocation) => void;
  readonly floorReported: (
    contract: ContractKey,
    by: Invocation,
    outcome: Outcome<FloorPage>,
  ) => void;
  readonly secondAsked: (contract: ContractKey, by: Invocation) => void;
  readonly secondReported: (contract: ContractKey, by: Invocation, answer: SecondAnswer) => void;
  readonly contractWritten: (written: Written) => void;
};

export type OpinionWorld = {
  readonly now: () => number;
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: `second: ${How | 'ended dispute' | 'confirmed outlier'}`) => void;
  readonly second: SecondProviderPlan | undefined;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Maximum number of polls in a row that may find no time for the second provider. */
const GRACE_PERIOD = 3;

/**
 * Checks each committed floor against the answers of both providers, by the table of
 * shared/providers/README.md.
 */
export function createOpinionInvariants(world: OpinionWorld): OpinionInvariants {
  const { now, broken, met, second } = world;
  const polls = new WeakMap<Invocation, Map<ContractKey, Poll>>();
  /**
   * The latest versions of each contract's record, with the times of their writes, oldest first.
   */
  const records = new Map<ContractKey, { readonly since: number; readonly item: Item }[]>();
  const lastPolls = new Map<ContractKey, Poll>();
  const unasked = new Map<ContractKey, number>();
  /** When the current dispute of the providers about a contract began. */
  const disputedSince = new Map<string, number>();
  const newest = new Map<string, number | undefined>();

  const mayAlwaysAsk = second !== undefined && isNeverRefused(second);

  const pollOf = (contract: ContractKey, by: Invocation) => polls.get(by)?.get(contract);
  /** The poll of a contract in a pass, which begins with the first call for its floor. */
  const begin = (contract: ContractKey, by: Invocation): Poll => {
    const begun = pollOf(contract, by);
    if (begun !== undefined) return begun;
    const last = lastPolls.get(contract);
    if (last !== undefined) checkDone(contract, last);
    const read = (records.get(contract) ?? []).findLast(({ since }) => since <= by.startedAt);
    const cached = read && readContract(contract, read.item);
    const poll: Poll = {
      ...{ by, contract, cached, startedAt: now(), isAnswered: false, isCommitted: false },
    };
    polls.set(by, (polls.get(by) ?? new Map<ContractKey, Poll>()).set(contract, poll));
    lastPolls.set(contract, poll);
    return poll;
  };

  /** Checks a finished poll when the next one begins. */
  const checkDone = (contract: ContractKey, poll: Poll) => {
    if (second === undefined || !poll.by.isOver || poll.by.disturbance !== undefined) return;
    const { askedSecondAt, first } = poll;
    const isMissed = askedSecondAt === undefined && needsSecond(poll);
    unasked.set(contract, isMissed ? (unasked.get(contract) ?? 0) + 1 : 0);
    if (mayAlwaysAsk && (unasked.get(contract) ?? 0) >= GRACE_PERIOD) {
      broken('the second provider is asked', `${contract}: ${unasked.get(contract)} times not`);
    }
    const known = newest.get(contract);
    if (first !== undefined || poll.second === undefined || known === undefined) return;
    if (known < (askedSecondAt ?? 0) - AGAIN_AFTER) {
      broken(
        'the second provider is used while the first gives no answer',
        `${contract}: ${known}`,
      );
    }
  };

  const checkCommit = (poll: Poll, { before, after }: Committed) => {
    const { contract } = poll;
    const news = newsOf(before, after);
    const known = before && readContract(contract, before);
    const rulings = rulingsOf({ ...poll, known }, disputedSince.get(contract), now()).flatMap(
      (ruling) => stillConfirmed(ruling, known, now()),
    );
    const floor = after.series.floor;
    if (news !== undefined) {
      if (before?.ahead?.some((one) => isDeepStrictEqual(one, news))) return;
      const earlier = (poll.earlier ?? []).flatMap((floor) =>
        stillConfirmed({ how: 'alone', floor }, known, now()),
      );
      const right = [...rulings, ...earlier].find((ruling) => isCommitted(ruling, news));
      const details = `${contract}: ${JSON.stringify(news)}, of ${inWords(poll)}`;
      if (right === undefined)
        return broken('a committed floor follows from the answers of the providers', details);
      if (second !== undefined) met(`second: ${right.how}`);
      if (news.v !== undefined && isFar(news, before && floorIn(before)))
        met('second: confirmed outlier');
    }
    // The answer to a later request takes precedence.
    if (floor === undefined || (floor.asked ?? 0) > poll.startedAt) return;
    const isDisputed = floor.is === 'disputed';
    // A dispute that the record already had may be from a later request.
    const was = before?.series.floor;
    const isBrought = isDisputed && (was?.is !== 'disputed' || was.why !== floor.why);
    const mustBe = rulings.length > 0 && rulings.every(({ how }) => how === 'disputed');
    if (isBrought) {
      met('second: disputed');
      const said = [...(floor.why ?? '').matchAll(/reports ([\d.]+)/g)].map(([, text]) =>
        amount(text),
      );
      const isRight = [poll.first, poll.second].every((one) => said.includes(one?.price));
      const mayBe = rulings.some(({ how }) => how === 'disputed');
      if (!mayBe) broken('providers that agree cause no dispute', `${contract}: ${inWords(poll)}`);
      if (!isRight) broken('a dispute names both prices', `${contract}: ${floor.why}`);
    }
    const shown = floorIn(after);
    // A floor dated after the request waits until its time.
    const isConfirmed =
      rulings.length > 0 &&
      rulings.every(
        ({ isConfirmed, floor }) =>
          isConfirmed === true &&
          shown?.p === `${floor?.price}` &&
          (floor?.time ?? 0) <= poll.startedAt,
      );
    if (isConfirmed && shown?.v === undefined) {
      broken('a floor that both providers report is confirmed', `${contract}: ${inWords(poll)}`);
    }
    if (mustBe && !isDisputed) {
      broken('a floor that is contradicted is disputed', `${contract}: ${inWords(poll)}`);
    }
    if (was?.is === 'disputed' && floor.is === 'ok') met('second: ended dispute');
  };

  const noteDispute = ({ before, after }: Committed, by: Invocation) => {
    const [was, floor] = [before?.series.floor, after.series.floor];
    // A stale worker may commit the first floor of a series that is polled again.
    newest.set(after.sk, by.disturbance === undefined ? floorIn(after)?.t : undefined);
    const isAgreed = floor?.confirmed?.at !== was?.confirmed?.at && floor?.confirmed !== undefined;
    if (isAgreed || floor === undefined) disputedSince.delete(after.sk);
    else if (floor.is === 'disputed' && !disputedSince.has(after.sk)) {
      disputedSince.set(after.sk, now());
    }
  };

  return {
    floorAsked: begin,

    floorReported: (contract, by, outcome) => {
      const poll = begin(contract, by);
      // Later requests of the same poll only fetch older floors.
      if (poll.isAnswered) return;
      poll.isAnswered = true;
      if (outcome.kind !== 'ok') return;
      const points = outcome.value.points.toSorted((a, b) => b.time - a.time);
      const [last] = points;
      if (last === undefined) return;
      poll.first = last;
      // A floor newer than the start of the poll takes effect in the next poll.
      const atStart = points.findIndex(({ time }) => time <= poll.startedAt);
      poll.earlier = points.slice(1, atStart + 1);
    },

    secondAsked: (contract, by) => {
      const poll = begin(contract, by);
      poll.askedSecondAt = now();
      if (isUnsupported(poll.cached, now())) {
        broken('a provider that lacks a contract is not asked about it', contract);
      }
    },

    secondReported: (contract, by, answer) => {
      if (answer.kind === 'ok') begin(contract, by).second = answer;
    },

    contractWritten: ({ before, after, by }) => {
      if (after === undefined) return;
      const contract = after.sk as ContractKey;
      const known = records.get(contract) ?? [];
      records.set(contract, [...known.slice(-MOST_RECORDS), { since: now(), item: after }]);
      const committed = { before: before as RecordItem | undefined, after: after as RecordItem };
      const news = newsOf(committed.before, committed.after);
      const [was, is] = [committed.before?.series.floor, committed.after.series.floor];
      const poll = pollOf(contract, by);
      if (poll !== undefined && !poll.isCommitted) {
        // Sales of a contract may be polled and written without its floor.
        if (news === undefined && isDeepStrictEqual(was, is)) return;
        poll.isCommitted = true;
        checkCommit(poll, committed);
      } else if (news !== undefined) {
        broken(
          'a committed floor follows from the answers of the providers',
          `${after.sk}: no poll`,
        );
      }
      noteDispute(committed, by);
    },
  };
}

/** Maximum number of writes of a contract within a pass. */
const MOST_RECORDS = 20;

/**
 * Maximum age of the known floor when the second provider is asked: an unchanged floor keeps its
 * timestamp for ten minutes, and the call may take another minute.
 */
const AGAIN_AFTER = 10 * MINUTE + MINUTE;

/** Whether the second provider never refuses, so that polls skip it only for lack of time. */
function isNeverRefused({ limits, faults }: SecondProviderPlan): boolean {
  const { upstreamThrottles, upstreamDenies, upstreamRetires } = faults;
  const isRefused = upstreamThrottles + upstreamDenies + upstreamRetires > 0;
  return !isRefused && limits.callsPerSecond > 1 && limits.budgetPerDay > 1000;
}

function needsSecond({ first, cached, contract, startedAt }: Poll): boolean {
  if (cached === undefined || isUnsupported(cached, startedAt) || isOfTraits(contract))
    return false;
  if (first === undefined) return true;
  const known = cached.series.floor;
  const point = newestOf(cached, 'floor');
  if (known?.outcome === 'disputed' || point?.kind !== 'price') return true;
  return point.price !== first.price || point.currency !== first.currency;
}

/** Whether the second provider answered within six hours that it does not support the contract. */
function isUnsupported(cached: Known, now: number): boolean {
  return (cached?.unsupportedBy?.coingecko ?? 0) > now;
}

/** The permitted outcomes of a poll: several if a time or a price is on the edge of a rule. */
function rulingsOf(
  { known, first, second }: Pick<Poll, 'first' | 'second'> & { readonly known: Known },
  disputedSince: number | undefined,
  now: number,
): readonly Ruling[] {
  if (first === undefined) return second === undefined ? [] : [{ how: 'fallback', floor: second }];
  const alone: Ruling = { how: 'alone', floor: first };
  if (second === undefined || second.currency !== first.currency) return [alone];
  const age = now - first.time;
  if (age > 2 * HOUR + MINUTE) return [alone];
  const compared = comparisonsOf(known, first, second);
  const isOnEdge = age > 2 * HOUR - MINUTE;
  const byAge = isOnEdge ? [alone, ...compared] : compared;
  if (!compared.some(({ how }) => how === 'disputed') || disputedSince === undefined) return byAge;
  const old: Ruling = { how: 'overruled', floor: first };
  const lasted = now - disputedSince;
  if (lasted < 24 * HOUR) return byAge;
  return lasted > 25 * HOUR + MINUTE ? [old] : [old, ...byAge];
}

/** A price that the second provider confirmed within the last hour stays confirmed. */
function stillConfirmed(ruling: Ruling, known: Known, now: number): readonly Ruling[] {
  const confirmation = known?.series.floor?.confirmed;
  const point = known && newestOf(known, 'floor');
  const isSame =
    point?.kind === 'price' &&
    point.price === ruling.floor?.price &&
    point.currency === ruling.floor.currency;
  if (ruling.isConfirmed === true || !isSame || confirmation === undefined) return [ruling];
  const age = now - confirmation.at;
  const confirmed = { ...ruling, isConfirmed: true } as const;
  if (age < HOUR - MINUTE) return [confirmed];
  return age > HOUR + MINUTE ? [ruling] : [confirmed, ruling];
}

/**
 * Compares both prices with the record at the time of the commit, which may be newer than the
 * record that the poll has read.
 */
function comparisonsOf(known: Known, first: Floor, second: OtherFloor): readonly Ruling[] {
  const agreed = (how: How, floor: OtherFloor): Ruling => {
    // A later floor that only the second provider has reported is withdrawn.
    const alone = known && newestOf(known, 'floor');
    const isOfSecond = alone?.kind === 'price' && alone.source === 'coingecko';
    const isTakenBack = isOfSecond && alone.price !== floor.price && alone.time > first.time;
    // If a later known floor has the same price, that floor is confirmed.
    const isThatOne =
      alone?.kind === 'price' &&
      alone.price === floor.price &&
      alone.currency === floor.currency &&
      alone.time > first.time;
    const time = isTakenBack || isThatOne ? alone.time : first.time;
    return { how, floor: { ...floor, time }, isConfirmed: true };
  };
  if (isNear(first.price, second.price)) return [agreed('agreed', first)];
  const before = known && (newestReading(known.timeline).floor ?? newestOf(known, 'floor'));
  if (before?.kind !== 'price' || before.currency !== first.currency) return [{ how: 'disputed' }];
  const [one, other] = [first.price - before.price, second.price - before.price];
  if (one * other > 0n) {
    const isFirstNearer = one > 0n ? one < other : one > other;
    return [agreed('nearer', isFirstNearer ? first : second)];
  }
  const sales = (known === undefined ? [] : seriesIn(known)).flatMap(([series]) => {
    const point = known && newestOf(known, series);
    // Volumes and offers are not sales.
    if (!series.startsWith('lowest') || point?.kind !== 'price') return [];
    if (point.currency !== first.currency) return [];
    return (point.tradedAt ?? point.time) > before.time ? [point.price] : [];
  });
  const sold = [first, second].filter(({ price }) => sales.some((sale) => isNear(price, sale)));
  if (sold.length === 0) return [{ how: 'disputed' }];
  return sold.map((floor) => agreed('sold near', floor));
}

function readContract(contract: ContractKey, { pk: _pk, sk: _sk, ...item }: Item): Known {
  return EncodedContract.parse({ ...item, contract });
}

function isCommitted({ floor, isConfirmed }: Ruling, { t, p, c, v }: PointItem): boolean {
  return (
    floor !== undefined &&
    p === floor.price.toString() &&
    c === floor.currency &&
    (floor.time === undefined || floor.time === t) &&
    v === (isConfirmed === true ? 'coingecko' : undefined)
  );
}

/** Whether two prices differ by at most two percent. */
function isNear(left: bigint, right: bigint): boolean {
  const [low, high] = left < right ? [left, right] : [right, left];
  return high * 98n <= low * 100n;
}

function isFar({ p = '0' }: PointItem, before: PointItem | undefined): boolean {
  const [one, other] = [BigInt(p), BigInt(before?.p ?? p)];
  const [low, high] = one < other ? [one, other] : [other, one];
  return low * 10n <= high * 7n;
}

/** The newest floor that a write added. */
function newsOf(before: RecordItem | undefined, after: RecordItem): PointItem | undefined {
  const news = (after.steps ?? []).filter(({ n }) => n > (before?.seq ?? 0));
  const newest = news.findLast(({ points }) => points?.reported !== undefined)?.points?.reported;
  const agreed = news.findLast(({ points }) => points?.agreed !== undefined)?.points?.agreed;
  if (newest === undefined) return agreed?.alone === undefined ? agreed : undefined;
  return agreed?.v !== undefined && agreed.t === newest.t ? agreed : newest;
}

/** The newest floor of a record, with the source that confirmed it. */
function floorIn({ reading = {}, steps = [] }: RecordItem): PointItem | undefined {
  const { reported, agreed } = Object.assign({}, reading, ...steps.map(({ points }) => points));
  return agreed?.alone === undefined && agreed?.t === reported?.t ? agreed : reported;
}

function inWords({ cached, first, second }: Poll): string {
  const details = { before: cached && newestOf(cached, 'floor'), first, second };
  return JSON.stringify(details, (_name, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
}

type PointItem = {
  readonly t: number;
  readonly p?: string;
  readonly c?: string;
  readonly v?: string;
  readonly alone?: true;
};

type ReadingItem = { readonly reported?: PointItem; readonly agreed?: PointItem };

type RecordItem = Item & {
  readonly seq: number;
  readonly ahead?: readonly PointItem[];
  readonly reading?: ReadingItem;
  readonly steps?: readonly { readonly n: number; readonly points?: ReadingItem }[];
  readonly series: {
    readonly floor?: {
      readonly is?: string;
      readonly why?: string;
      readonly asked?: number;
      readonly confirmed?: { readonly at: number };
    };
  };
};

type Committed = { readonly before: RecordItem | undefined; readonly after: RecordItem };
