import { isDeepStrictEqual } from 'node:util';
import { isFar } from '#shared/domain/market/outlier.ts';
import type { Observation, Part, Point, PricePoint } from '#shared/domain/market/point.ts';
import type { PartRecord } from './contract-record.ts';

type Newest = NonNullable<PartRecord['newest']>;

/** Numbers the new points of a part, oldest first, each with what was known before it. */
export function numberPoints(
  { part, poll, after }: { readonly part: Part; readonly poll: number; readonly after: number },
  known: Newest | undefined,
  points: readonly Point[],
): { readonly observations: readonly Observation[]; readonly newest: Newest | undefined } {
  const observations: Observation[] = [];
  let newest = known;
  for (const point of points) {
    const seq = after + observations.length + 1;
    const previous = priceOf(newest);
    const isFloor = part === 'floor';
    const base = isFloor ? baseFor(point, newest) : previous;
    const outlier = isFloor ? ofOutlier(point, newest, base) : {};
    observations.push({ seq, poll, part, point, ...(previous && { previous }), ...outlier });
    const { standing } = outlier;
    newest = {
      ...{ seq, point },
      ...(poll === seq ? {} : { poll }),
      ...(standing === undefined ? {} : { standing }),
      ...(base === undefined || base === standing ? {} : { base: bare(base) }),
    };
  }
  return { observations, newest };
}

/**
 * What a floor is compared with: the one of the time before it, also where it revises another. The
 * floor after an outlier is compared with none.
 */
function baseFor(point: Point, newest: Newest | undefined): PricePoint | undefined {
  const known = priceOf(newest);
  if (known === undefined) return undefined;
  const { standing, base = standing } = newest ?? {};
  if (point.time === known.time) return base;
  return standing === undefined ? known : undefined;
}

function priceOf(newest: Newest | undefined): PricePoint | undefined {
  return newest?.point.kind === 'price' ? newest.point : undefined;
}

/** A price as it is compared: the record is read for each contract each minute. */
function bare({ kind, time, price, currency }: PricePoint): PricePoint {
  return { kind, time, price, currency };
}

/**
 * A floor that is far from the one before it is held back until the next: it may be a glitch, unless
 * another provider has confirmed it. The next is always accepted, but a revision of the same time is
 * held back like the first report of it. The same point again has stood for long enough.
 */
function ofOutlier(
  point: Point,
  before: Newest | undefined,
  base: PricePoint | undefined,
): Pick<Observation, 'standing' | 'stood'> {
  if (before?.point.kind !== 'price') return {};
  const stood = before.standing === undefined ? {} : { stood: before.standing };
  const isConfirmed = point.kind === 'price' && point.confirmedBy !== undefined;
  const isAgain = isDeepStrictEqual(point, before.point);
  if (isConfirmed || isAgain || base === undefined || !isFar(point, base)) return stood;
  return { ...stood, standing: before.standing ?? before.point };
}
