/** Milliseconds since 1970. */
export type Instant = number;

/** Series of values that rules read. */
export type PriceSeriesName = 'floor' | ValueSeries;

/**
 * Lowest sale of the last days, statistics that come with the floor, best offer: one value each.
 */
export type ValueSeries = `lowest.${number}d` | Statistic | 'offer';
type Statistic = `volume.${number}d` | `sales.${number}d` | 'owners';

/** All floors, accepted floors, or floors that a second source also reports. */
export type FloorSeries = 'reported' | 'floor' | 'agreed';

export type SeriesName = FloorSeries | ValueSeries;

export type PricePoint = {
  readonly kind: 'price';
  readonly time: Instant;
  /** In units of 10^-18, as every amount in this folder. */
  readonly price: bigint;
  readonly currency: string;
  readonly usd?: bigint;
  /** Moment of the trade, for a sale. */
  readonly tradedAt?: Instant;
  /** The second source that reports the same floor. */
  readonly confirmedBy?: string;
  /** In the series `agreed`: only one source reports this floor, so it has no value. */
  readonly isWithheld?: true;
};

/** An empty sales window, or no offer. */
type EmptyPoint = { readonly kind: 'empty'; readonly time: Instant };

export type Point = PricePoint | EmptyPoint;

/** The latest point of each series. */
export type Reading = { readonly [Name in SeriesName]?: Point };

/** A step of a contract's timeline, as the product records it. */
export type StepRecord = {
  readonly seq: number;
  readonly at: Instant;
  /** Time of the request of the step's poll. */
  readonly asked: Instant;
  /** Time of the last answered request for each price series of the contract. */
  readonly answeredAt: { readonly [Name in PriceSeriesName]?: Instant };
  /** Contains only the series with a new point. */
  readonly points: Reading;
  /**
   * The last step of a poll, at the time of its request. This step concerns only watches with a due
   * timer.
   */
  readonly forTimers?: true;
};

/** Recorded floors in the order of time: all, the accepted ones, and the confirmed ones. */
export type RecordedFloors = { readonly [Name in FloorSeries]: readonly PricePoint[] } & {
  /** Time from which the recorded floors have no gap; undefined if they never had one. */
  readonly completeSince?: Instant | undefined;
};

/** A step together with the readings around it and the floors recorded by the end of its poll. */
export type Observation = {
  readonly step: StepRecord;
  readonly readingBefore: Reading;
  readonly reading: Reading;
  readonly floors: RecordedFloors;
};

/** Applies the steps of a poll to a reading, one after the other. */
export function observe(
  reading: Reading,
  steps: readonly StepRecord[],
  floors: RecordedFloors,
): readonly Observation[] {
  let readingBefore = reading;
  return steps.map((step) => {
    const after = { ...readingBefore, ...step.points };
    const observation = { step, readingBefore, reading: after, floors };
    readingBefore = after;
    return observation;
  });
}

/** Whether two points have the same report. A confirmation is not part of the report. */
export function isSameReport(one: Point, other: Point): boolean {
  if (one.time !== other.time || one.kind !== other.kind) return false;
  if (one.kind === 'empty' || other.kind === 'empty') return true;
  const isSamePrice = one.price === other.price && one.currency === other.currency;
  return isSamePrice && one.usd === other.usd && one.tradedAt === other.tradedAt;
}
