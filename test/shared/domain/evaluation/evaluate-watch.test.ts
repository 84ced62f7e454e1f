import { describe, expect, it } from 'vitest';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { evaluateSteps } from '#shared/domain/evaluation/evaluate-watch.ts';
import { NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import type { Next } from '#shared/domain/evaluation/law.ts';
import { type Watch, type WatchState, waitingOf } from '#shared/domain/evaluation/watch.ts';
import { GREATEST } from '#shared/domain/market/decimal.ts';
import { formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { PRICE_SERIES_NAMES, type PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import {
  newTimeline,
  type ReadStep,
  readSteps,
  type Timeline,
} from '#shared/domain/timeline/timeline.ts';
import {
  answeredBy,
  aPrice,
  aTrade,
  aWatch,
  eth,
  NOON,
  stepsOf,
  type WrittenRuleCondition,
} from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const TIME = { now: NOON + HOUR, cadenceMinutes: 30 };
const SALES = { metric: 'lowest_price.7d', unit: 'eth' } as const;

/**
 * The steps of polls a minute apart, each with the lowest sale; "empty" is an empty window of
 * sales.
 */
function salesOf(
  prices: readonly string[],
  answered: readonly PriceSeriesName[] = PRICE_SERIES_NAMES,
): readonly ReadStep[] {
  const timeline = prices.reduce<Timeline>((before, price, index) => {
    const asked = NOON + (index + 1) * MINUTE;
    const sale: Point = price === 'empty' ? { kind: 'empty', time: asked } : aTrade(price, asked);
    return appendPoll(
      before,
      { ...answeredBy(asked, answered), floors: [], latest: { 'lowest.7d': sale } },
      false,
    );
  }, newTimeline(0));
  return readSteps(timeline);
}

const evaluate = (watch: Watch, steps: readonly ReadStep[], time = TIME): Next =>
  evaluateSteps(watch, steps, NO_PAST, time);
const kindsOf = ({ alerts }: Next) => alerts.map(({ kind }) => kind);

const RULES = {
  'below 60': { when: 'below', threshold: eth('60') },
  'below 60 until 70': { when: 'below', threshold: eth('60'), recover: eth('70') },
  'below 60, crossing': { when: 'below', threshold: eth('60'), arm: 'cross' },
  'above 60': { when: 'above', threshold: eth('60') },
  'above 60 until 50': { when: 'above', threshold: eth('60'), recover: eth('50') },
  'above 60, crossing': { when: 'above', threshold: eth('60'), arm: 'cross' },
} as const satisfies Record<string, WrittenRuleCondition>;

type Law = readonly [WatchState, value: string, WatchState, says?: 'fired' | 'recovered'];
const LAWS: readonly (readonly [keyof typeof RULES, readonly Law[]])[] = [
  [
    'below 60',
    [
      ['unknown', '60.000000000000000001', 'ok'],
      ['unknown', '60', 'firing', 'fired'],
      ['unknown', 'empty', 'ok'],
      ['ok', '60.000000000000000001', 'ok'],
      ['ok', '60', 'firing', 'fired'],
      ['ok', '59.999999999999999999', 'firing', 'fired'],
      ['ok', 'empty', 'ok'],
      ['firing', '60', 'firing'],
      ['firing', '1', 'firing'],
      ['firing', '60.000000000000000001', 'ok', 'recovered'],
      ['firing', 'empty', 'ok', 'recovered'],
    ],
  ],
  [
    'below 60 until 70',
    [
      ['unknown', '65', 'ok'],
      ['ok', '60.5', 'ok'],
      ['ok', '60', 'firing', 'fired'],
      ['firing', '69.999999999999999999', 'firing'],
      ['firing', '70', 'ok', 'recovered'],
      ['firing', 'empty', 'ok', 'recovered'],
    ],
  ],
  [
    'below 60, crossing',
    [
      ['unknown', '60', 'disarmed'],
      ['unknown', '61', 'ok'],
      ['unknown', 'empty', 'ok'],
      ['disarmed', '60', 'disarmed'],
      ['disarmed', '1', 'disarmed'],
      ['disarmed', 'empty', 'ok'],
      ['disarmed', '60.000000000000000001', 'ok'],
      ['ok', '60', 'firing', 'fired'],
    ],
  ],
  [
    'above 60',
    [
      ['unknown', '59.999999999999999999', 'ok'],
      ['unknown', '60', 'firing', 'fired'],
      ['unknown', 'empty', 'ok'],
      ['ok', '59.999999999999999999', 'ok'],
      ['ok', '60', 'firing', 'fired'],
      ['ok', 'empty', 'ok'],
      ['firing', '60', 'firing'],
      ['firing', 'empty', 'ok', 'recovered'],
      ['firing', '59.999999999999999999', 'ok', 'recovered'],
    ],
  ],
  [
    'above 60 until 50',
    [
      ['ok', '59.5', 'ok'],
      ['firing', '50.000000000000000001', 'firing'],
      ['firing', '50', 'ok', 'recovered'],
    ],
  ],
  [
    'above 60, crossing',
    [
      ['unknown', '60', 'disarmed'],
      ['disarmed', '60', 'disarmed'],
      ['disarmed', 'empty', 'ok'],
      ['disarmed', '59.999999999999999999', 'ok'],
      ['ok', '60', 'firing', 'fired'],
    ],
  ],
];

it.each(
  LAWS.flatMap(([rule, laws]) =>
    laws.map(([from, value, to, says]) => ({ rule, from, value, to, says: says ?? 'nothing' })),
  ),
)('$rule: $from at $value leads to $to and reports $says', ({ rule, from, value, to, says }) => {
  const firing = from === 'firing' ? { firedAt: NOON, episode: 1, alerts: 1 } : {};
  const watch = aWatch({ ruleCondition: { ...SALES, ...RULES[rule] }, state: from, ...firing });

  const evaluated = evaluate(watch, salesOf([value]));

  expect(evaluated.watch.state).toBe(to);
  expect(evaluated.alerts.map((alert) => [alert.kind, alert.value])).toEqual(
    says === 'nothing' ? [] : [[says, value === 'empty' ? null : value]],
  );
});

it('returns the same watch if no step changes it', () => {
  const watch = aWatch();

  expect(evaluate(watch, stepsOf('61', '62')).watch).toBe(watch);
});

it('reports fired and recovered in order if one evaluation contains both', () => {
  const { watch, alerts } = evaluate(aWatch(), stepsOf('59', '58', '61', '57', '62'));

  expect(alerts.map(({ kind, value, episode }) => [kind, value, episode])).toEqual([
    ['fired', '59', 1],
    ['recovered', '61', 1],
    ['fired', '57', 2],
    ['recovered', '62', 2],
  ]);
  expect(watch).toMatchObject({ state: 'ok', episode: 2, alerts: 4, evaluatedSeq: 5 });
  expect(watch.firedAt).toBeUndefined();
});

it('evaluates each step once', () => {
  const steps = stepsOf('59', '65');
  const { watch } = evaluate(aWatch(), steps);

  expect(evaluate(watch, steps)).toEqual({ watch, alerts: [] });
  expect(evaluate(watch, steps.slice(-1))).toEqual({ watch, alerts: [] });
});

describe('a new watch', () => {
  it.each([
    { asked: 'before the watch was made', since: NOON + MINUTE + 1, state: 'unknown' },
    { asked: 'at that very moment', since: NOON + MINUTE, state: 'unknown' },
    { asked: 'later', since: NOON + MINUTE - 1, state: 'firing' },
  ])(
    'a new watch starts with a poll after its creation: a poll $asked leaves it $state',
    ({ since, state }) => {
      const watch = aWatch({ state: 'unknown', since });

      expect(evaluate(watch, stepsOf('59')).watch.state).toBe(state);
    },
  );

  it('a new watch starts when one poll has answered all series of its rule', () => {
    const watch = aWatch({ state: 'unknown', ruleCondition: SALES });

    expect(evaluate(watch, salesOf(['59'], ['floor'])).watch).toBe(watch);
    expect(evaluate(watch, salesOf(['59'], ['lowest.7d'])).watch.state).toBe('firing');
  });

  it('a new watch stays unknown until a first value is reported', () => {
    const watch = aWatch({ state: 'unknown' });
    const asked = NOON + MINUTE;
    const answers = { ...answeredBy(asked), floors: [], latest: {} };
    const steps = readSteps(appendPoll(newTimeline(0), answers, true));

    expect(steps).toHaveLength(1);
    expect(evaluate(watch, steps).watch).toBe(watch);
  });

  it('the first alert of a new watch has the value before its first poll as the previous value', () => {
    const known = appendPoll(
      newTimeline(0),
      { ...answeredBy(NOON), floors: [aPrice('70')], latest: {} },
      false,
    );
    const floors = ['65', '59'].map((price, index) => {
      return aPrice(price, { time: NOON + (index + 1) * MINUTE });
    });
    const answers = { ...answeredBy(NOON + 2 * MINUTE), floors, latest: {} };
    const steps = readSteps(appendPoll(known, answers, false));

    const { alerts } = evaluate(aWatch({ state: 'unknown', since: NOON + 1 }), steps);

    expect(alerts).toMatchObject([{ kind: 'fired', value: '59', previous: '70' }]);
  });
});

it.each([
  { what: 'another currency', floor: aPrice('1', { currency: 'usdc' }), metric: 'floor_price' },
  { what: 'a price without dollars', floor: aPrice('1'), metric: 'floor_price_usd' },
] as const)('never compares $what with a threshold', ({ floor, metric }) => {
  const unit = metric === 'floor_price' ? 'eth' : 'usd';

  for (const state of ['unknown', 'ok', 'firing', 'disarmed'] as const) {
    const watch = aWatch({ ruleCondition: { metric, unit }, state });
    expect(evaluate(watch, stepsOf(floor)).watch).toBe(watch);
  }
});

it('compares a value in dollars with a threshold in dollars', () => {
  const watch = aWatch({
    ruleCondition: { metric: 'floor_price_usd', unit: 'usd', threshold: eth('200000') },
  });

  const { alerts } = evaluate(watch, stepsOf(aPrice('70', { usd: eth('199999.99') })));

  expect(alerts).toMatchObject([{ value: '199999.99', unit: 'usd', usd: '199999.99' }]);
});

describe('the expiry of a rule', () => {
  it('an expired rule closes its episode with one alert, and sends no more', () => {
    const open = { state: 'firing', firedAt: NOON - HOUR, episode: 1 } as const;
    const watch = aWatch({ expiresAt: NOON, ...open });

    const ended = evaluate(watch, stepsOf('59'));

    const [closed] = ended.alerts;
    expect(closed).toMatchObject({ kind: 'closed', value: null, duration: '1h', episode: 1 });
    expect(closed?.title).toMatch(/^Closed: .* below 60 ETH \(its rule has expired\)$/);
    expect(ended.watch.admin).toBe('expired');
    expect(evaluate(ended.watch, stepsOf('59', '61', '59')).watch).toBe(ended.watch);
  });

  it('a watch that is created after the expiry of its rule expires without an alert', () => {
    const watch = aWatch({ state: 'unknown', since: NOON, expiresAt: NOON });

    const ended = evaluate(watch, stepsOf('59'));

    expect(ended).toMatchObject({ watch: { state: 'unknown', admin: 'expired' }, alerts: [] });
  });
});

it.each(['paused', 'expired'] as const)('does not evaluate a watch that is %s', (admin) => {
  const watch = aWatch({ admin });

  expect(evaluate(watch, stepsOf('59')).watch).toBe(watch);
});

it.each([
  { age: 2 * HOUR, late: false },
  { age: 2 * HOUR + 1, late: true },
])(
  'marks an alert on data $age ms old, at a cadence of 30 minutes, as late: $late',
  ({ age, late }) => {
    const steps = stepsOf(aPrice('59', { time: NOON }));

    const { alerts } = evaluate(aWatch(), steps, { ...TIME, now: NOON + age });

    expect(alerts).toMatchObject([{ late }]);
  },
);

it('includes every member in the alert of a recovery', () => {
  const watch = aWatch({
    state: 'firing',
    firedAt: NOON,
    episode: 3,
    alerts: 5,
    generation: 4,
    evaluatedSeq: 1,
    ruleCondition: RULES['below 60 until 70'],
    presentation: { name: 'CryptoPunks', severity: 'critical' },
  });
  const newest = aPrice('70.5', { time: NOON + 90 * MINUTE, usd: eth('211500.5'), source: 'x2y2' });
  const steps = stepsOf(aPrice('65'), newest);
  const past = { recorded: new Map([['floor' as const, [aPrice('65'), newest]]]) };

  const { alerts } = evaluateSteps(watch, steps, past, { ...TIME, now: NOON + 2 * HOUR });

  expect(alerts.map((alert) => RuleAlert.parse(alert))).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{20}\.4\.6$/),
      kind: 'recovered',
      tenant: 'acme',
      watchlist: 'punks',
      rule: 'floor-60',
      contract: watch.contract,
      name: 'CryptoPunks',
      metric: 'floor_price',
      when: 'below',
      threshold: '60',
      value: '70.5',
      previous: '65',
      unit: 'eth',
      usd: '211500.5',
      dataTime: formatInstant(NOON + 90 * MINUTE),
      late: false,
      source: 'x2y2',
      at: formatInstant(NOON + 2 * HOUR),
      generation: 4,
      episode: 3,
      open: false,
      duration: '90m',
      extreme: '65',
      severity: 'critical',
      label: null,
      title: 'Resolved: CryptoPunks below 60 ETH: now 70.5 ETH, lasted 1 h 30 min',
      facts: expect.arrayContaining([{ name: 'Recovered', value: 'at or above 70 ETH' }]),
    },
  ]);
});

/**
 * A simple second implementation of a rule: the alerts for these values; null is an empty window of
 * sales.
 */
function naively(
  { when, threshold = 0n, recover, arm = 'level' }: WrittenRuleCondition,
  values: readonly (bigint | null)[],
) {
  const side = when === 'below' ? 1n : -1n;
  const isBeyond = (value: bigint) => side * (value - threshold) <= 0n;
  const isBack = (value: bigint) =>
    recover === undefined ? !isBeyond(value) : side * (value - recover) >= 0n;
  const reported: string[] = [];
  let [firing, armed] = [false, arm === 'level'];
  for (const value of values) {
    if (firing && (value === null || isBack(value))) {
      firing = false;
      reported.push('recovered');
    } else if (!firing && armed && value !== null && isBeyond(value)) {
      firing = true;
      reported.push('fired');
    }
    if (value === null || !isBeyond(value)) armed = true;
  }
  return reported;
}

it.each(Array.from({ length: 10 }, (_, seed) => seed))(
  'sends the same alerts as a simple second implementation, each with an id of its own (seed %d)',
  (seed) => {
    const random = createSeededRandom(seed);
    for (let round = 0; round < 20; round += 1) {
      const ruleCondition: WrittenRuleCondition = random.pick(Object.values(RULES));
      const prices = Array.from({ length: 40 }, () =>
        random.pick(['empty', '45', '50', '55', '59', '60', '61', '65', '70', '75']),
      );
      const watch = aWatch({ ruleCondition: { ...SALES, ...ruleCondition }, state: 'unknown' });
      const polls = [...Map.groupBy(salesOf(prices), ({ asked }) => asked).values()];

      const alerts = polls.reduce<Next>(
        (before, steps) => {
          const { watch: after, alerts: more } = evaluate(before.watch, steps);
          return { watch: after, alerts: [...before.alerts, ...more] };
        },
        { watch, alerts: [] },
      ).alerts;

      const values = prices.map((price) => (price === 'empty' ? null : eth(price)));
      expect(alerts.map(({ kind }) => kind)).toEqual(naively(ruleCondition, values));
      expect(new Set(alerts.map(({ id }) => id)).size).toBe(alerts.length);
    }
  },
);

describe('an unknown value', () => {
  const dollars = (...usd: readonly (string | undefined)[]) =>
    stepsOf(
      ...usd.map((amount, index) => {
        const inUsd = amount === undefined ? {} : { usd: eth(amount) };
        return aPrice('60', { time: NOON + (index + 1) * MINUTE, ...inUsd });
      }),
    );

  it.each([
    { state: 'pending', when: 'inside', option: { for: 5 * MINUTE } },
    { state: 'recovering', when: 'outside', option: { keepFor: 5 * MINUTE } },
  ] as const)(
    'if the value is unknown, a watch with a band in state $state is indexed where every value reaches it',
    ({ state, when, option }) => {
      const metric = { metric: 'floor_price_usd', unit: 'usd' } as const;
      const watch = aWatch({
        ruleCondition: { ...metric, ...option, when, low: eth('100'), high: eth('150') },
        ...{ state, stateSince: NOON + MINUTE, evaluatedSeq: 1, position: 'within' },
        ...(state === 'recovering' ? { firedAt: NOON, episode: 1 } : {}),
      });

      const evaluated = evaluate(watch, dollars('120', undefined));

      expect(evaluated.watch.state).toBe(state === 'pending' ? 'ok' : 'firing');
      expect(waitingOf(evaluated.watch)).toEqual({ falling: GREATEST });
    },
  );
});

describe('no sale left', () => {
  it.each([
    { state: 'firing', ruleCondition: RULES['above 60'] },
    { state: 'pending', ruleCondition: { ...RULES['above 60'], for: MINUTE } },
    { state: 'disarmed', ruleCondition: RULES['above 60, crossing'] },
    { state: 'firing', ruleCondition: { when: 'outside', low: eth('50'), high: eth('60') } },
  ] as const)(
    'an empty window of sales ends the state $state of a watch with $ruleCondition.when',
    ({ state, ruleCondition }) => {
      const watch = aWatch({
        ruleCondition: { ...SALES, ...ruleCondition },
        ...{ state, stateSince: NOON, episode: 1 },
        ...(state === 'firing' ? { firedAt: NOON } : {}),
        ...('low' in ruleCondition ? { position: 'over' as const } : {}),
      });

      expect(waitingOf(watch).rising).toBeLessThanOrEqual(GREATEST);
      expect(evaluate(watch, salesOf(['empty'])).watch.state).toBe('ok');
    },
  );

  it('the recovery of an episode of sales says "no recent sale" in its title if the window is empty', () => {
    const watch = aWatch({
      ruleCondition: { ...SALES, ...RULES['above 60'] },
      ...{ state: 'firing', stateSince: NOON, firedAt: NOON, episode: 1 },
    });

    const { alerts } = evaluate(watch, salesOf(['empty']));

    expect(alerts.map(({ title }) => title)).toEqual([
      expect.stringMatching(/^Resolved: .* lowest sale in 7 days .*: no recent sale, lasted/),
    ]);
  });
});

describe('answers for some series of a rule', () => {
  const pending = aWatch({
    ruleCondition: { ...SALES, ...RULES['below 60'], for: 5 * MINUTE },
    ...{ state: 'pending', stateSince: NOON - HOUR },
  });
  const timerStep = (answered: readonly PriceSeriesName[]) =>
    readSteps(
      appendPoll(
        { ...newTimeline(0), before: { 'lowest.7d': aTrade('59', NOON - HOUR) } },
        { ...answeredBy(NOON, answered), floors: [], latest: {} },
        true,
      ),
    );

  it('an answer for other series does not complete a timer of the rule', () => {
    expect(kindsOf(evaluate(pending, timerStep(['floor'])))).toEqual([]);
    expect(kindsOf(evaluate(pending, timerStep(['lowest.7d'])))).toEqual(['fired']);
  });

  it('an answer for other series does not expire the rule', () => {
    const ending = { ...pending, expiresAt: NOON - 1 };

    expect(evaluate(ending, timerStep(['floor'])).watch.admin).toBe('enabled');
    expect(evaluate(ending, timerStep(['lowest.7d'])).watch.admin).toBe('expired');
  });
});
