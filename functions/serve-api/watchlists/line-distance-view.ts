import type { LineDistance } from '#shared/domain/evaluation/line-distance.ts';
import { cutTo, formatDecimal } from '#shared/domain/market/decimal.ts';
import type { AnsweredMembers } from '#shared/http/described.ts';
import type { lineDistance } from './answers/watches.ts';

/** Digits of a percentage that people read; the exact distance is beside it. */
const DIGITS = 2;

/** An unknown distance has null for each member. */
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
