import { describe, expect, it } from 'vitest';
import { type Circumstances, whySilent } from '#functions/serve-api/watchlists/why-silent.ts';
import type { Silences } from '#shared/domain/alerting/acknowledgement.ts';
import type { MeasuredClause } from '#shared/domain/evaluation/measured-clause.ts';
import { formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import { clausesIn } from '#shared/domain/rules/alert-rule.ts';
import {
  anAnsweredRecord,
  aPrice,
  aWatch,
  aWatchlistBody,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { world } from './world.ts';

type Given = NonNullable<Parameters<typeof aWatch>[0]>;

const FRESH = { state: 'fresh', reason: null } as const;
const value = (text: string): Measure => ({ kind: 'value', value: eth(text) });
const moment = formatInstant(NOON);
const anHourLater = formatInstant(NOON + HOUR);
const acknowledged = (silences: Silences) => ({
  ...{ ...aWatch(), at: NOON + HOUR, by: undefined, silences },
});

/** The explanation of a watch whose conditions measure these values. */
function said(
  given: Given,
  values: readonly Measure[],
  about: Partial<Circumstances> = {},
): string {
  const watch = aWatch({ stateSince: NOON, ...given });
  const readings = clausesIn(watch.ruleCondition).flatMap((clause, index): MeasuredClause[] => {
    const measured = values[index];
    return measured === undefined ? [] : [{ ...clause, measured }];
  });
  const around = { mute: undefined, acknowledgement: undefined, health: FRESH };
  return whySilent(watch, { ...around, readings, ...about });
}

const OTHER = {
  metric: 'lowest_price.7d' as const,
  unit: 'eth',
  condition: { when: 'below' as const, threshold: eth('55') },
};
const band = { low: eth('50'), high: eth('60') };

describe('why a watch is silent', () => {
  it.each<readonly [sentence: string, given: Given, reported: string | undefined]>([
    ['Floor price 61.2 ETH is above the threshold of 60 ETH.', {}, '61.2'],
    [
      'Floor price 59 ETH is below the threshold of 60 ETH.',
      { ruleCondition: { when: 'above' } },
      '59',
    ],
    [
      'Floor price $1,900.00 is above the threshold of $1,800.00.',
      { ruleCondition: { metric: 'floor_price_usd', unit: 'usd', threshold: eth('1800') } },
      '1900',
    ],
    [
      'Floor price 55 ETH is inside the band from 50 ETH to 60 ETH.',
      { ruleCondition: { when: 'outside', ...band } },
      '55',
    ],
    [
      'Floor price 61 ETH is outside the band from 50 ETH to 60 ETH.',
      { ruleCondition: { when: 'inside', ...band } },
      '61',
    ],
    [
      'Floor price 61 ETH is above the threshold of 60 ETH. The rule fires when the value crosses the threshold.',
      { ruleCondition: { when: 'crosses' }, position: 'over' },
      '61',
    ],
    [
      'Age of the floor price 5 min is below the threshold of 6 h.',
      {
        ruleCondition: {
          ...{ metric: 'data_age_minutes', unit: 'minutes', when: 'above' },
          threshold: eth('360'),
        },
      },
      '5',
    ],
    ['The newest value meets the condition, but has not been evaluated yet.', {}, '59'],
    [
      'The condition already held when the rule started. The rule waits for a new crossing, because `arm` is `cross`.',
      { state: 'disarmed' },
      '59',
    ],
    [
      `The condition has held since ${moment}. The rule fires if it holds until ${anHourLater}.`,
      { state: 'pending', ruleCondition: { for: HOUR } },
      '59',
    ],
    [
      `The condition has held since ${moment}. The rule expires on ${anHourLater}, before it has held long enough.`,
      { state: 'pending', ruleCondition: { for: HOUR }, expiresAt: NOON + HOUR },
      '59',
    ],
    [
      'The rule has 2 of 3 confirmations among the last 5 observations.',
      {
        state: 'pending',
        recentSamples: [true, false, true].map((beyond, time) => ({ time, beyond })),
        ruleCondition: { confirm: { times: 3, of: 5 } },
      },
      '59',
    ],
    [
      `The rule fired on ${moment} and sent an alert. The next alert is sent when the rule recovers above 60 ETH.`,
      { state: 'firing', firedAt: NOON },
      '59',
    ],
    [
      `The rule fired on ${moment} and sent an alert. The next alert is sent when the rule recovers at or above 70 ETH, or when the value moves further below the threshold, to 54 ETH, or when the next reminder is due (${anHourLater}).`,
      {
        ...{ state: 'firing', firedAt: NOON, lastReported: eth('60') },
        ruleCondition: { recover: eth('70') },
        repeatPolicy: { repeat: 'every', reminder: HOUR, steps: eth('10') },
      },
      '59',
    ],
    [
      `The rule fired on ${moment} and sent an alert. No alert is sent when the rule recovers, because \`notifyRecovery\` is false.`,
      { state: 'firing', firedAt: NOON, presentation: { notifyRecovery: false } },
      '59',
    ],
    [
      `The recovery condition has been met since ${moment}. The episode ends if that holds until ${anHourLater}.`,
      { state: 'recovering', ruleCondition: { keepFor: HOUR } },
      '61',
    ],
    [
      'The rule ended after its first episode because `repeat` is `once`. Change its condition to start it again.',
      { state: 'ended' },
      '59',
    ],
    ['The rule is paused: `enabled` is false.', { admin: 'paused' }, '61'],
    [
      `The rule expired on ${moment}: \`expiresAt\` has passed.`,
      { admin: 'expired', expiresAt: NOON },
      '61',
    ],
    [
      `The rule starts at the first successful poll after ${moment}.`,
      { state: 'unknown', since: NOON },
      undefined,
    ],
  ])('a silent watch is explained by its state: "%s"', (sentence, given, reported) => {
    expect(said(given, reported === undefined ? [] : [value(reported)])).toBe(sentence);
  });

  it('an explanation names the unmet condition if not all conditions hold', () => {
    expect(said({ ruleCondition: { also: [OTHER] } }, [value('59'), value('57')])).toBe(
      'At least one of the 2 conditions does not hold: Lowest sale in 7 days 57 ETH is above the threshold of 55 ETH.',
    );
  });

  const collecting = {
    state: 'waiting',
    reason: 'the provider is still indexing this contract',
  } as const;
  const stale = { state: 'stale', reason: 'the provider did not respond in time' } as const;
  it.each<
    readonly [sentence: string, given: Given, measured: Measure, about: Partial<Circumstances>]
  >([
    [
      'No data yet: the provider is still indexing this contract.',
      { state: 'unknown' },
      { kind: 'none', why: 'no_data' },
      { health: collecting },
    ],
    [
      'There is no value to compare: no sale in the last 7 days.',
      { ruleCondition: { metric: 'lowest_price.7d' } },
      { kind: 'none', why: 'no_sale' },
      { health: { state: 'fresh', reason: 'no sale in the last 7 days' } },
    ],
    [
      'Floor price 61 ETH is above the threshold of 60 ETH. The data are stale: the provider did not respond in time.',
      {},
      value('61'),
      { health: stale },
    ],
    [
      `Floor price 61 ETH is above the threshold of 60 ETH. The rule is muted: its alerts are held until ${anHourLater}.`,
      {},
      value('61'),
      { mute: { until: NOON + HOUR } },
    ],
    [
      `The rule fired on ${moment} and sent an alert. The next alert is sent when the rule recovers above 60 ETH. Its reminders are silenced, because the episode was acknowledged on ${anHourLater}.`,
      { state: 'firing', firedAt: NOON },
      value('59'),
      { acknowledgement: acknowledged('reminders') },
    ],
    [
      `The rule fired on ${moment} and sent an alert. The next alert is sent when the rule recovers above 60 ETH. Its reminders and worsening alerts are silenced, because the episode was acknowledged on ${anHourLater}.`,
      {
        ...{ state: 'firing', firedAt: NOON, lastReported: eth('59') },
        repeatPolicy: { repeat: 'every', steps: eth('1') },
      },
      value('59'),
      { acknowledgement: acknowledged('worsening') },
    ],
    [
      'The rule is paused: `enabled` is false.',
      { admin: 'paused' },
      value('61'),
      { health: stale },
    ],
    [
      'The rule cannot start: the provider reports the price in eth, but the unit of the rule is doge.',
      { state: 'unknown' },
      { kind: 'none', why: 'other_unit' },
      {
        health: {
          state: 'disputed',
          reason: 'the provider reports the price in eth, but the unit of the rule is doge',
        },
      },
    ],
    [
      `The rule fired on ${moment}. The next alert is sent when the rule recovers above 60 ETH. The rule is muted: its alerts are held until ${anHourLater}.`,
      { state: 'firing', firedAt: NOON },
      value('59'),
      { mute: { until: NOON + HOUR } },
    ],
    [
      `The rule fired on ${moment}. The next alert is sent when the rule recovers above 60 ETH. The rule is muted until its episode ends, or until ${anHourLater} at the latest: alerts of the episode are held, but the recovery alert is sent.`,
      {
        ...{ state: 'firing', firedAt: NOON, lastReported: eth('59') },
        repeatPolicy: { repeat: 'every', steps: eth('1') },
      },
      value('59'),
      { mute: { until: NOON + HOUR, episodes: [] } },
    ],
    [
      `The rule fired on ${moment} and sent an alert. The next alert is sent when the rule recovers above 60 ETH. Its reminders are silenced, because the episode was acknowledged on ${anHourLater}.`,
      { state: 'firing', firedAt: NOON },
      value('59'),
      { acknowledgement: acknowledged('reminders') },
    ],
    [
      `The rule fired on ${moment} and sent an alert. The next alert is sent when the rule recovers above 60 ETH. Its reminders and worsening alerts are silenced, because the episode was acknowledged on ${anHourLater}.`,
      {
        ...{ state: 'firing', firedAt: NOON, lastReported: eth('59') },
        repeatPolicy: { repeat: 'every', steps: eth('1') },
      },
      value('59'),
      { acknowledgement: acknowledged('worsening') },
    ],
    [
      'The rule is paused: `enabled` is false.',
      { admin: 'paused' },
      value('61'),
      { health: stale },
    ],
    [
      'The rule cannot start: the provider reports the price in eth, but the unit of the rule is doge.',
      { state: 'unknown' },
      { kind: 'none', why: 'other_unit' },
      {
        health: {
          state: 'disputed',
          reason: 'the provider reports the price in eth, but the unit of the rule is doge',
        },
      },
    ],
    [
      `The rule fired on ${moment} and sent an alert. The next alert is sent when the rule recovers above 60 ETH. Its reminders are silenced, because the episode was acknowledged on ${anHourLater}.`,
      { ...{ state: 'firing', firedAt: NOON }, repeatPolicy: { repeat: 'every', reminder: HOUR } },
      value('59'),
      { acknowledgement: acknowledged('reminders') },
    ],
  ])(
    'a silent watch is explained by its circumstances: "%s"',
    (sentence, given, measured, about) => {
      expect(said(given, [measured], about)).toBe(sentence);
    },
  );
});

describe('the explanation of a watch', () => {
  const path = (rule = 'floor-60', contract: string = PUNKS) => ({
    path: { watchlist: 'punks', contract, rule },
  });
  const explain = 'GET punks/watches/{contract}/{rule}/explain';

  async function explained(given: Given = {}) {
    const made = world();
    await made.ask('POST', { body: aWatchlistBody() });
    await made.watches.put(aWatch({ ...given, version: 0 }));
    const floor = aPrice('61.2', { usd: eth('180000'), source: 'opensea' });
    await made.contracts.put({ ...anAnsweredRecord('floor', floor), version: 0 });
    return made;
  }

  it('the explanation of a watch has its values, the values that it waits for, and its next evaluation', async () => {
    const { ask } = await explained({ ruleCondition: { recover: eth('70') } });

    const { status, body } = await ask(explain, path());

    const listed = (await ask('GET punks/watches')).body.watches[0];
    expect(status).toBe(200);
    expect(body).toEqual({
      ...listed,
      why: 'Floor price 61.2 ETH is above the threshold of 60 ETH.',
      forecast: {
        code: 'rests',
        text: 'Floor price 61.2 ETH is above the threshold of 60 ETH. The rule waits until its condition is met.',
        at: null,
        conditions: [
          {
            metric: 'floor_price',
            condition: 'at or below 60 ETH',
            unit: 'eth',
            value: '61.2',
            beyond: false,
          },
        ],
      },
      waitsForInWords: 'at or below 60 ETH',
      reported: [
        {
          series: 'floor',
          price: '61.2',
          currency: 'eth',
          usd: '180000',
          dataTime: moment,
          source: 'opensea',
          answeredAt: moment,
        },
      ],
      nextEvaluation: {
        pollAt: expect.stringMatching(/^2026-11-21T12:\d\d:00.000Z$/),
        cadenceMinutes: 30,
        wakeAt: null,
      },
    });
  });

  it.each<readonly [words: string | null, given: Given]>([
    ['at or above 70 ETH', { state: 'firing', ruleCondition: { recover: eth('70') } }],
    ['above 60 ETH', { state: 'firing' }],
    [
      'below 50 ETH or above 60 ETH',
      { position: 'within', ruleCondition: { when: 'outside', ...band } },
    ],
    ['any new observation', { state: 'unknown' }],
    [
      'a value at which one of the conditions no longer holds',
      { state: 'firing', ruleCondition: { also: [OTHER] } },
    ],
    [null, { state: 'ended' }],
    [null, { admin: 'paused' }],
  ])(
    'the explanation of a watch describes the values that it waits for as "%s"',
    async (words, given) => {
      const { ask } = await explained(given);

      expect((await ask(explain, path())).body.waitsForInWords).toBe(words);
    },
  );

  it('the explanation of a watch has the time at which its timer expires', async () => {
    const { ask } = await explained({
      ...{ state: 'pending', stateSince: NOON, ruleCondition: { for: 5 * MINUTE } },
    });

    const { nextEvaluation } = (await ask(explain, path())).body;

    expect(nextEvaluation.wakeAt).toBe(formatInstant(NOON + 5 * MINUTE));
  });

  it('the explanation of a watch reports that its rule is not applied yet', async () => {
    const { ask, watches } = await explained();
    await watches.delete((await watches.get(aWatch())) ?? aWatch());

    const { status, body } = await ask(explain, path());

    expect([status, body.state]).toEqual([200, null]);
    expect(body.why).toBe(
      'The latest change of the list is still being applied to this contract. Try again in a minute.',
    );
  });

  it.each([
    path('other'),
    path('floor-60', 'eth:0x1'),
    path('floor-60', `eth:0x${'1'.repeat(40)}`),
    { ...path(), tenant: 'umbrella' },
  ])('a request for the explanation of a missing watch returns 404: %j', async (about) => {
    const { ask } = await explained();

    expect((await ask(explain, about)).status).toBe(404);
  });
});
