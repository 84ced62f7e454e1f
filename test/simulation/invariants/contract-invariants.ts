import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Key } from '#shared/stores/table.ts';
import { type Fact, type Forecast, inTime } from '#test/simulation/oracle/facts.ts';
import { judge } from '#test/simulation/oracle/outliers.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Market } from '#test/simulation/services/market.ts';

/** What a contract's record distinguished from some write on. */
export type View = Forecast & {
  readonly at: number;
  /** Since when nothing usable was answered, by part. */
  readonly silent: Readonly<Record<string, number | undefined>>;
};

/** All that was committed of a contract, in its order. */
export type Known = {
  readonly facts: readonly Fact[];
  readonly views: readonly View[];
  /** What was observed of parts that were forgotten since, and is recorded still. */
  readonly forgotten: readonly Fact[];
};

/** Recorded floors in the order of time. */
export type Past = {
  readonly floors: readonly Fact[];
  readonly isCorrected: boolean;
  /** Since when none is missing. */
  readonly since: number | undefined;
};

export type ContractInvariants = {
  readonly contractWritten: (written: Written) => void;
  readonly historyWritten: (written: Written) => void;
  readonly knownOf: (contract: string) => Known;
  /** The recorded floors as they are now, and whether they differ from what is remembered as observed. */
  readonly pastOf: (contract: string) => Past;
};

export type ContractInvariantsWorld = {
  readonly now: () => number;
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: 'past filled' | 'floors missing' | 'missing floors filled') => void;
  readonly floorTimes: Market['floorTimes'];
};

type ContractModel = {
  lastNumber: number;
  facts: readonly Fact[];
  readonly views: View[];
  /** Recorded floors by their time. */
  readonly recorded: Map<number, Fact>;
  /** Those in order, until one is recorded that was not observed. */
  past: Past | undefined;
  /** Since when no floor is missing, as the record said last. */
  since: number | undefined;
  /** What was forgotten of it, and is recorded still. */
  forgotten: readonly Fact[];
};

const GARBAGE_AHEAD = 5 * 60_000;

/** Notes what is committed of contracts: observations, answers, and the past that was filled in. */
export function createContractInvariants(world: ContractInvariantsWorld): ContractInvariants {
  const { broken, now } = world;
  const models = new Map<string, ContractModel>();
  const modelOf = (contract: string): ContractModel => {
    const known = models.get(contract);
    if (known !== undefined) return known;
    const model = {
      lastNumber: 0,
      facts: [],
      views: [],
      recorded: new Map(),
      past: undefined,
      since: undefined,
      forgotten: [],
    };
    models.set(contract, model);
    return model;
  };

  const contractWritten = ({ after }: Written) => {
    if (after === undefined) return;
    const record = after as unknown as ContractItem;
    const model = modelOf(after.sk);
    const items = (record.unevaluated ?? []).filter(({ n }) => n > model.lastNumber);
    // What one write brings was asked for by one poll.
    const news = items.map((item) => factOf(item, items[0]?.n ?? 0));
    for (const fact of news) {
      const name = `${after.sk} ${fact.part} ${fact.number}`;
      const before = model.facts.findLast(({ part }) => part === fact.part);
      if (before !== undefined && fact.time < before.time) {
        broken('observations are in order', name);
      }
      if (fact.time > now() + GARBAGE_AHEAD) broken('no observation is of the future', name);
      if (fact.price !== undefined && fact.price <= 0n) broken('no price is zero', name);
      model.lastNumber = fact.number;
      model.facts = [...model.facts, fact];
    }
    if (news.length > 0 && model.past !== undefined) {
      const { floors, since } = model.past;
      model.past = { floors, since, isCorrected: isCorrected(model, floors) };
    }
    const since = record.past?.since;
    if (since !== model.since) {
      if (since !== undefined && model.since !== undefined) {
        world.met(since > model.since ? 'floors missing' : 'missing floors filled');
      }
      model.since = since;
      if (model.past !== undefined) model.past = { ...model.past, since };
    }
    if (since !== undefined && news.length > 0) expectAllSince(after.sk, model, since);
    // A part that is needed no more is forgotten, and begins anew.
    const isNeeded = ({ part }: Fact) => record.parts[part] !== undefined;
    if (!model.facts.every(isNeeded)) {
      model.forgotten = [...model.forgotten, ...model.facts.filter((fact) => !isNeeded(fact))];
      model.facts = model.facts.filter(isNeeded);
      model.past = undefined;
    }
    const parts = Object.entries(record.parts);
    const view: View = {
      at: now(),
      upTo: record.seq,
      answered: Object.fromEntries(parts.map(([part, { asked }]) => [part, asked])),
      silent: Object.fromEntries(parts.map(([part, { silent }]) => [part, silent])),
      past: pastOf(after.sk).floors,
      since: record.past?.since,
    };
    const newest = model.views.at(-1);
    if (newest === undefined || !tellsTheSame(newest, view)) model.views.push(view);
  };

  /** All that has happened since then was read, but for what another provider stood in for. */
  const expectAllSince = (contract: string, { facts, recorded }: ContractModel, since: number) => {
    const floors = facts.filter(({ part }) => part === 'floor');
    const heard = new Set([...recorded.keys(), ...floors.map(({ time }) => time)]);
    const newest = floors.at(-1)?.time ?? 0;
    const missed = world
      .floorTimes(ContractKey.parse(contract))
      .filter((time) => time >= since && time <= newest && !heard.has(time))
      .find((time) => floors.find((next) => next.time > time)?.isOfOther !== true);
    if (missed === undefined) return;
    broken('no floor is missing where none is said to be', `${contract}: ${missed} of ${since}`);
  };

  const historyWritten = ({ key, after }: Written) => {
    const [part, kind] = key.sk.split('#');
    if (part !== 'floor' || kind !== 'H' || after === undefined) return;
    const model = modelOf(key.pk.slice('HISTORY#'.length));
    const fact = pastFact(after as unknown as HistoryItem);
    const known = model.recorded.get(fact.time);
    const before = known ?? observedAt(model, fact.time);
    model.recorded.set(fact.time, fact);
    expectAsItCame(key, model, fact);
    const isNews = before === undefined || !isSame(before, fact);
    if (isNews && model.past !== undefined) world.met('past filled');
    // The first that is recorded, as it was observed or not, makes a past of none.
    const isJudged = known?.hadToWait !== fact.hadToWait || known?.isConfirmed !== fact.isConfirmed;
    if (isNews || isJudged || model.past?.floors.length === 0) model.past = undefined;
  };

  /** What is recorded of a floor's wait is what was decided when one of this price came. */
  const expectAsItCame = ({ pk, sk }: Key, { facts, forgotten }: ContractModel, fact: Fact) => {
    if (fact.hadToWait === undefined || forgotten.length > 0) return;
    const { waits } = judge(facts);
    const decided = [...waits].filter(
      ([{ time, price }]) => time === fact.time && price === fact.price,
    );
    if (decided.some(([, hadToWait]) => hadToWait === fact.hadToWait)) return;
    broken('a floor is recorded as it was received', `${pk} ${sk}: ${fact.hadToWait}`);
  };

  const pastOf = (contract: string) => {
    const model = modelOf(contract);
    if (model.past !== undefined) return model.past;
    const floors = [...model.recorded.values()].toSorted(inTime);
    model.past = { floors, since: model.since, isCorrected: isCorrected(model, floors) };
    return model.past;
  };

  return { contractWritten, historyWritten, knownOf: modelOf, pastOf };
}

type ContractItem = {
  readonly seq: number;
  readonly parts: Readonly<Record<string, { readonly asked?: number; readonly silent?: number }>>;
  readonly unevaluated?: readonly ObservationItem[];
  readonly past?: { readonly since?: number };
};

type ObservationItem = {
  readonly n: number;
  readonly of: string;
  readonly at: {
    readonly t: number;
    readonly p?: string;
    readonly c?: string;
    readonly u?: string;
    readonly v?: string;
    readonly s?: string;
  };
};

type HistoryItem = {
  readonly time: string;
  readonly price: string;
  readonly currency: string;
  readonly usd?: string;
  readonly observedAs?: 'price' | 'outlier' | 'alone';
  readonly confirmedBy?: string;
};

function factOf({ n, of, at }: ObservationItem, poll: number): Fact {
  return {
    number: n,
    poll,
    part: of,
    time: at.t,
    price: at.p === undefined ? undefined : BigInt(at.p),
    currency: at.c ?? '',
    usd: at.u === undefined ? undefined : BigInt(at.u),
    ...(at.v === undefined ? {} : { isConfirmed: true }),
    ...(at.s === 'coingecko' ? { isOfOther: true } : {}),
  };
}

/** Whether some floor is recorded otherwise than it was observed last, or than is remembered. */
function isCorrected(model: ContractModel, floors: readonly Fact[]): boolean {
  if (model.forgotten.length > 0) return true;
  return floors.some((fact) => {
    const observed = observedAt(model, fact.time);
    return observed !== undefined && !isSame(observed, fact);
  });
}

function pastFact(item: HistoryItem): Fact {
  const { time, price, currency, usd, observedAs = 'alone', confirmedBy } = item;
  return {
    number: 0,
    poll: 0,
    part: 'floor',
    time: Date.parse(time),
    price: BigInt(price),
    currency,
    usd: usd === undefined ? undefined : BigInt(usd),
    ...(observedAs === 'alone' ? {} : { hadToWait: observedAs === 'outlier' }),
    ...(confirmedBy === undefined ? {} : { isConfirmed: true }),
  };
}

function observedAt({ facts }: Pick<ContractModel, 'facts'>, time: number): Fact | undefined {
  return facts.findLast((fact) => fact.part === 'floor' && fact.time === time);
}

function isSame(left: Fact, right: Fact): boolean {
  return left.price === right.price && left.currency === right.currency && left.usd === right.usd;
}

function tellsTheSame(left: View, right: View): boolean {
  return (
    left.upTo === right.upTo &&
    left.past === right.past &&
    left.since === right.since &&
    JSON.stringify([left.answered, left.silent]) === JSON.stringify([right.answered, right.silent])
  );
}
