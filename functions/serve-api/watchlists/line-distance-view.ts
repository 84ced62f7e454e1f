import type { LineDistance } from '#shared/domain/evaluation/line-distance.ts';
import { cutTo, formatDecimal } from '#shared/domain/market/decimal.ts';
import type { AnsweredMembers } from '#shared/http/described.ts';
import type { lineDistance } from './answers/watches.ts';

/** Fraction digits of the percentage. `distance` has the exact value. */
const DIGITS = 2;

/**
 * The members of an answer that describe a distance. All members are null if the distance is
 * unknown.
 */
export function lineDistanceView(
  known: LineDistance | undefined,
): AnsweredMembers<typeof lineDistance> {
  if (known === undefined) return { distance: null, distancePct: null, direction: null };
  const { distance, percent, direction } = known;
  return {
    distance: formatDecimal(distance),
    distancePct: percent === undefined ? null : formatDecimal(cutTo(percent, DIGITS)),
    direction,
  };
}
