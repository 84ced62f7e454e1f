import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { comparedIn } from '#shared/domain/market/derived-key.ts';
import {
  type Derive,
  derivedPrices,
  type NoDerivedPrice,
} from '#shared/domain/market/derived-price.ts';
import { floorRatio } from '#shared/domain/market/floor-ratio.ts';
import { type Instant, latest, MINUTE, type Minute } from '#shared/domain/market/instant.ts';
import { type HeldTokens, listValue } from '#shared/domain/market/list-value.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { newestReading } from '#shared/domain/timeline/timeline.ts';
import { absorbAnswers, isQuiet, type SeriesAnswer } from './absorb-answers.ts';
import type { BackfillState } from './backfill-state.ts';
import { type ContractRecord, withPast } from './contract-record.ts';
import { lastTurn } from './due-work.ts';

/** The contracts from whose floors a derived contract is computed. */
export function sourcesOf({
  contract,
  held,
}: Pick<ContractRecord, 'contract' | 'held'>): readonly ContractKey[] {
  return held?.map((tokens) => tokens.contract) ?? comparedIn(contract);
}

/**
 * Derives past prices from past floors of the sources, all oldest first. Held tokens without a
 * floor are omitted from the value.
 */
export function pricesFrom(
  { held }: Pick<ContractRecord, 'held'>,
  floors: readonly (readonly PricePoint[])[],
): readonly PricePoint[] {
  if (held === undefined) return derivedPrices(floors, floorRatio);
  const counted = held
    .map(({ amount }, index) => ({ amount, known: floors[index] ?? [] }))
    .filter(({ known }) => known.length > 0);
  return derivedPrices(
    counted.map(({ known }) => known),
    deriveValue(counted),
  );
}

function deriveValue(counted: readonly Pick<HeldTokens, 'amount'>[]): Derive {
  const amounts = counted.map(({ amount }) => amount);
  return (floors) => listValue(floors, amounts);
}

/**
 * The records of the sources in the order of `sourcesOf`; undefined for a contract without a
 * record.
 */
type Sources = readonly (ContractRecord | undefined)[];

/** The sources that are used now, and the function that computes the price from their floors. */
export type Derivation = { readonly sources: Sources; readonly derive: Derive };

/**
 * The derivation of a derived contract from the records of its sources. Held tokens that never had
 * a floor are omitted.
 */
function derivationOf({ held }: Pick<ContractRecord, 'held'>, sources: Sources): Derivation {
  if (held === undefined) return { sources, derive: floorRatio };
  const counted = held
    .map(({ amount }, index) => ({ amount, source: sources[index] }))
    .filter(({ source }) => source === undefined || !hasNeverHadFloor(source));
  return { sources: counted.map(({ source }) => source), derive: deriveValue(counted) };
}

/** The present price of a derived contract, from the accepted floors of its sources. */
export function priceOf(
  record: Pick<ContractRecord, 'held'>,
  sources: Sources,
): PricePoint | NoDerivedPrice {
  return currentPrice(derivationOf(record, sources));
}

function currentPrice({ sources, derive }: Derivation): PricePoint | NoDerivedPrice {
  return derive(sources.map((source) => source && newestReading(source.timeline).floor));
}

/** Whether the provider's last answer had no floor, and no earlier answer had one. */
function hasNeverHadFloor({ series, timeline }: ContractRecord): boolean {
  const { outcome } = series.floor ?? {};
  const isDenied = outcome === 'empty' || outcome === 'not_found' || outcome === 'unsupported';
  return isDenied && timeline.accepted.length === 0;
}

/** The minute of a pass, and the cadences of the contracts. */
export type Turns = {
  readonly cadenceOf: (record: ContractRecord) => number;
  readonly minute: Minute;
};

/** The result of a pass for a derived contract. */
type Derived = {
  readonly next: ContractRecord;
  /**
   * Set if the past prices of a window must be derived from recorded floors, and recorded, before
   * the record is written.
   */
  readonly toRecord: (Derivation & { readonly window: number }) | undefined;
};

/**
 * Updates the record of a derived contract from the records of its sources (`known`). Returns
 * undefined if nothing changes.
 */
export function withDerived(
  record: ContractRecord,
  known: Sources,
  turns: Turns,
  now: Instant,
): Derived | undefined {
  const derivation = derivationOf(record, known);
  const answer = derivedAnswer(derivation, turns, now);
  if (answer === undefined) return undefined;
  const absorbed = absorbAnswers(record, [answer], now);
  const window = windowToRecord(record.past, derivation.sources);
  const past = pastOf(absorbed.past, derivation.sources, window);
  const next = past === undefined ? absorbed : withPast(absorbed, past, now);
  if (isQuiet(record, next, now)) return undefined;
  return { next, toRecord: window === undefined ? undefined : { ...derivation, window } };
}

/**
 * A derived contract's answer at the end of a pass, in the form of a provider's answer. Undefined
 * while one of the floors may be a glitch.
 */
function derivedAnswer(
  derivation: Derivation,
  { cadenceOf, minute }: Turns,
  askedAt: Instant,
): SeriesAnswer | undefined {
  const { sources, derive } = derivation;
  if (sources.some((record) => record?.timeline.suspect !== undefined)) return undefined;
  const heard = sources.map((record) => (record ? heardOf(record, cadenceOf(record), minute) : 0));
  const asked = { series: 'floor', askedAt, heardAt: Math.min(askedAt, ...heard) } as const;
  const isHeard = sources.every((record) => record?.series.floor?.noDataSince === undefined);
  const price = currentPrice(derivation);
  const reason = typeof price === 'string' ? price : isHeard ? undefined : 'floors';
  if (reason !== undefined) return { ...asked, outcome: { kind: 'not_derived', reason } };
  const prices = derivedPrices(sources.map(acceptedFloors), derive);
  return { ...asked, outcome: { kind: 'ok', value: prices } };
}

/**
 * When the floor of a contract was last requested, as of a pass. Polls without news are not
 * recorded, but a contract without failures was answered at its last turn.
 */
function heardOf(record: ContractRecord, cadenceMinutes: number, minute: Minute): Instant {
  const turn = lastTurn(record, minute, cadenceMinutes);
  return Math.max(record.series.floor?.answeredAt ?? 0, turn * MINUTE);
}

/**
 * The last evaluated floor and all newer ones, without glitches. Each floor may change the derived
 * price.
 */
function acceptedFloors(record: ContractRecord | undefined): readonly PricePoint[] {
  if (record === undefined) return [];
  const { before, steps } = record.timeline;
  return [before, ...steps.map(({ points }) => points)].flatMap(({ floor }) =>
    floor?.kind === 'price' ? floor : [],
  );
}

/**
 * The window, in milliseconds, whose prices must be derived from recorded floors. Undefined if
 * no price must be derived, or while the floors are not known that far back.
 */
function windowToRecord(past: BackfillState | undefined, sources: Sources): number | undefined {
  const window = Math.max(past?.requested ?? 0, past?.known ?? 0);
  const isFurther = past?.requested !== undefined || isGapFilled(past, sources);
  const isKnown = sources.every(
    (record) => record?.past?.requested === undefined && (record?.past?.known ?? 0) >= window,
  );
  return window > 0 && isFurther && isKnown ? window : undefined;
}

function isGapFilled(past: BackfillState | undefined, sources: Sources): boolean {
  return past?.since !== undefined && past.since > (gapOf(sources) ?? 0);
}

/** The past of a derived contract. `recorded` is the window whose prices were just recorded. */
function pastOf(
  past: BackfillState | undefined,
  sources: Sources,
  recorded: number | undefined,
): BackfillState | undefined {
  const known = recorded ?? past?.known;
  const requested =
    past?.requested !== undefined && past.requested > (known ?? 0) ? past.requested : undefined;
  // After a gap in the floors was filled, the derived prices still have the gap until they are
  // recorded again.
  const gap = latest([gapOf(sources), recorded === undefined ? past?.since : undefined]);
  return known === undefined && requested === undefined && gap === undefined
    ? undefined
    : defined({ known, requested, since: gap });
}

function gapOf(sources: Sources): Instant | undefined {
  return latest(sources.map((record) => record?.past?.since));
}
