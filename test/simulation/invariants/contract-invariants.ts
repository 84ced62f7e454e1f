import { isDeepStrictEqual } from 'node:util';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Key } from '#shared/stores/table.ts';
import type { Health } from '#test/simulation/oracle/by-clock.ts';
import type {
  Instant,
  Observation,
  Point,
  PricePoint,
  PriceSeriesName,
  Reading,
  RecordedFloors,
  SeriesName,
  StepRecord,
} from '#test/simulation/oracle/points.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Market } from '#test/simulation/services/market.ts';

/** The committed data of a contract, in the order of the writes. */
export type Known = {
  readonly observations: readonly Omit<Observation, 'floors'>[];
  /** The current observations, and the observations before each merge since a moment. */
  readonly observationsSince: (moment: Instant) => readonly Known['observations'][];
  /**
   * The recorded floors at each moment since then, oldest first. An evaluation may have read any of
   * these versions.
   */
  readonly floorsSince: (moment: Instant) => readonly RecordedFloors[];
  /**
   * All states of the contract's health since a moment, oldest first, including the state at that
   * moment.
   */
  readonly healthSince: (moment: Instant) => readonly Omit<Health, 'now'>[];
  /** Every recorded price of a series. */
  readonly prices: (series: PriceSeriesName) => readonly bigint[];
  /** Whether a floor of this period came too late for a step, or was replaced by a revision. */
  readonly isRevised: (from: Instant, to: Instant) => boolean;
};

export type ContractInvariants = {
  readonly contractWritten: (written: Written) => void;
  readonly historyWritten: (written: Written) => void;
  readonly knownOf: (contract: string) => Known;
};

export type ContractInvariantsWorld = {
  readonly now: () => number;
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: 'past filled' | 'floors missing' | 'missing floors filled') => void;
  readonly floorTimes: Market['floorTimes'];
};

type At<Value> = { readonly at: Instant; readonly value: Value };

type ContractModel = {
  lastNumber: number;
  reading: Reading;
  observations: readonly Omit<Observation, 'floors'>[];
  /** The observations before each merge. */
  readonly unmerged: At<Known['observations']>[];
  /** Steps that were merged into later ones before their evaluation. */
  readonly merged: StepRecord[];
  /** The number of the last step before the last deletion of the floors. */
  forgottenAt: number;
  /** Recorded floors by their time. */
  readonly recorded: Map<Instant, RecordedFloor>;
  readonly floors: At<RecordedFloors>[];
  readonly health: At<Omit<Health, 'now'>>[];
  readonly prices: Map<string, Set<bigint>>;
  /** When the latest steps were committed. */
  committedAt: Instant;
  /** The times of recorded floors that were replaced, or that came too late for a step. */
  readonly revised: Instant[];
  since: Instant | undefined;
};

type RecordedFloor = PricePoint & { readonly observedAs?: 'price' | 'suspect' };

const GARBAGE_AHEAD = 5 * 60_000;
/** Maximum number of points that wait for an evaluation. A floor counts once. */
const MOST_POINTS = 96;

/** Records the committed steps, health and history of contracts. */
export function createContractInvariants(world: ContractInvariantsWorld): ContractInvariants {
  const { broken, now } = world;
  const models = new Map<string, ContractModel>();
  const modelOf = (contract: string): ContractModel => {
    const known = models.get(contract);
    if (known !== undefined) return known;
    const nothing = { reported: [], floor: [], agreed: [] };
    const model: ContractModel = {
      ...{ lastNumber: 0, reading: {}, observations: [], merged: [], recorded: new Map() },
      unmerged: [],
      ...{ forgottenAt: 0, committedAt: 0 },
      ...{ floors: [{ at: 0, value: nothing }], since: undefined, prices: new Map() },
      revised: [],
      health: [{ at: 0, value: { newestFloor: undefined, answered: [], noDataSince: {} } }],
    };
    models.set(contract, model);
    return model;
  };

  const contractWritten = ({ before, after }: Written) => {
    if (after === undefined) return;
    const record = after as unknown as ContractItem;
    const model = modelOf(after.sk);
    const merged = mergedSteps(before as unknown as ContractItem | undefined, record);
    for (const item of record.steps ?? []) {
      if (item.n <= model.lastNumber) continue;
      const step = stepOf(item);
      expectInOrder(after.sk, model, step);
      const readingBefore = model.reading;
      model.reading = { ...readingBefore, ...step.points };
      const { reading } = model;
      noteRevision(model, readingBefore.floor, step.points.floor);
      model.observations = [...model.observations, { step, readingBefore, reading }];
      model.lastNumber = item.n;
      model.committedAt = now();
    }
    if (merged.length > 0) merge(after.sk, model, record, merged);
    const series = Object.entries(record.series);
    // The points of a series that no rule needs are deleted. If a rule needs the series again, the
    // series starts empty.
    const isKept = (name: string) => record.series[partOf(name)] !== undefined;
    model.reading = Object.fromEntries(
      Object.entries(model.reading).filter(([name]) => isKept(name)),
    );
    if (!isKept('floor')) model.forgottenAt = model.lastNumber;
    noteGap(after.sk, model, record);
    const health = {
      newestFloor: model.reading.reported?.time,
      answered: series.flatMap(([name, { asked }]) =>
        asked === undefined ? [] : [name as PriceSeriesName],
      ),
      noDataSince: Object.fromEntries(
        series.flatMap(([name, { silent }]) => (silent === undefined ? [] : [[name, silent]])),
      ),
    };
    model.health.push({ at: now(), value: health });
  };

  /** If too many steps wait, the oldest are merged. */
  const merge = (
    contract: string,
    model: ContractModel,
    { steps: [first] = [] }: ContractItem,
    merged: readonly number[],
  ) => {
    const isMerged = ({ step }: { readonly step: StepRecord }) => merged.includes(step.seq);
    const lost = model.observations.filter(isMerged);
    const oldest = lost[0]?.readingBefore;
    const waiting = model.observations.filter(({ step }) => step.seq >= (merged[0] ?? 0));
    const count = waiting.reduce((sum, { step }) => sum + pointsIn(step), 0);
    if (count <= MOST_POINTS) broken('steps are merged only if too many wait', contract);
    model.unmerged.push({ at: now(), value: model.observations });
    model.merged.push(...lost.map(({ step }) => step));
    const kept = model.observations.find(({ step }) => step.seq === first?.n);
    const points = Object.assign({}, ...[...lost, kept].map((one) => one?.step.points));
    model.observations = model.observations
      .filter((observation) => !isMerged(observation))
      .map((observation) => {
        const isIt = observation.step.seq === first?.n;
        if (!isIt || oldest === undefined) return observation;
        const { forTimers, ...step } = observation.step;
        // A step with points concerns all watches, not only those with a due timer.
        const alone = forTimers !== undefined && Object.keys(points).length === 0;
        const whole = { ...step, points, ...(alone ? { forTimers } : {}) };
        return { ...observation, step: whole, readingBefore: oldest };
      });
  };

  const expectInOrder = (contract: string, model: ContractModel, step: StepRecord) => {
    const name = `${contract} ${step.seq}`;
    const last = model.observations.at(-1)?.step;
    if (last !== undefined && step.at < last.at) broken('a timeline never runs backwards', name);
    // Answers may arrive in another order than their requests.
    const latest = Math.max(step.asked, last?.at ?? 0);
    if (step.at > latest) broken('no step is later than its request', name);
    if (step.asked > now() + GARBAGE_AHEAD) broken('no step is in the future', name);
    for (const [series, point] of Object.entries(step.points)) {
      // Volume and sales are zero if nothing was sold in a day.
      const isCounted = series.startsWith('volume') || series.startsWith('sales');
      if (point?.kind !== 'price' || isCounted) continue;
      if (point.price <= 0n) broken('no price is zero', name);
    }
  };

  const noteGap = (contract: string, model: ContractModel, { past, steps }: ContractItem) => {
    const since = past?.since;
    if (since !== model.since) {
      if (since !== undefined && model.since !== undefined) {
        world.met(since > model.since ? 'floors missing' : 'missing floors filled');
      }
      model.since = since;
      noteFloors(model);
    }
    if (since !== undefined && (steps ?? []).length > 0) expectAllSince(contract, model, since);
  };

  /**
   * Every floor from `since` on must have been read, except while the fallback provider was used.
   */
  const expectAllSince = (
    contract: string,
    { observations, merged, recorded, reading, forgottenAt }: ContractModel,
    since: Instant,
  ) => {
    const all = [...merged, ...observations.map(({ step }) => step)];
    const steps = all.filter(({ seq }) => seq > forgottenAt);
    const reported = steps
      .flatMap(({ points }) => priceIn(points.reported))
      .toSorted((one, other) => one.time - other.time);
    const heard = new Set([...recorded.keys(), ...reported.map(({ time }) => time)]);
    const newest = reading.reported?.time ?? 0;
    // The main provider may have revised the floor of the fallback provider since.
    const isOfFallback = (time: Instant) => {
      const next = reported.find((point) => point.time > time)?.time;
      return reported.some((point) => point.time === next && point.source === 'coingecko');
    };
    const missed = world
      .floorTimes(ContractKey.parse(contract))
      .filter((time) => time >= since && time <= newest && !heard.has(time))
      .find((time) => !isOfFallback(time));
    if (missed === undefined) return;
    broken('no floor is missing in a complete period', `${contract}: ${missed} of ${since}`);
  };

  const historyWritten = ({ key, after, by }: Written) => {
    const [series = '', kind] = key.sk.split('#');
    if (kind !== 'H' || after === undefined) return;
    const model = modelOf(key.pk.slice('HISTORY#'.length));
    const point = recordedFloor(after as unknown as HistoryItem);
    const prices = model.prices.get(series) ?? new Set<bigint>();
    model.prices.set(series, prices.add(point.price));
    if (series !== 'floor') return;
    const known = model.recorded.get(point.time);
    const isLate = point.observedAs === undefined;
    const isOther = known !== undefined && known.price !== point.price;
    if (isLate || isOther) model.revised.push(point.time);
    model.recorded.set(point.time, point);
    // A backfill keeps `observedAs` of a floor until the step that accepts it is evaluated.
    if (!isDeepStrictEqual(known, point)) expectAsItCame(key, model, point, by.startedAt);
    if (known === undefined && point.observedAs === undefined) world.met('past filled');
    noteFloors(model);
  };

  /**
   * If a price is revised before its evaluation, the first version is never recorded, but the steps
   * that contain it are evaluated.
   */
  const noteRevision = (
    { revised }: ContractModel,
    before: Point | undefined,
    floor: Point | undefined,
  ) => {
    if (before?.kind !== 'price' || floor?.kind !== 'price') return;
    if (floor.time === before.time && floor.price !== before.price) revised.push(floor.time);
  };

  const noteFloors = ({ floors, recorded, since: completeSince }: ContractModel) => {
    const value = { ...recordedFloors([...recorded.values()]), completeSince };
    floors.push({ at: now(), value });
  };

  /**
   * A recorded price must have been a point of the series `floor`, and a recorded suspect must not.
   */
  const expectAsItCame = (
    { pk, sk }: Key,
    model: ContractModel,
    floor: RecordedFloor,
    startedAt: Instant,
  ) => {
    if (floor.observedAs === undefined) return;
    const isOfIt = (point: Point | undefined) =>
      point?.kind === 'price' && point.time === floor.time && point.price === floor.price;
    const steps = [...model.merged, ...model.observations.map(({ step }) => step)];
    const counted = steps.some(({ points }) => isOfIt(points.floor));
    const reported = steps.some(({ points }) => isOfIt(points.reported));
    const hasCounted = steps.some(
      ({ seq, points }) => seq > model.forgottenAt && isOfIt(points.floor),
    );
    // An evaluation that read the contract before the latest poll records the earlier floor.
    const isOfBefore = model.committedAt >= startedAt;
    const isRight =
      floor.observedAs === 'price' ? counted : reported && (!hasCounted || isOfBefore);
    // A step from before the deletion of the series may still explain a recorded floor.
    if (!isRight)
      broken('a floor is recorded as it was received', `${pk} ${sk}: ${floor.observedAs}`);
  };

  const knownOf = (contract: string): Known => {
    const model = modelOf(contract);
    return {
      observations: model.observations,
      observationsSince: (moment) => [
        model.observations,
        ...model.unmerged.flatMap(({ at, value }) => (at >= moment ? [value] : [])),
      ],
      floorsSince: (moment) => sinceIn(model.floors, moment),
      healthSince: (moment) => sinceIn(model.health, moment),
      prices: (series) => [...(model.prices.get(series) ?? [])],
      isRevised: (from, to) => model.revised.some((time) => time >= from && time <= to),
    };
  };

  return { contractWritten, historyWritten, knownOf };
}

/** The values since a moment, including the one that was current then. */
function sinceIn<Value>(all: readonly At<Value>[], moment: Instant): readonly Value[] {
  const first = all.findLastIndex(({ at }) => at <= moment);
  return all.slice(Math.max(0, first)).map(({ value }) => value);
}

/**
 * The numbers of the steps that a poll has merged into later ones. A write that adds no step is an
 * evaluation, which merges none.
 */
function mergedSteps(before: ContractItem | undefined, after: ContractItem): readonly number[] {
  if (before === undefined || after.seq === before.seq) return [];
  const kept = new Set(after.steps?.map(({ n }) => n));
  return (before.steps ?? []).flatMap(({ n }) => (kept.has(n) ? [] : [n]));
}

function pointsIn({ points }: StepRecord): number {
  return Math.max(1, new Set(Object.keys(points).map(partOf)).size);
}

function partOf(series: string): string {
  return ['reported', 'floor', 'agreed'].includes(series) ? 'floor' : series;
}

function priceIn(point: Point | undefined): readonly (PricePoint & { source?: string })[] {
  return point?.kind === 'price' ? [point] : [];
}

/**
 * Recorded floors by series. A backfilled floor is dropped as a glitch if its neighbours contradict
 * it.
 */
function recordedFloors(points: readonly RecordedFloor[]): RecordedFloors {
  const reported = points.toSorted((one, other) => one.time - other.time);
  const floor: RecordedFloor[] = [];
  for (const [index, point] of reported.entries()) {
    if (point.observedAs === 'suspect') continue;
    const before = floor.at(-1);
    const next = reported.slice(index + 1).find(({ observedAs }) => observedAs !== 'suspect');
    if (point.observedAs === undefined && isGlitch(point, before, next)) continue;
    floor.push(point);
  }
  const agreed = reported.filter(({ confirmedBy }) => confirmedBy !== undefined);
  return { reported, floor, agreed };
}

function isGlitch(
  point: PricePoint,
  before: PricePoint | undefined,
  next: PricePoint | undefined,
): boolean {
  if (before === undefined || next === undefined) return false;
  if (before.currency !== point.currency || next.currency !== point.currency) return false;
  const isFar = ratio(point.price, before.price, 10n, 7n);
  const [toPoint, toBefore] = [spread(next.price, point.price), spread(next.price, before.price)];
  return isFar && toBefore[0] * toPoint[1] < toPoint[0] * toBefore[1];
}

function ratio(one: bigint, other: bigint, times: bigint, of: bigint): boolean {
  const [high, low] = spread(one, other);
  return low * times <= high * of;
}

function spread(one: bigint, other: bigint): readonly [high: bigint, low: bigint] {
  return one > other ? [one, other] : [other, one];
}

type PointItem = {
  readonly t: number;
  readonly p?: string;
  readonly c?: string;
  readonly u?: string;
  readonly d?: number;
  readonly v?: string;
  readonly s?: string;
  readonly alone?: true;
};

type StepItem = {
  readonly n: number;
  readonly at: number;
  readonly asked: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly points?: Readonly<Record<string, PointItem>>;
  readonly forTimers?: true;
};

type ContractItem = {
  readonly seq: number;
  readonly series: Readonly<Record<string, { readonly asked?: number; readonly silent?: number }>>;
  readonly steps?: readonly StepItem[];
  readonly past?: { readonly since?: number };
};

function stepOf({ n, at, asked, answers, points = {}, forTimers }: StepItem): StepRecord {
  return {
    ...{ seq: n, at, asked, answeredAt: answers },
    points: Object.fromEntries(
      Object.entries(points).map(([name, point]) => [name as SeriesName, pointOf(point)]),
    ),
    ...(forTimers === undefined ? {} : { forTimers }),
  };
}

function pointOf({ t, p, c = '', u, d, v, s, alone }: PointItem): Point {
  if (p === undefined) return { kind: 'empty', time: t };
  return {
    ...{ kind: 'price', time: t, price: BigInt(p), currency: c },
    ...(u === undefined ? {} : { usd: BigInt(u) }),
    ...(d === undefined ? {} : { tradedAt: d }),
    ...(v === undefined ? {} : { confirmedBy: v }),
    ...(s === undefined ? {} : { source: s }),
    ...(alone === undefined ? {} : { isWithheld: alone }),
  };
}

type HistoryItem = {
  readonly time: string;
  readonly price: string;
  readonly currency: string;
  readonly usd?: string;
  readonly observedAs?: 'price' | 'suspect';
  readonly confirmedBy?: string;
};

function recordedFloor(item: HistoryItem): RecordedFloor {
  const { time, price, currency, usd, observedAs, confirmedBy } = item;
  return {
    ...{ kind: 'price', time: Date.parse(time), price: BigInt(price), currency },
    ...(usd === undefined ? {} : { usd: BigInt(usd) }),
    ...(observedAs === undefined ? {} : { observedAs }),
    ...(confirmedBy === undefined ? {} : { confirmedBy }),
  };
}
