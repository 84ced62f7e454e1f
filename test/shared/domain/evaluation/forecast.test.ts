import { describe, expect, it } from 'vitest';
import { forecastOf } from '#shared/domain/evaluation/forecast.ts';
import { NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { forecastView } from '#shared/http/forecast-view.ts';
import {
  anAnsweredRecord,
  answeredBy,
  aPrice,
  aWatch,
  eth,
  NOON,
  type WrittenRuleCondition,
} from '#test/support/builders.ts';

const time = { now: NOON, cadenceMinutes: 30 };
const fresh = { state: 'unknown', since: NOON } as const;

/** The forecast of a watch if this is the newest point. */
function forecast(given: Parameters<typeof aWatch>[0], point: string | Point = aPrice('59')) {
  const record = anAnsweredRecord('floor', typeof point === 'string' ? aPrice(point) : point);
  return forecastView(forecastOf(aWatch(given), { record, past: NO_PAST }, time));
}

const ruleCondition = (given: WrittenRuleCondition) => ({ ...fresh, ruleCondition: given });
const both: WrittenRuleCondition = {
  also: [
    {
      metric: 'floor_price_usd',
      unit: 'usd',
      condition: { when: 'below', threshold: eth('200000') },
    },
  ],
};

describe('forecastOf', () => {
  it.each([
    [
      '59',
      'fires',
      /^Floor price 59 ETH is below .*\. The rule fires at the next poll unless the value no longer meets the condition by then\.$/,
      ruleCondition({}),
    ],
    [
      '61',
      'rests',
      /^Floor price 61 ETH is above .*\. The rule waits until its condition is met\.$/,
      ruleCondition({}),
    ],
    ['59', 'waits_for_crossing', /because `arm` is `cross`/, ruleCondition({ arm: 'cross' })],
    ['59', 'must_hold', /holds until 2026-11-21T13:00:00\.000Z/, ruleCondition({ for: HOUR })],
    [
      '59',
      'must_hold',
      /expires on 2026-11-21T12:30:00\.000Z, before the condition has held long enough/,
      { ...ruleCondition({ for: HOUR }), expiresAt: NOON + HOUR / 2 },
    ],
    [
      '59',
      'must_be_confirmed',
      /0 of 2 .* last 3/,
      ruleCondition({ confirm: { times: 2, of: 3 } }),
    ],
    [
      '59',
      'must_be_confirmed',
      /1 of 2 .* last 3/,
      {
        state: 'pending',
        recentSamples: [{ time: NOON, beyond: true }],
        ruleCondition: { confirm: { times: 2, of: 3 } },
      },
    ],
    ['59', 'rests', /is below the threshold/, ruleCondition({ when: 'crosses' })],
    ['59', 'not_evaluated', /in the rule's currency/, ruleCondition({ unit: 'usdc' })],
    [
      '59',
      'not_evaluated',
      /in dollars/,
      ruleCondition({ metric: 'floor_price_usd', unit: 'usd' }),
    ],
    [
      '59',
      'not_evaluated',
      /before the start of the window/,
      ruleCondition({ metric: 'floor_change_pct.24h' }),
    ],
    [
      '59',
      'fires',
      /the band/,
      ruleCondition({ when: 'outside', low: eth('60'), high: eth('70') }),
    ],
    ['59', 'firing', /has fired/, { state: 'firing', firedAt: NOON, episode: 1 }],
    ['59', 'ended', /because `repeat` is `once`/, { state: 'ended' }],
    ['59', 'paused', /`enabled` is false/, { admin: 'paused' }],
    ['59', 'expired', /`expiresAt`/, { admin: 'expired' }],
  ] as const)('forecasts for a price of %s: %s, %s', (price, code, text, given) => {
    expect(forecast(given, price)).toMatchObject({ code, text: expect.stringMatching(text) });
  });

  it('a floor whose evaluation is pending is included in the forecast', () => {
    const known = anAnsweredRecord('floor', aPrice('59', { time: NOON - HOUR }));
    const floors = [aPrice('61', { time: NOON - 1 })];
    const answers = { ...answeredBy(NOON - 1, ['floor']), floors, latest: {} } as const;
    const record = { ...known, timeline: appendPoll(known.timeline, answers, false) };
    const watch = aWatch({ state: 'firing', firedAt: NOON - HOUR, episode: 1 });

    expect(forecastOf(watch, { record, past: NO_PAST }, time)).toMatchObject({
      code: 'recovers',
      text: expect.stringMatching(/^Floor price 61 ETH is above .*ends at the next poll/),
    });
  });

  it('a watch without any answer has the forecast "first answer"', () => {
    const reported = forecastView(
      forecastOf(aWatch(fresh), { record: undefined, past: NO_PAST }, time),
    );

    expect(reported).toEqual({
      code: 'first_answer',
      text: 'Waiting for the first price.',
      at: null,
      conditions: [
        {
          metric: 'floor_price',
          condition: 'at or below 60 ETH',
          unit: 'eth',
          value: null,
          beyond: null,
        },
      ],
    });
  });

  it('reports each joint condition, and the first one that does not hold', () => {
    const point = aPrice('59', { usd: eth('250000') });

    expect(forecast(ruleCondition(both), point)).toMatchObject({
      code: 'rests',
      text: expect.stringMatching(
        /^At least one of the 2 conditions does not hold: Floor price \$250,000/,
      ),
      conditions: [{ beyond: true }, { beyond: false, value: '250000' }],
    });
    expect(forecast(ruleCondition(both), { ...point, usd: eth('150000') })).toMatchObject({
      code: 'fires',
      text: 'All 2 conditions hold. The rule fires at the next poll unless the value no longer meets the condition by then.',
    });
  });

  it('reports when the data become too old if no new price arrives', () => {
    const age = { metric: 'data_age_minutes', unit: 'minutes', when: 'above' } as const;
    const given = { ...fresh, ruleCondition: { ...age, threshold: eth('90') } };
    const old = aPrice('59', { time: NOON - HOUR });

    expect(forecast(given, old)).toMatchObject({ code: 'rests', at: '2026-11-21T12:30:00.000Z' });
  });

  it.each<[string, WrittenRuleCondition]>([
    ['its condition is', { metric: 'lowest_price.7d' }],
    ['all its conditions are', { metric: 'lowest_price.7d', ...both }],
  ])(
    'without a sale in the window, a rule waits until %s met, not for any sale',
    (when, condition) => {
      const record = anAnsweredRecord('lowest.7d', { kind: 'empty', time: NOON });
      const watch = aWatch({ ...fresh, ruleCondition: condition });

      const reported = forecastOf(watch, { record, past: NO_PAST }, time);

      expect(reported).toMatchObject({
        code: 'rests',
        text: expect.stringMatching(
          new RegExp(`^There is no sale in .*\\. The rule waits until ${when} met\\.$`),
        ),
      });
    },
  );
});
