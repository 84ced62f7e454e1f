import { describe, expect, it } from 'vitest';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { evaluateWatch } from '#shared/domain/evaluation/evaluate-watch.ts';
import { emptied } from '#shared/domain/evaluation/outbox.ts';
import { partSnapshot, type Snapshot } from '#shared/domain/evaluation/snapshot.ts';
import {
  thresholdIndexOf,
  type Watch,
  type WatchState,
  waitingOf,
} from '#shared/domain/evaluation/watch.ts';
import { GREATEST } from '#shared/domain/market/decimal.ts';
import { formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Observation, PricePoint } from '#shared/domain/market/point.ts';
import { absorbAnswers } from '#shared/domain/polling/absorb-answers.ts';
import { ALL } from '#shared/domain/rules/threshold-index.ts';
import {
  aContractRecord,
  anObservation,
  aPrice,
  aWatch,
  eth,
  NOON,
  someSnapshot,
  type WrittenRuleCondition,
} from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const TIME = { now: NOON + HOUR, cadenceMinutes: 30 };

/** What an evaluation knows after an answer that brought these observations. */
function snapshotOf(observations: readonly Observation[], answeredAt = NOON): Snapshot {
  return someSnapshot(
    { newest: observations.at(-1), unevaluated: observations, answeredAt },
    observations.at(-1)?.part,
  );
}

/** What an evaluation knows when the newest observation has been evaluated by another. */
function evaluatedBefore(newest: Observation): Snapshot {
  return someSnapshot({ newest, unevaluated: [], answeredAt: NOON }, newest.part);
}

/** An evaluation of prices in ETH, numbered from 1 on; "empty" is "no sale left". */
function evaluation(watch: Watch, prices: readonly string[], first = 1): Watch {
  const observations = prices.map((price, index) => point(first + index, price));
  return evaluateWatch(watch, snapshotOf(observations), TIME);
}

const point = (seq: number, price: string) =>
  anObservation(seq, price === 'empty' ? { kind: 'empty', time: NOON + seq * MINUTE } : price);
const said = (watch: Watch) => watch.outbox.map(({ kind }) => kind);

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
)('$rule: $from at $value leads to $to and says $says', ({ rule, from, value, to, says }) => {
  const firing = from === 'firing' ? { firedAt: NOON, episode: 1, alerts: 1 } : {};
  const watch = aWatch({ ruleCondition: RULES[rule], state: from, ...firing });

  const evaluated = evaluation(watch, [value]);

  expect(evaluated.state).toBe(to);
  expect(evaluated.outbox.map((alert) => [alert.kind, alert.value])).toEqual(
    says === 'nothing' ? [] : [[says, value === 'empty' ? null : value]],
  );
});

it('gives back the same watch when nothing moves', () => {
  const watch = aWatch();

  expect(evaluation(watch, ['61', '62'])).toBe(watch);
});

it('reports fired and recovered in order when one evaluation meets both', () => {
  const watch = aWatch();

  const evaluated = evaluation(watch, ['59', '58', '61', '57', '62']);

  expect(evaluated.outbox.map(({ kind, value, episode }) => [kind, value, episode])).toEqual([
    ['fired', '59', 1],
    ['recovered', '61', 1],
    ['fired', '57', 2],
    ['recovered', '62', 2],
  ]);
  expect(evaluated).toMatchObject({ state: 'ok', episode: 2, alerts: 4, evaluatedSeq: 5 });
  expect(evaluated.firedAt).toBeUndefined();
});

it('evaluates no observation twice, whatever a repeated evaluation brings again', () => {
  const fired = evaluation(aWatch(), ['59', '65']);

  const again = evaluation(fired, ['59', '65']);
  const onlyNewest = evaluateWatch(fired, evaluatedBefore(point(2, '65')), TIME);

  expect(again).toBe(fired);
  expect(onlyNewest).toBe(fired);
});

it('meets the newest point even when another evaluation took it off the unevaluated', () => {
  const snapshot = evaluatedBefore(point(3, '59'));

  const evaluated = evaluateWatch(aWatch({ evaluatedSeq: 2 }), snapshot, TIME);

  expect(said(evaluated)).toEqual(['fired']);
});

it.each([
  { asked: 'before the watch came to be', answeredAt: NOON - 1, state: 'unknown' },
  { asked: 'at that very moment', answeredAt: NOON, state: 'unknown' },
  { asked: 'later', answeredAt: NOON + 1, state: 'firing' },
])('starts with an answer asked for after it: $asked gives $state', ({ answeredAt, state }) => {
  const watch = aWatch({ state: 'unknown', since: NOON });

  const evaluated = evaluateWatch(watch, snapshotOf([point(7, '59')], answeredAt), TIME);

  expect(evaluated.state).toBe(state);
});

it.each([undefined, NOON + 1])(
  'waits while nothing has ever been seen (asked: %s)',
  (answeredAt) => {
    const watch = aWatch({ state: 'unknown', since: NOON });

    const nothing = someSnapshot({ newest: undefined, unevaluated: [], answeredAt });

    expect(evaluateWatch(watch, nothing, TIME)).toBe(watch);
  },
);

it('starts a new watch with the newest point alone, whatever its number', () => {
  const watch = aWatch({ state: 'unknown' });

  const evaluated = evaluation(watch, ['59', '61'], 8);

  expect(evaluated).toMatchObject({ state: 'ok', evaluatedSeq: 9, outbox: [] });
});

it.each([
  { what: 'another currency', point: aPrice('1', { currency: 'usdc' }), metric: 'floor_price' },
  { what: 'no USD', point: aPrice('1'), metric: 'floor_price_usd' },
] as const)('never compares $what with a threshold', ({ point: foreign, metric }) => {
  const unit = metric === 'floor_price' ? 'eth' : 'usd';
  const observations = [anObservation(1, foreign)];

  for (const state of ['unknown', 'ok', 'firing', 'disarmed'] as const) {
    const watch = aWatch({ ruleCondition: { metric, unit }, state });
    expect(evaluateWatch(watch, snapshotOf(observations), TIME)).toBe(watch);
  }
});

it('compares dollars with a threshold in dollars', () => {
  const watch = aWatch({
    ruleCondition: { metric: 'floor_price_usd', unit: 'usd', threshold: eth('200000') },
  });
  const observation = anObservation(1, aPrice('70', { usd: eth('199999.99') }));

  const evaluated = evaluateWatch(watch, snapshotOf([observation]), TIME);

  expect(evaluated.outbox[0]).toMatchObject({ value: '199999.99', unit: 'usd', usd: '199999.99' });
});

describe('the end of a rule', () => {
  const END = NOON;
  const watch = aWatch({ expiresAt: END, since: NOON - 3 * HOUR, evaluatedSeq: 0 });
  const at = (time: number, answeredAt: number, price = '59') =>
    evaluateWatch(watch, snapshotOf([anObservation(1, aPrice(price, { time }))], answeredAt), TIME);

  it('what happened before it is evaluated, however late it is polled', () => {
    const evaluated = at(END - MINUTE, END + HOUR);

    expect(evaluated.outbox.map(({ kind, dataTime }) => [kind, dataTime])).toEqual([
      ['fired', formatInstant(END - MINUTE)],
      ['closed', formatInstant(END)],
    ]);
  });

  it('a watch that begins after it has ended with the answer that was there', () => {
    const begun = aWatch({ state: 'unknown', expiresAt: END, since: END + 2 * MINUTE });
    const snapshot = snapshotOf([point(1, '59')], END + MINUTE);

    const evaluated = evaluateWatch(begun, snapshot, TIME);

    expect(evaluated).toMatchObject({ state: 'unknown', admin: 'expired', outbox: [] });
  });

  it.each([{ time: END }, { time: END + 1 }])(
    'what comes then or later is not ($time)',
    ({ time }) => {
      expect(said(at(time, END + HOUR))).toEqual([]);
    },
  );

  it('comes with an answer asked for then or later, and not before', () => {
    const [before, then] = [at(END - HOUR, END - 1, '61'), at(END - HOUR, END, '61')];

    expect([before.admin, then.admin]).toEqual(['enabled', 'expired']);
  });

  it('closes an open episode, and says so once', () => {
    const open = {
      state: 'firing',
      stateSince: NOON - HOUR,
      firedAt: NOON - HOUR,
      episode: 1,
    } as const;
    const firing = { ...watch, ...open, evaluatedSeq: 1 };
    const snapshot = snapshotOf([anObservation(1, aPrice('59', { time: NOON - HOUR }))], END);

    const ended = evaluateWatch(firing, snapshot, TIME);

    const [closed] = ended.outbox;
    expect(closed).toMatchObject({ kind: 'closed', value: null, duration: '1h', episode: 1 });
    expect(closed?.title).toMatch(/^Closed: .* below 60 ETH: its rule has expired$/);
    expect(evaluateWatch(ended, snapshot, TIME)).toBe(ended);
  });
});

it.each(['paused', 'expired'] as const)('leaves a watch that is %s alone', (admin) => {
  const watch = aWatch({ admin });

  expect(evaluation(watch, ['59'])).toBe(watch);
});

it('ends an episode in silence where the rule wants no word of it', () => {
  const watch = aWatch({ presentation: { notifyRecovery: false } });

  const evaluated = evaluation(watch, ['59', '61']);

  expect(said(evaluated)).toEqual(['fired']);
  expect(evaluated.state).toBe('ok');
});

it.each([
  { age: 2 * HOUR, late: false },
  { age: 2 * HOUR + 1, late: true },
])('marks data $age ms old, at a cadence of 30 minutes, late: $late', ({ age, late }) => {
  const observation = anObservation(1, aPrice('59', { time: NOON }));

  const evaluated = evaluateWatch(aWatch(), snapshotOf([observation]), {
    ...TIME,
    now: NOON + age,
  });

  expect(evaluated.outbox[0]?.late).toBe(late);
});

it('keeps the timer of an outbox that is still waiting', () => {
  const fresh = evaluation(aWatch(), ['59']);
  const waiting = evaluation(aWatch({ outboxDueAt: NOON }), ['59']);

  expect(fresh.outboxDueAt).toBe(TIME.now + 2 * MINUTE);
  expect(waiting.outboxDueAt).toBe(NOON);
});

it('reports all that is known of a recovery, every member present', () => {
  const watch = aWatch({
    state: 'firing',
    firedAt: NOON,
    episode: 3,
    alerts: 5,
    generation: 4,
    ruleCondition: RULES['below 60 until 70'],
    presentation: { name: 'CryptoPunks', severity: 'critical' },
  });
  const previous = aPrice('65');
  const newest = aPrice('70.5', { time: NOON + 90 * MINUTE, usd: eth('211500.5'), source: 'x2y2' });
  const snapshot = snapshotOf([anObservation(6, newest, { previous })]);

  const [alert] = evaluateWatch(watch, snapshot, { ...TIME, now: NOON + 2 * HOUR }).outbox;

  expect(RuleAlert.parse(alert)).toEqual({
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
    title: 'Resolved: CryptoPunks below 60 ETH: 70.5 ETH, lasted 1 h 30 min',
    facts: expect.arrayContaining([{ name: 'Recovered', value: 'at or above 70 ETH' }]),
  });
});

/** The rule read aloud: what it says at each value, null being "no sale left". */
function naively(
  { when, threshold = 0n, recover, arm = 'level' }: WrittenRuleCondition,
  values: readonly (bigint | null)[],
) {
  const side = when === 'below' ? 1n : -1n;
  const isBeyond = (value: bigint) => side * (value - threshold) <= 0n;
  const isBack = (value: bigint) =>
    recover === undefined ? !isBeyond(value) : side * (value - recover) >= 0n;
  const said: string[] = [];
  let [firing, armed] = [false, arm === 'level'];
  for (const value of values) {
    if (firing && (value === null || isBack(value))) {
      firing = false;
      said.push('recovered');
    } else if (!firing && armed && value !== null && isBeyond(value)) {
      firing = true;
      said.push('fired');
    }
    if (value === null || !isBeyond(value)) armed = true;
  }
  return said;
}

it.each(Array.from({ length: 20 }, (_, seed) => seed))(
  'says what the rule read aloud says, however points fall into evaluations (seed %d)',
  (seed) => {
    const random = createSeededRandom(seed);
    for (let round = 0; round < 50; round += 1) {
      const ruleCondition: WrittenRuleCondition = random.pick(Object.values(RULES));
      const prices = Array.from({ length: 40 }, () =>
        random.pick(['empty', '45', '50', '55', '59', '60', '61', '65', '70', '75']),
      );
      const observations = prices.map((price, index) => point(index + 1, price));
      let watch = aWatch({ ruleCondition, state: 'unknown' });
      const taken: RuleAlert[] = [];
      let seen = 0;
      while (seen < observations.length) {
        const from = random.below(seen + 1);
        seen += seen === 0 ? 1 : 1 + random.below(5);
        const snapshot = snapshotOf(observations.slice(from, seen));
        watch = evaluateWatch(watch, snapshot, TIME);
        expect(evaluateWatch(watch, snapshot, TIME)).toBe(watch);
        taken.push(...watch.outbox);
        watch = emptied(watch);
      }

      const values = prices.map((price) => (price === 'empty' ? null : eth(price)));
      expect(taken.map(({ kind }) => kind)).toEqual(naively(ruleCondition, values));
      expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
    }
  },
);

it('gives the same alerts with the same ids when all is evaluated again', () => {
  const prices = ['61', '59', '61', '58', '70'];
  const watch = aWatch({ state: 'unknown' });

  const [once, again] = [1, 2].map(() =>
    prices.reduce((evaluated, price, index) => evaluation(evaluated, [price], index + 1), watch),
  );

  expect(once?.outbox).toHaveLength(4);
  expect(again?.outbox).toEqual(once?.outbox);
});

it('begins with what was reported last of one time, and returns what was reported before it', () => {
  const discount = { metric: 'sale_discount_pct.1d', unit: 'eth' } as const;
  const ruleCondition = { ...RULES['above 60'], ...discount, threshold: eth('10') };
  const watch = aWatch({ state: 'unknown', ruleCondition, evaluatedSeq: 0, since: NOON });
  const floors = [anObservation(1, '60'), anObservation(3, '50')].map((one) => ({
    ...one,
    point: { ...one.point, time: NOON },
  }));
  const sale = anObservation(2, aPrice('42', { time: NOON }), { part: 'lowest.1d' });
  const answeredAt = NOON + MINUTE;
  const parts = {
    floor: { newest: floors.at(-1), unevaluated: floors, answeredAt },
    'lowest.1d': { newest: sale, unevaluated: [sale], answeredAt },
  };

  const begun = evaluateWatch(watch, { parts }, TIME);

  expect(begun.outbox.map(({ value, previous }) => [value, previous])).toEqual([['16', '30']]);
});

describe('an unknown value', () => {
  const ruleCondition = { metric: 'floor_price_usd', unit: 'usd', when: 'below' } as const;
  const reported = (seq: number, usd: string | undefined) => {
    const inUsd = usd === undefined ? {} : { usd: eth(usd) };
    return anObservation(seq, aPrice('60', { time: NOON + seq * MINUTE, ...inUsd }));
  };

  it.each([
    { state: 'pending', option: { for: 5 * MINUTE }, first: '100', again: '90', to: 'ok' },
    {
      state: 'recovering',
      option: { keepFor: 5 * MINUTE },
      first: '200',
      again: '210',
      to: 'firing',
    },
  ] as const)(
    'has not lasted: $state leads to $to at the end of the wait, and it waits anew for a value',
    ({ state, option, first, again, to }) => {
      const watch = aWatch({
        ruleCondition: { ...ruleCondition, threshold: eth('150'), ...option },
        ...{ state, stateSince: NOON + MINUTE, evaluatedSeq: 1 },
        ...(state === 'recovering' ? { firedAt: NOON, episode: 1 } : {}),
      });
      const unknown = [reported(1, first), reported(3, undefined)];

      const evaluated = evaluateWatch(watch, snapshotOf(unknown, NOON + 7 * MINUTE), TIME);
      const later = [...unknown, reported(9, again)];
      const waiting = evaluateWatch(evaluated, snapshotOf(later, NOON + 13 * MINUTE), TIME);
      const lasted = evaluateWatch(waiting, snapshotOf(later, NOON + 14 * MINUTE), TIME);

      expect([evaluated.state, waiting.state, said(waiting)]).toEqual([to, state, []]);
      expect(said(lasted)).toEqual([state === 'pending' ? 'fired' : 'recovered']);
    },
  );

  it.each([
    { state: 'pending', when: 'inside', option: { for: 5 * MINUTE } },
    { state: 'recovering', when: 'outside', option: { keepFor: 5 * MINUTE } },
  ] as const)('leaves a band that was $state waiting for any value', ({ state, when, option }) => {
    const watch = aWatch({
      ruleCondition: { ...ruleCondition, ...option, when, low: eth('100'), high: eth('150') },
      ...{ state, stateSince: NOON + MINUTE, evaluatedSeq: 1, position: 'within' },
      ...(state === 'recovering' ? { firedAt: NOON, episode: 1 } : {}),
    });
    const unknown = [reported(1, '120'), reported(3, undefined)];

    const evaluated = evaluateWatch(watch, snapshotOf(unknown, NOON + 7 * MINUTE), TIME);

    expect(waitingOf(evaluated)).toEqual({ falling: GREATEST });
  });

  it('is not reminded of: a reminder is skipped without a value, and the next keeps its clock', () => {
    const watch = aWatch({
      ruleCondition: { ...ruleCondition, threshold: eth('150') },
      ...{ state: 'firing', stateSince: NOON, firedAt: NOON, episode: 1, evaluatedSeq: 1 },
      repeatPolicy: { repeat: 'every', reminder: 5 * MINUTE },
    });
    const unknown = reported(3, undefined);

    const evaluated = evaluateWatch(watch, snapshotOf([unknown], NOON + 6 * MINUTE), TIME);
    const known = [unknown, reported(8, '140')];
    const later = evaluateWatch(evaluated, snapshotOf(known, NOON + 11 * MINUTE), TIME);

    expect([evaluated.state, said(evaluated)]).toEqual(['firing', []]);
    expect(later.outbox.map(({ kind, dataTime }) => [kind, dataTime])).toEqual([
      ['reminder', formatInstant(NOON + 10 * MINUTE)],
    ]);
  });
});

describe('no sale left in the window: no condition on sales holds', () => {
  const sales = { metric: 'lowest_price.7d', unit: 'eth' } as const;
  const emptied = anObservation(
    3,
    { kind: 'empty', time: NOON + 3 * MINUTE },
    {
      part: 'lowest.7d',
    },
  );
  const withoutSales = (watch: Watch, answeredAt: number) => {
    const known = { newest: emptied, unevaluated: [emptied], answeredAt };
    return evaluateWatch(watch, someSnapshot(known, 'lowest.7d'), TIME);
  };

  it.each(['below 60', 'above 60'] as const)('it ends the wait of `for`, %s', (rule) => {
    const watch = aWatch({
      ruleCondition: { ...RULES[rule], ...sales, for: 5 * MINUTE },
      ...{ state: 'pending', stateSince: NOON + MINUTE, evaluatedSeq: 1 },
    });

    const evaluated = withoutSales(watch, NOON + 7 * MINUTE);

    expect([evaluated.state, said(evaluated)]).toEqual(['ok', []]);
  });

  it.each([
    { state: 'firing', when: 'above' },
    { state: 'recovering', when: 'above' },
    { state: 'recovering', when: 'below' },
  ] as const)(
    'it ends a $state episode of `$when` at once, so no reminder follows',
    ({ state, when }) => {
      const watch = aWatch({
        ruleCondition: { ...RULES[`${when} 60`], ...sales, keepFor: 30 * MINUTE },
        repeatPolicy: { repeat: 'every', reminder: 5 * MINUTE },
        ...{ state, stateSince: NOON, firedAt: NOON, episode: 1, evaluatedSeq: 1 },
      });

      const evaluated = withoutSales(watch, NOON + HOUR);

      expect([evaluated.state, evaluated.outbox.map(({ kind, title }) => [kind, title])]).toEqual([
        'ok',
        [
          [
            'recovered',
            expect.stringMatching(/^Resolved: .* lowest sale in 7 days .*: no sale left, lasted/),
          ],
        ],
      ]);
    },
  );

  it('it ends an open episode of a discount', () => {
    const floor = anObservation(1, aPrice('60', { time: NOON }));
    const watch = aWatch({
      ruleCondition: { metric: 'sale_discount_pct.7d', when: 'above', threshold: eth('20') },
      ...{ state: 'firing', stateSince: NOON, firedAt: NOON, episode: 1, evaluatedSeq: 2 },
    });
    const parts = {
      floor: { newest: floor, unevaluated: [], answeredAt: NOON + HOUR },
      'lowest.7d': { newest: emptied, unevaluated: [emptied], answeredAt: NOON + HOUR },
    };

    const evaluated = evaluateWatch(watch, { parts }, TIME);

    expect([evaluated.state, said(evaluated)]).toEqual(['ok', ['recovered']]);
  });

  it.each([
    { state: 'firing', ruleCondition: RULES['above 60'] },
    { state: 'pending', ruleCondition: { ...RULES['above 60'], for: MINUTE } },
    { state: 'disarmed', ruleCondition: RULES['above 60, crossing'] },
    { state: 'firing', ruleCondition: { when: 'outside', low: eth('50'), high: eth('60') } },
  ] as const)(
    'it reaches a watch that is $state, $ruleCondition.when',
    ({ state, ruleCondition }) => {
      const watch = aWatch({
        ruleCondition: { ...sales, ...ruleCondition },
        ...{ state, stateSince: NOON, evaluatedSeq: 1, episode: 1 },
        ...(state === 'firing' ? { firedAt: NOON } : {}),
        ...('low' in ruleCondition ? { position: 'over' as const } : {}),
      });

      expect(waitingOf(watch).rising).toBeLessThanOrEqual(GREATEST);
      expect(withoutSales(watch, NOON + 4 * MINUTE).state).toBe('ok');
    },
  );
});

describe('news of one poll are one observation of the contract', () => {
  const below = (metric: 'floor_price' | 'lowest_price.1d', threshold: string) => ({
    metric,
    unit: 'eth',
    condition: { when: 'below', threshold: eth(threshold) } as const,
  });
  const both = { ...below('floor_price', '60'), also: [below('lowest_price.1d', '55')] };
  const known = (...observations: readonly Observation[]) => ({
    newest: observations.at(-1),
    unevaluated: observations,
    answeredAt: NOON + HOUR,
  });
  const floor = (seq: number, price: string, minute: number) =>
    anObservation(seq, aPrice(price, { time: NOON + minute * MINUTE }), { poll: 3 });
  const sale = (seq: number, price: string, minute: number) => ({
    ...floor(seq, price, minute),
    part: 'lowest.1d' as const,
  });
  const held = { floor: aPrice('65', { time: NOON }), sale: aPrice('50', { time: NOON }) };

  it('a compound rule does not hold between the new floor and the new sale of one poll', () => {
    const watch = aWatch({ ruleCondition: both, evaluatedSeq: 2 });
    const [floors, sales] = [floor(3, '59', 10), sale(4, '58', 20)];
    const parts = {
      floor: known({ ...floors, previous: held.floor }),
      'lowest.1d': known({ ...sales, previous: held.sale }),
    };

    const evaluated = evaluateWatch(watch, { parts }, TIME);

    expect([evaluated.state, said(evaluated)]).toEqual(['ok', []]);
  });

  it('an instant between the two is evaluated by both: a wait that the sale has ended does not fire', () => {
    const ruleCondition = { ...both, for: 30 * MINUTE };
    const pending = { state: 'pending', stateSince: NOON - 15 * MINUTE, evaluatedSeq: 2 } as const;
    const watch = aWatch({ ruleCondition, ...pending });
    const [floors, sales] = [floor(3, '58', 10), sale(4, '57', 20)];
    const parts = {
      floor: known({ ...floors, previous: aPrice('59', { time: NOON - HOUR }) }),
      'lowest.1d': known({ ...sales, previous: held.sale }),
    };

    const evaluated = evaluateWatch(watch, { parts }, TIME);

    expect([evaluated.state, said(evaluated)]).toEqual(['ok', []]);
  });

  it('a floor that is held back is none of them: what stands was there before the sale', () => {
    const firing = { state: 'firing', stateSince: NOON, firedAt: NOON, episode: 1 } as const;
    const watch = aWatch({ ruleCondition: both, ...firing, evaluatedSeq: 2 });
    const standing = aPrice('57', { time: NOON + 5 * MINUTE });
    const outlier = { ...floor(3, '20', 10), previous: standing, standing };
    const recorded = [aPrice('58', { time: NOON }), standing];
    const parts = {
      floor: { ...known(outlier), recorded },
      'lowest.1d': known({ ...sale(4, '56', 20), previous: held.sale }),
    };

    const evaluated = evaluateWatch(watch, { parts }, TIME);

    expect(said(evaluated)).toEqual(['recovered']);
    expect(evaluated.outbox[0]).toMatchObject({ value: '57', previous: '57' });
  });

  it('also for a reminder of a watch that comes when others have evaluated them', () => {
    const ruleCondition = {
      metric: 'sale_discount_pct.1d' as const,
      unit: 'eth',
      condition: { when: 'below', threshold: eth('20') } as const,
    };
    const firedAt = NOON - 15 * MINUTE;
    const firing = { state: 'firing', stateSince: firedAt, firedAt, evaluatedSeq: 0 } as const;
    const watch = aWatch({
      ruleCondition,
      repeatPolicy: { repeat: 'every', reminder: 30 * MINUTE },
      ...firing,
    });
    const answerOf = (part: 'floor' | 'lowest.1d', point: PricePoint) => ({
      ...{ part, askedAt: NOON + HOUR, outcome: { kind: 'ok' as const, value: [point] } },
    });
    const answers = [
      answerOf('floor', aPrice('58', { time: NOON + 10 * MINUTE })),
      answerOf('lowest.1d', aPrice('57', { time: NOON + 20 * MINUTE })),
    ];
    const known = aContractRecord({ parts: { floor: {}, 'lowest.1d': {} } });
    const record = { ...absorbAnswers(known, answers, NOON), unevaluated: [] };
    const parts = {
      floor: partSnapshot(record, 'floor'),
      'lowest.1d': { ...partSnapshot(record, 'lowest.1d'), recorded: [held.sale] },
    };

    const [reminder] = evaluateWatch(watch, { parts }, TIME).outbox;

    expect([reminder?.kind, reminder?.value]).toEqual(['reminder', '1.724137931034482758']);
  });

  it('what comes after the first news of each part is evaluated one by one', () => {
    const watch = aWatch({ ruleCondition: both, evaluatedSeq: 2 });
    const floors = [floor(3, '66', 10), floor(4, '59', 30), floor(5, '64', 40)];
    const parts = {
      floor: known(...floors),
      'lowest.1d': known({ ...sale(6, '54', 20), previous: held.sale }),
    };

    const evaluated = evaluateWatch(watch, { parts }, TIME);

    expect(evaluated.outbox.map(({ kind, duration }) => [kind, duration])).toEqual([
      ['fired', null],
      ['recovered', '10m'],
    ]);
  });
});

it('a collapse while a recovery is waited for is a step: keepFor delays the end and nothing else', () => {
  const watch = aWatch({
    ruleCondition: { when: 'below', threshold: eth('100'), keepFor: 3 * HOUR },
    repeatPolicy: { repeat: 'every', steps: eth('10') },
  });

  const evaluated = evaluation(watch, ['99', '101', '50']);

  expect(evaluated.outbox.map(({ kind, value }) => [kind, value])).toEqual([
    ['fired', '99'],
    ['worsened', '50'],
  ]);
});

it.each([
  { times: ['0', '1', '2'], fires: true },
  { times: ['0', '1', '1'], fires: false },
  { times: ['0', '0', '0'], fires: false },
])('of points at $times, each counts once: three of three fire: $fires', ({ times, fires }) => {
  const watch = aWatch({ ruleCondition: { ...RULES['below 60'], confirm: { times: 3, of: 3 } } });
  const observations = times.map((minute, index) =>
    anObservation(
      index + 1,
      aPrice('59', { time: NOON + Number(minute) * MINUTE, usd: BigInt(index) + 1n }),
    ),
  );

  const evaluated = evaluateWatch(watch, snapshotOf(observations, NOON + 5 * MINUTE), TIME);

  expect(said(evaluated)).toEqual(fires ? ['fired'] : []);
});

it('waits for any news where the condition it waited for holds, and another is not known', () => {
  const usd = { when: 'below', threshold: eth('200000') } as const;
  const also = [{ metric: 'floor_price_usd', unit: 'usd', condition: usd }] as const;
  const resting = aWatch({ ruleCondition: { also }, evaluatedSeq: 1, unmet: 0 });

  const evaluated = evaluateWatch(resting, snapshotOf([point(2, '59')]), TIME);

  expect([evaluated.state, evaluated.unmet]).toEqual(['ok', undefined]);
  expect([thresholdIndexOf(evaluated), waitingOf(evaluated)]).toEqual([ALL, { falling: GREATEST }]);
});
