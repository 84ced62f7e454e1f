import { describe, expect, it } from 'vitest';
import { CANARY, CANARY_LINE, canaryFloor } from '#shared/domain/market/canary.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { withCanary } from '#shared/providers/with-canary.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import { NOON, PUNKS } from '#test/support/builders.ts';

const MIDNIGHT = NOON - (NOON % DAY);
const { signal } = new AbortController();
const QUERY = { interval: '1d' } as const;

describe('a provider', () => {
  const asked: string[] = [];
  const provider = withCanary<Required<Pick<Upstream, 'floorHistory'>>>(
    {
      floorHistory: async ({ address }) => {
        asked.push(address);
        return { kind: 'empty' };
      },
    },
    { now: () => NOON },
  );

  it('is not asked about the canary, whose floor is known', async () => {
    expect(await provider.floorHistory(contractOf(CANARY), QUERY, signal)).toEqual({
      kind: 'ok',
      value: { points: [canaryFloor(NOON)] },
    });
    expect(asked).toEqual([]);
  });

  it('is asked about everything else', async () => {
    const punks = contractOf(PUNKS);

    expect(await provider.floorHistory(punks, QUERY, signal)).toEqual({ kind: 'empty' });
    expect(asked).toEqual([punks.address]);
  });

  it('of sales alone has no floor of the canary either', () => {
    expect(withCanary<Upstream>({}, { now: () => NOON })).toEqual({});
  });
});

describe('the floor of the canary', () => {
  it('crosses its line each midnight, and lies still in between', () => {
    const line = readDecimal(CANARY_LINE) ?? 0n;
    const isBelow = (at: number) => canaryFloor(at).price < line;

    for (const day of [0, 1, 2, 3]) {
      const begin = MIDNIGHT + day * DAY;
      expect(isBelow(begin)).toBe(isBelow(begin + DAY - 1));
      expect(isBelow(begin)).not.toBe(isBelow(begin + DAY));
    }
  });

  it('is observed anew each hour, and never in the future', () => {
    expect(canaryFloor(NOON + 59 * MINUTE).time).toBe(NOON);
    expect(canaryFloor(NOON + HOUR).time).toBe(NOON + HOUR);
  });
});
