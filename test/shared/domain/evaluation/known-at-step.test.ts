import { expect, it } from 'vitest';
import { knownAt, measureAt, windowEndOf } from '#shared/domain/evaluation/known-at-step.ts';
import { neededSince, stepNow } from '#shared/domain/evaluation/snapshot.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import {
  aContractRecord,
  anAnsweredRecord,
  aPrice,
  aTimeline,
  aWatch,
  NOON,
} from '#test/support/builders.ts';

const price = (minute: number, given: Partial<PricePoint> = {}) =>
  aPrice('60', { time: NOON + minute * MINUTE, ...given });
const QUANTITY = { metric: 'floor_change_pct.1h', unit: 'eth' } as const;

/** The floors of a window that ends with the reading at minute 40. */
function windowOf(recorded: readonly PricePoint[], since?: number): readonly string[] {
  const { timeline } = anAnsweredRecord('floor', price(40));
  const past = {
    recorded: new Map([['floor' as const, recorded]]),
    since: since === undefined ? undefined : NOON + since * MINUTE,
  };
  const known = knownAt(QUANTITY, timeline.before, past, 'floor', NOON + 40 * MINUTE);
  return (known.get('floor') ?? []).map((point) => {
    const isAfterGap = point.kind === 'price' && point.isAfterGap === true;
    return `${isAfterGap ? 'gap ' : ''}${(point.time - NOON) / MINUTE}`;
  });
}

it('a window contains its recorded prices, the last price before it, and the newest price', () => {
  expect(windowOf([-90, -30, 0, 10, 40].map((minute) => price(minute)))).toEqual([
    ...['-30', '0', '10', '40'],
  ]);
});

it('a window leaves suspects out', () => {
  const recorded = [price(-30), price(10, { observedAs: 'suspect' }), price(20)];

  expect(windowOf(recorded)).toEqual(['-30', '20', '40']);
});

it('a window marks the first floor after a gap', () => {
  const recorded = [-30, 0, 10].map((minute) => price(minute));

  expect([-30, 5, 40, 50].map((since) => windowOf(recorded, since))).toEqual([
    ['gap -30', '0', '10', '40'],
    ['-30', '0', 'gap 10', '40'],
    ['-30', '0', '10', 'gap 40'],
    ['-30', '0', '10', '40'],
  ]);
});

it('a window ends at the time of the new floor of a step, or else at the step', () => {
  const step = stepNow(anAnsweredRecord('floor', price(0)), NOON + HOUR);

  expect(windowEndOf(step, 'floor')).toBe(NOON + HOUR);
  expect(windowEndOf({ ...step, points: { floor: price(30) } }, 'floor')).toBe(NOON + 30 * MINUTE);
});

it('one step may measure a window in several units', () => {
  const step = stepNow(anAnsweredRecord('floor', price(0)), NOON + HOUR);
  const past = { recorded: new Map([['floor' as const, [price(-90)]]]), since: undefined };

  const measures = ['eth', 'sol'].map((unit) =>
    measureAt({ ...QUANTITY, unit }, step, past, 'floor'),
  );

  expect(measures).toMatchObject([{ kind: 'value' }, { kind: 'none' }]);
});

it('recorded prices are needed from the start of the longest window, or of an open episode', () => {
  const record = aContractRecord({ timeline: aTimeline({ floor: price(0) }) });
  const watch = aWatch({ ruleCondition: QUANTITY });
  const open = aWatch({ state: 'firing', firedAt: NOON - 2 * HOUR });

  expect(neededSince(record, 'floor', [aWatch()])).toBeUndefined();
  expect(neededSince(record, 'floor', [watch])).toBe(NOON - 1 - HOUR);
  expect(neededSince(record, 'floor', [watch, open])).toBe(NOON - 2 * HOUR);
  expect(neededSince(record, 'lowest.7d', [watch, open])).toBeUndefined();
});
