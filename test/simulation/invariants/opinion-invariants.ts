import { isDeepStrictEqual } from 'node:util';
import { type ContractKey, isOfTraits } from '#shared/domain/market/contract.ts';
import type { FloorPage, FloorPoint, Outcome } from '#shared/domain/market/upstream.ts';
import { EncodedContract } from '#shared/domain/polling/contract-codec.ts';
import { type ContractRecord, newestOf, partsOf } from '#shared/domain/polling/contract-record.ts';
import { readingOf } from '#shared/domain/timeline/timeline.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';
import type {
  SecondAnswer,
  SecondProviderPlan,
} from '#test/simulation/services/second-provider.ts';
import { amount } from './documents.ts';

type Floor = Pick<FloorPoint, 'time' | 'price' | 'currency'>;
/** The second provider has the floor of now: its time is that of the question. */
type OtherFloor = Omit<Floor, 'time'>;
type Known = ContractRecord | undefined;

/** A poll of a contract's floor, and what it was told. */
type Poll = {
  readonly by: Invocation;
  readonly contract: ContractKey;
  /** When its first call began. */
  readonly startedAt: number;
  /** The record as the pass has read it, about. */
  readonly hint: Known;
  isAnswered: boolean;
  first?: Floor;
  earlier?: readonly Floor[];
  askedSecondAt?: number;
  second?: OtherFloor;
  isCommitted: boolean;
};

type How = 'alone' | 'stood in' | 'agreed' | 'nearer' | 'sold near' | 'overruled' | 'disputed';
/** What a poll may make of what it was told. */
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
/** So many polls in a row may find no time for the second provider. */
const PATIENCE = 3;

/**
 * Holds each floor that is committed against what two providers reported, as the table of
 * shared/providers/README.md has it.
 */
export function createOpinionInvariants(world: OpinionWorld): OpinionInvariants {
  const { now, broken, met, second } = world;
  const polls = new WeakMap<Invocation, Map<ContractKey, Poll>>();
  /** The records of contracts, each since a time, oldest first. */
  const records = new Map<ContractKey, { readonly since: number; readonly item: Item }[]>();
  const lastPolls = new Map<ContractKey, Poll>();
  const unasked = new Map<ContractKey, number>();
  /** When the two began to contradict each other, until they agree. */
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
    const hint = read && readContract(contract, read.item);
    const poll: Poll = {
      ...{ by, contract, hint, startedAt: now(), isAnswered: false, isCommitted: false },
    };
    polls.set(by, (polls.get(by) ?? new Map<ContractKey, Poll>()).set(contract, poll));
    lastPolls.set(contract, poll);
    return poll;
  };

  /** What came of a contract's poll before the next. */
  const checkDone = (contract: ContractKey, poll: Poll) => {
    if (second === undefined || !poll.by.isOver || poll.by.disturbance !== undefined) return;
    const { askedSecondAt, first } = poll;
    const isMissed = askedSecondAt === undefined && needsSecond(poll);
    unasked.set(contract, isMissed ? (unasked.get(contract) ?? 0) + 1 : 0);
    if (mayAlwaysAsk && (unasked.get(contract) ?? 0) >= PATIENCE) {
      broken('a second provider is asked', `${contract}: ${unasked.get(contract)} times not`);
    }
    const known = newest.get(contract);
    if (first !== undefined || poll.second === undefined || known === undefined) return;
    if (known < (askedSecondAt ?? 0) - AGAIN_AFTER) {
      broken('the second stands in while the first gives no answer', `${contract}: ${known}`);
    }
  };

  const checkCommit = (poll: Poll, { before, after }: Committed) => {
    const { contract } = poll;
    const news = newsOf(before, after);
    const known = before && readContract(contract, before);
    const rulings = rulingsOf({ ...poll, known }, disputedSince.get(contract), now()).flatMap(
      (ruling) => stillVouchedFor(ruling, known, now()),
    );
    const floor = after.parts.floor;
    if (news !== undefined) {
      if (before?.ahead?.some((one) => isDeepStrictEqual(one, news))) return;
      const earlier = (poll.earlier ?? []).flatMap((floor) =>
        stillVouchedFor({ how: 'alone', floor }, known, now()),
      );
      const right = [...rulings, ...earlier].find((ruling) => isCommitted(ruling, news));
      const told = `${contract}: ${JSON.stringify(news)}, of ${inWords(poll)}`;
      if (right === undefined) return broken('a floor is what providers vouch for', told);
      if (second !== undefined) met(`second: ${right.how}`);
      if (news.v !== undefined && isFar(news, before && floorIn(before)))
        met('second: confirmed outlier');
    }
    // The answer of a later question stands.
    if (floor === undefined || (floor.asked ?? 0) > poll.startedAt) return;
    const isDisputed = floor.is === 'disputed';
    // The dispute of a later question stands, too.
    const was = before?.parts.floor;
    const isBrought = isDisputed && (was?.is !== 'disputed' || was.why !== floor.why);
    const mustBe = rulings.length > 0 && rulings.every(({ how }) => how === 'disputed');
    if (isBrought) {
      met('second: disputed');
      const said = [...(floor.why ?? '').matchAll(/says ([\d.]+)/g)].map(([, text]) =>
        amount(text),
      );
      const isRight = [poll.first, poll.second].every((one) => said.includes(one?.price));
      const mayBe = rulings.some(({ how }) => how === 'disputed');
      if (!mayBe) broken('providers that agree dispute nothing', `${contract}: ${inWords(poll)}`);
      if (!isRight) broken('a dispute says both numbers', `${contract}: ${floor.why}`);
    }
    const shown = floorIn(after);
    // A floor of a time after the question waits for that time.
    const isVouchedFor =
      rulings.length > 0 &&
      rulings.every(
        ({ isConfirmed, floor }) =>
          isConfirmed === true &&
          shown?.p === `${floor?.price}` &&
          (floor?.time ?? 0) <= poll.startedAt,
      );
    if (isVouchedFor && shown?.v === undefined) {
      broken('a floor that two vouch for is confirmed', `${contract}: ${inWords(poll)}`);
    }
    if (mustBe && !isDisputed) {
      broken('a floor that is contradicted is disputed', `${contract}: ${inWords(poll)}`);
    }
    if (was?.is === 'disputed' && floor.is === 'ok') met('second: ended dispute');
  };

  const noteDispute = ({ before, after }: Committed, by: Invocation) => {
    const [was, floor] = [before?.parts.floor, after.parts.floor];
    // A stale worker may commit the first floor of a part that is polled again.
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
      // What is asked after it fills the past.
      if (poll.isAnswered) return;
      poll.isAnswered = true;
      if (outcome.kind !== 'ok') return;
      const points = outcome.value.points.toSorted((a, b) => b.time - a.time);
      const [last] = points;
      if (last === undefined) return;
      poll.first = last;
      // A floor of the time of the call itself counts in the next poll.
      const atStart = points.findIndex(({ time }) => time <= poll.startedAt);
      poll.earlier = points.slice(1, atStart + 1);
    },

    secondAsked: (contract, by) => {
      const poll = begin(contract, by);
      poll.askedSecondAt = now();
      if (isLacked(poll.hint, now())) {
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
      const [was, is] = [committed.before?.parts.floor, committed.after.parts.floor];
      const poll = pollOf(contract, by);
      if (poll !== undefined && !poll.isCommitted) {
        // The sales of a contract may be asked for, and written, by themselves.
        if (news === undefined && isDeepStrictEqual(was, is)) return;
        poll.isCommitted = true;
        checkCommit(poll, committed);
      } else if (news !== undefined) {
        broken('a floor is what providers vouch for', `${after.sk}: nobody was asked`);
      }
      noteDispute(committed, by);
    },
  };
}

/** As many as may be written of a contract within a pass. */
const MOST_RECORDS = 20;

/** An unchanged floor of now is the known observation for so long; and a call takes a while. */
const AGAIN_AFTER = 10 * MINUTE + MINUTE;

/** Whether nothing but time keeps a poll from asking it. */
function isNeverRefused({ limits, faults }: SecondProviderPlan): boolean {
  const { upstreamThrottles, upstreamDenies, upstreamRetires } = faults;
  const isRefused = upstreamThrottles + upstreamDenies + upstreamRetires > 0;
  return !isRefused && limits.callsPerSecond > 1 && limits.budgetPerDay > 1000;
}

function needsSecond({ first, hint, contract, startedAt }: Poll): boolean {
  if (hint === undefined || isLacked(hint, startedAt) || isOfTraits(contract)) return false;
  if (first === undefined) return true;
  const known = hint.parts.floor;
  const point = newestOf(hint, 'floor');
  if (known?.outcome === 'disputed' || point?.kind !== 'price') return true;
  return point.price !== first.price || point.currency !== first.currency;
}

/** Whether the second has said within six hours that it lacks the contract. */
function isLacked(hint: Known, now: number): boolean {
  return (hint?.lackedBy?.coingecko ?? 0) > now;
}

/** What may be made of the answers: more than one where a moment or a number is on the edge. */
function rulingsOf(
  { known, first, second }: Pick<Poll, 'first' | 'second'> & { readonly known: Known },
  disputedSince: number | undefined,
  now: number,
): readonly Ruling[] {
  if (first === undefined) return second === undefined ? [] : [{ how: 'stood in', floor: second }];
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

/** The price that the second has vouched for within the hour needs no second opinion. */
function stillVouchedFor(ruling: Ruling, known: Known, now: number): readonly Ruling[] {
  const { confirmed } = known?.parts.floor ?? {};
  const point = known && newestOf(known, 'floor');
  const isSame =
    point?.kind === 'price' &&
    point.price === ruling.floor?.price &&
    point.currency === ruling.floor.currency;
  if (ruling.isConfirmed === true || !isSame || confirmed === undefined) return [ruling];
  const age = now - confirmed.at;
  const vouchedFor = { ...ruling, isConfirmed: true } as const;
  if (age < HOUR - MINUTE) return [vouchedFor];
  return age > HOUR + MINUTE ? [ruling] : [vouchedFor, ruling];
}

/** Of what is known when the floor is committed: a message may be old. */
function comparisonsOf(known: Known, first: Floor, second: OtherFloor): readonly Ruling[] {
  const agreed = (how: How, floor: OtherFloor): Ruling => {
    // What the second has said alone of a later time is taken back.
    const alone = known && newestOf(known, 'floor');
    const isOfSecond = alone?.kind === 'price' && alone.source === 'coingecko';
    const isTakenBack = isOfSecond && alone.price !== floor.price && alone.time > first.time;
    // What is known of a later time and says the same is what they vouch for.
    const isThatOne =
      alone?.kind === 'price' &&
      alone.price === floor.price &&
      alone.currency === floor.currency &&
      alone.time > first.time;
    const time = isTakenBack || isThatOne ? alone.time : first.time;
    return { how, floor: { ...floor, time }, isConfirmed: true };
  };
  if (isNear(first.price, second.price)) return [agreed('agreed', first)];
  const before = known && (readingOf(known.timeline).floor ?? newestOf(known, 'floor'));
  if (before?.kind !== 'price' || before.currency !== first.currency) return [{ how: 'disputed' }];
  const [one, other] = [first.price - before.price, second.price - before.price];
  if (one * other > 0n) {
    const isFirstNearer = one > 0n ? one < other : one > other;
    return [agreed('nearer', isFirstNearer ? first : second)];
  }
  const sales = (known === undefined ? [] : partsOf(known)).flatMap(([part]) => {
    const point = known && newestOf(known, part);
    // Volumes and offers are no sales.
    if (!part.startsWith('lowest') || point?.kind !== 'price') return [];
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

/** Within two percent. */
function isNear(left: bigint, right: bigint): boolean {
  const [low, high] = left < right ? [left, right] : [right, left];
  return high * 98n <= low * 100n;
}

function isFar({ p = '0' }: PointItem, before: PointItem | undefined): boolean {
  const [one, other] = [BigInt(p), BigInt(before?.p ?? p)];
  const [low, high] = one < other ? [one, other] : [other, one];
  return low * 10n <= high * 7n;
}

/** The newest floor that a write has brought. */
function newsOf(before: RecordItem | undefined, after: RecordItem): PointItem | undefined {
  const news = (after.steps ?? []).filter(({ n }) => n > (before?.seq ?? 0));
  const newest = news.findLast(({ points }) => points?.reported !== undefined)?.points?.reported;
  const agreed = news.findLast(({ points }) => points?.agreed !== undefined)?.points?.agreed;
  if (newest === undefined) return agreed?.alone === undefined ? agreed : undefined;
  return agreed?.v !== undefined && agreed.t === newest.t ? agreed : newest;
}

/** The newest floor that a record knows, with the source that vouches for it. */
function floorIn({ reading = {}, steps = [] }: RecordItem): PointItem | undefined {
  const { reported, agreed } = Object.assign({}, reading, ...steps.map(({ points }) => points));
  return agreed?.alone === undefined && agreed?.t === reported?.t ? agreed : reported;
}

function inWords({ hint, first, second }: Poll): string {
  const told = { before: hint && newestOf(hint, 'floor'), first, second };
  return JSON.stringify(told, (_name, value) => (typeof value === 'bigint' ? `${value}` : value));
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
  readonly parts: {
    readonly floor?: {
      readonly is?: string;
      readonly why?: string;
      readonly asked?: number;
      readonly confirmed?: { readonly at: number };
    };
  };
};

type Committed = { readonly before: RecordItem | undefined; readonly after: RecordItem };
