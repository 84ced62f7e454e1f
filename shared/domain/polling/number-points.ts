import { isDeepStrictEqual } from 'node:util';
import { isFar } from '#shared/domain/market/outlier.ts';
import type { Observation, Part, Point } from '#shared/domain/market/point.ts';
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
    const outlier = part === 'floor' ? ofOutlier(point, newest) : {};
    const previous = newest?.point.kind === 'price' ? { previous: newest.point } : {};
    observations.push({ seq, poll, part, point, ...previous, ...outlier });
    const { standing } = outlier;
    newest = {
      ...{ seq, point },
      ...(poll === seq ? {} : { poll }),
      ...(standing === undefined ? {} : { standing }),
    };
  }
  return { observations, newest };
}

/**
 * A floor that is far from the one before it is held back until the next: it may be a glitch, unless
 * another provider has confirmed it. The
 * next is always accepted, but a revision of the same time is still held back. The same point again
 * has stood for long enough.
 */
function ofOutlier(
  point: Point,
  before: Newest | undefined,
): Pick<Observation, 'standing' | 'stood'> {
  if (before === undefined || before.point.kind === 'empty') return {};
  const { standing: stood } = before;
  const isConfirmed = point.kind === 'price' && point.isConfirmed === true;
  if (isConfirmed) return stood === undefined ? {} : { stood };
  if (stood === undefined) return isFar(point, before.point) ? { standing: before.point } : {};
  const isRevised = point.time === before.point.time && !isDeepStrictEqual(point, before.point);
  return isRevised && isFar(point, stood) ? { stood, standing: stood } : { stood };
}
