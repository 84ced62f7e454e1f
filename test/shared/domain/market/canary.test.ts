import { describe, expect, it } from 'vitest';
import { CANARY_LINE, canaryFloor } from '#shared/domain/market/canary.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { NOON } from '#test/support/builders.ts';

const MIDNIGHT = NOON - (NOON % DAY);

describe('the floor of the canary', () => {
  it("crosses the canary's threshold each midnight, and stays on one side in between", () => {
    const line = readDecimal(CANARY_LINE) ?? 0n;
    const isBelow = (at: number) => canaryFloor(at).price < line;

    for (const day of [0, 1, 2, 3]) {
      const begin = MIDNIGHT + day * DAY;
      expect(isBelow(begin)).toBe(isBelow(begin + DAY - 1));
      expect(isBelow(begin)).not.toBe(isBelow(begin + DAY));
    }
  });

  it('has a new canary floor each hour, never in the future', () => {
    expect(canaryFloor(NOON + 59 * MINUTE).time).toBe(NOON);
    expect(canaryFloor(NOON + HOUR).time).toBe(NOON + HOUR);
  });
});
