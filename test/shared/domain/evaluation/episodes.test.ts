import { describe, expect, it } from 'vitest';
import { evaluateWatch } from '#shared/domain/evaluation/evaluate-watch.ts';
import { nextTimer, type Watch, waitingOf } from '#shared/domain/evaluation/watch.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Observation } from '#shared/domain/market/point.ts';
import { numberPoints } from '#shared/domain/polling/number-points.ts';
import { anObservation, aPrice, aWatch, eth, NOON, someSnapshot } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

/** A series of floors, each with its minute after noon. */
type Series = readonly (readonly [minute: number, price: string])[];

const observed = (series: Series): readonly Observation[] => {
  let newest: Parameters<typeof numberPoints>[1];
  return series.flatMap(([minute, price], index) => {
    const point = aPrice(price, { time: NOON + minute * MINUTE });
    const numbers = { part: 'floor', poll: index + 1, after: index } as const;
    const numbered = numberPoints(numbers, newest, [point]);
    newest = numbered.newest;
    return numbered.observations;
  });
};

/** Lets a watch begin with the first of a series, then live through the rest in as many evaluations. */
function live(
  watch: Watch,
  series: Series,
  until: number,
  evaluations: readonly number[] = [],
): Watch {
  const all = observed(series);
  const begin = series[0]?.[0] ?? 0;
  const ends = [begin, ...evaluations.filter((minute) => minute > begin), until];
  let evaluated = watch;
  let seen = 0;
  for (const end of ends) {
    const answeredAt = NOON + end * MINUTE;
    const known = all.filter(({ point }) => point.time <= answeredAt);
    const newest = known.at(-1);
    const recorded = known.flatMap(({ point }) => (point.kind === 'price' ? [point] : []));
    const snapshot = someSnapshot({ newest, unevaluated: known.slice(seen), answeredAt, recorded });
    evaluated = evaluateWatch(evaluated, snapshot, { now: answeredAt, cadenceMinutes: 30 });
    seen = known.length;
  }
  return evaluated;
}

const said = ({ outbox }: Watch) =>
  outbox.map(({ kind, dataTime, value }) => {
    const minute = (Date.parse(dataTime) - NOON) / MINUTE;
    return `${minute} ${kind} ${value}`;
  });

type Given = NonNullable<Parameters<typeof aWatch>[0]>;
const above = (
  ruleCondition: Given['ruleCondition'],
  repeatPolicy: Watch['repeatPolicy'] = { repeat: 'every' },
) =>
  aWatch({
    state: 'unknown',
    ruleCondition: { when: 'above', threshold: eth('60'), ...ruleCondition },
    repeatPolicy,
  });

describe('for, as the pending state of Prometheus alerting rules and of Grafana', () => {
  const watch = above({ for: 5 * MINUTE });

  it.each<readonly [string, Series, number, readonly string[]]>([
    [
      'fires when the condition has held so long',
      [
        [0, '50'],
        [1, '61'],
      ],
      6,
      ['6 fired 61'],
    ],
    [
      'does not fire before',
      [
        [0, '50'],
        [1, '61'],
      ],
      5,
      [],
    ],
    [
      'starts anew after a value that is not beyond',
      [
        [0, '61'],
        [3, '50'],
        [4, '61'],
      ],
      8,
      [],
    ],
    [
      'fires at the instant, with the value that held then',
      [
        [0, '61'],
        [3, '65'],
        [7, '90'],
      ],
      9,
      ['5 fired 65'],
    ],
    [
      'lets a value at the very instant come before it',
      [
        [0, '61'],
        [5, '50'],
      ],
      9,
      [],
    ],
    [
      'fires though the value that ends it is in already',
      [
        [0, '61'],
        [8, '50'],
      ],
      9,
      ['5 fired 61', '8 recovered 50'],
    ],
    ['counts for a watch that starts beyond', [[0, '61']], 5, ['5 fired 61']],
  ])('%s', (_what, series, until, expected) => {
    expect(said(live(watch, series, until))).toEqual(expected);
  });

  it('waits while no answer asked for at the instant or later is in', () => {
    const pending = live(watch, [[0, '61']], 4);

    expect(pending.state).toBe('pending');
    expect(nextTimer(pending)).toBe(NOON + 5 * MINUTE);
    expect(waitingOf(pending)).toEqual({ falling: eth('60') - 1n });
  });
});

describe('keepFor, as keep_firing_for of Prometheus', () => {
  const watch = above({ keepFor: 10 * MINUTE });

  it.each<readonly [string, Series, number, readonly string[]]>([
    [
      'ends the episode when it has recovered so long',
      [
        [0, '61'],
        [2, '50'],
      ],
      12,
      ['0 fired 61', '12 recovered 50'],
    ],
    [
      'goes on with the episode when the value comes back',
      [
        [0, '61'],
        [2, '50'],
        [5, '62'],
        [6, '59'],
      ],
      15,
      ['0 fired 61'],
    ],
    [
      'counts anew from the last way back',
      [
        [0, '61'],
        [2, '50'],
        [5, '62'],
        [6, '59'],
      ],
      16,
      ['0 fired 61', '16 recovered 59'],
    ],
  ])('%s', (_what, series, until, expected) => {
    expect(said(live(watch, series, until))).toEqual(expected);
  });

  it('has recovered with hysteresis only beyond the recovery threshold, as in Grafana', () => {
    const hysteresis = above({ recover: eth('50'), keepFor: 10 * MINUTE });

    expect(
      said(
        live(
          hysteresis,
          [
            [0, '61'],
            [2, '55'],
            [30, '50'],
          ],
          39,
        ),
      ),
    ).toEqual(['0 fired 61']);
    expect(
      said(
        live(
          hysteresis,
          [
            [0, '61'],
            [2, '55'],
            [30, '50'],
          ],
          40,
        ),
      ),
    ).toHaveLength(2);
  });
});

describe('confirm, as "M out of N datapoints" of CloudWatch alarms', () => {
  it.each<readonly [times: number, of: number, prices: string, firedAt: number | undefined]>([
    [3, 3, '61 61 61', 2],
    [3, 3, '61 61 50 61 61', undefined],
    [2, 3, '61 50 61', 2],
    [2, 3, '61 50 50 61', undefined],
    [2, 3, '50 61 50 50 61 61', 5],
    [1, 2, '50 61', 1],
  ])('%d of %d over %s fires at observation %s', (times, of, prices, firedAt) => {
    const series = prices.split(' ').map((price, minute) => [minute, price] as const);

    const watch = live(above({ confirm: { times, of } }), series, 20);

    expect(watch.outbox[0]?.dataTime ?? null).toBe(
      firedAt === undefined ? null : new Date(NOON + firedAt * MINUTE).toISOString(),
    );
  });

  it('equals a naive count over random series, and reads every observation while it counts', () => {
    const random = createSeededRandom(7);
    for (let round = 0; round < 200; round += 1) {
      const [times, of] = random.pick([
        [2, 3],
        [3, 5],
        [2, 2],
        [4, 6],
      ] as const);
      const beyonds = Array.from({ length: 25 }, () => random.pick([true, false]));
      const series = beyonds.map((beyond, minute) => [minute, beyond ? '61' : '50'] as const);
      let open = false;
      let counted: boolean[] = [];
      const expected: string[] = [];
      beyonds.forEach((beyond, minute) => {
        counted = [...counted, beyond].slice(-of);
        if (open && !beyond) {
          open = false;
          expected.push(`${minute} recovered 50`);
          counted = [];
        } else if (!open && counted.filter(Boolean).length >= times) {
          open = true;
          expected.push(`${minute} fired ${beyond ? '61' : '50'}`);
          counted = [];
        }
      });

      expect(said(live(above({ confirm: { times, of } }), series, 25))).toEqual(expected);
    }
  });
});

describe('repeat, as "once" and "every" of TradingView alerts', () => {
  const TWICE: Series = [
    [0, '50'],
    [1, '61'],
    [2, '50'],
    [3, '62'],
    [4, '50'],
  ];

  it('reports each episode', () => {
    expect(said(live(above({}), TWICE, 9))).toEqual([
      '1 fired 61',
      '2 recovered 50',
      '3 fired 62',
      '4 recovered 50',
    ]);
  });

  it('reports one episode, then nothing for ever', () => {
    const watch = live(above({}, { repeat: 'once' }), TWICE, 9);

    expect(said(watch)).toEqual(['1 fired 61', '2 recovered 50']);
    expect(watch.state).toBe('ended');
    expect(waitingOf(watch)).toEqual({});
  });

  it('reminds on a clock that is fixed by the beginning of the episode', () => {
    const reminding = above({}, { repeat: 'every', reminder: HOUR });

    const watch = live(
      reminding,
      [
        [0, '50'],
        [7, '61'],
        [100, '62'],
        [190, '50'],
      ],
      400,
      [90, 91],
    );

    expect(said(watch)).toEqual([
      '7 fired 61',
      '67 reminder 61',
      '127 reminder 62',
      '187 reminder 62',
      '190 recovered 50',
    ]);
  });

  it('reminds of no time at which the value had recovered', () => {
    const repeatPolicy = { repeat: 'every', reminder: 5 * MINUTE } as const;
    const series = [
      [0, '50'],
      [7, '61'],
      [9, '50'],
      [18, '62'],
    ] as const;

    const watch = live(above({ keepFor: 10 * MINUTE }, repeatPolicy), series, 23);

    expect(said(watch)).toEqual(['7 fired 61', '22 reminder 62']);
  });

  it('reminds of no time before anyone watched', () => {
    const repeatPolicy = { repeat: 'every', reminder: HOUR } as const;
    const watch = { ...above({}, repeatPolicy), since: NOON };

    expect(said(live(watch, [[-150, '61']], 40))).toEqual(['-150 fired 61', '30 reminder 61']);
  });
});

describe('crosses, as "Crossing" of TradingView', () => {
  const crossing = aWatch({
    state: 'unknown',
    ruleCondition: { when: 'crosses', threshold: eth('60') },
  });

  it.each<readonly [string, string, readonly string[]]>([
    ['reports each crossing, either way', '50 61 62 59', ['1 fired 61', '3 fired 59']],
    ['keeps the side it came from at the line', '50 60 50 60 61', ['4 fired 61']],
    ['reports nothing of where it began', '61 62', []],
    ['begins with the first side when it began at the line', '60 61 59', ['2 fired 59']],
  ])('%s: %s', (_what, prices, expected) => {
    const series = prices.split(' ').map((price, minute) => [minute, price] as const);

    const watch = live(crossing, series, 20);

    expect(said(watch)).toEqual(expected);
    for (const alert of watch.outbox) expect(alert).toMatchObject({ episode: null, open: null });
  });
});

describe('a recovered message', () => {
  it.each<readonly ['below' | 'above', string, string]>([
    ['below', '60 55 41.5 59 61', '41.5'],
    ['above', '60 61 75.25 62 59', '75.25'],
  ])('reports the extreme that an episode %s 60 has reached: %s', (when, prices, extreme) => {
    const series = prices.split(' ').map((price, minute) => [minute, price] as const);

    const watch = live(aWatch({ state: 'unknown', ruleCondition: { when } }), series, 9, [1, 3]);

    expect(watch.outbox.at(-1)).toMatchObject({ kind: 'recovered', extreme, duration: '4m' });
  });
});

describe('a band', () => {
  const band = (when: 'outside' | 'inside') =>
    aWatch({ state: 'unknown', ruleCondition: { when, low: eth('50'), high: eth('60') } });

  it.each<readonly ['outside' | 'inside', string, readonly string[]]>([
    ['outside', '55 49 55 61', ['1 fired 49', '2 recovered 55', '3 fired 61']],
    ['outside', '50 60', []],
    ['outside', '49 61 60', ['0 fired 49', '2 recovered 60']],
    ['inside', '40 50 61 60', ['1 fired 50', '2 recovered 61', '3 fired 60']],
    ['inside', '40 70 40', []],
  ])('%s 50 to 60 over %s', (when, prices, expected) => {
    const series = prices.split(' ').map((price, minute) => [minute, price] as const);

    expect(said(live(band(when), series, 20))).toEqual(expected);
  });

  it('waits for both ways out of where it stands', () => {
    expect(waitingOf(live(band('outside'), [[0, '55']], 0))).toEqual({
      falling: eth('50') - 1n,
      rising: eth('60') + 1n,
    });
    expect(waitingOf(live(band('outside'), [[0, '40']], 0))).toEqual({ rising: eth('50') });
    expect(waitingOf(live(band('inside'), [[0, '70']], 0))).toEqual({ falling: eth('60') });
  });
});

describe('steps', () => {
  it('tell again each further tenth from the value last reported', () => {
    const falling = aWatch({
      state: 'unknown',
      ruleCondition: { when: 'below', threshold: eth('100'), takesOutliers: true },
      repeatPolicy: { repeat: 'every', steps: eth('10') },
    });
    const prices = ['100', '95', '90', '82', '81', '60', '101'];
    const series = prices.map((price, minute) => [minute, price] as const);

    const watch = live(falling, series, 20);

    expect(said(watch)).toEqual([
      '0 fired 100',
      '2 worsened 90',
      '4 worsened 81',
      '5 worsened 60',
      '6 recovered 101',
    ]);
  });

  it('are not reached by what is the finest unit short of one', () => {
    const falling = aWatch({
      state: 'unknown',
      ruleCondition: { when: 'below', threshold: eth('59.1'), takesOutliers: true },
      repeatPolicy: { repeat: 'every', steps: eth('5') },
    });
    const prices = ['55.999999999999999999', '53.2', '53.199999999999999999'];
    const series = prices.map((price, minute) => [minute, price] as const);

    expect(said(live(falling, series, 20))).toEqual([
      '0 fired 55.999999999999999999',
      '2 worsened 53.199999999999999999',
    ]);
  });

  it('go on from what was reported as news, not from a reminder', () => {
    const repeatPolicy = { repeat: 'every', reminder: 3 * MINUTE, steps: eth('10') } as const;
    const series = ['70', '80', '75', '75', '82'].map((price, minute) => [minute, price] as const);

    expect(said(live(above({}, repeatPolicy), series, 5))).toEqual([
      '0 fired 70',
      '1 worsened 80',
      '3 reminder 75',
    ]);
  });
});

const RULES: readonly Given[] = [
  { ruleCondition: { when: 'above', for: 7 * MINUTE } },
  { ruleCondition: { when: 'above', keepFor: 5 * MINUTE } },
  { ruleCondition: { when: 'below', for: 3 * MINUTE, keepFor: 4 * MINUTE, recover: eth('65') } },
  { ruleCondition: { when: 'above' }, repeatPolicy: { repeat: 'every', reminder: 6 * MINUTE } },
  { ruleCondition: { when: 'outside', low: eth('50'), high: eth('65'), for: 4 * MINUTE } },
  { ruleCondition: { when: 'inside', low: eth('50'), high: eth('65'), keepFor: 3 * MINUTE } },
  { ruleCondition: { when: 'crosses' } },
  { ruleCondition: { when: 'above', confirm: { times: 2, of: 3 } } },
  { ruleCondition: { when: 'below' }, repeatPolicy: { repeat: 'every', steps: eth('5') } },
  {
    ruleCondition: { when: 'below', arm: 'cross', for: 2 * MINUTE },
    repeatPolicy: { repeat: 'once' },
  },
];

it.each(RULES.map((given, index) => [index, given] as const))(
  'the same data give the same transitions however they fall into evaluations (rule %d)',
  (index, given: Given) => {
    const random = createSeededRandom(index);
    for (let round = 0; round < 60; round += 1) {
      const minutes = Array.from({ length: 60 }, (_, minute) => minute).filter(
        (minute) => minute === 0 || random.pick([true, false, false]),
      );
      const series = minutes.map(
        (minute) => [minute, random.pick(['40', '50', '59', '60', '61', '65', '70'])] as const,
      );
      const watch = aWatch({ state: 'unknown', ...given });
      const atOnce = live(watch, series, 90);
      const evaluations = Array.from({ length: 59 }, (_, minute) => minute + 1);
      const each = live(watch, series, 90, evaluations);
      const some = live(
        watch,
        series,
        90,
        evaluations.filter(() => random.pick([true, false])),
      );

      expect(said(each)).toEqual(said(atOnce));
      expect(said(some)).toEqual(said(atOnce));
      expect(each.outbox.map(({ id }) => id)).toEqual(atOnce.outbox.map(({ id }) => id));
    }
  },
);

it.each(RULES.map((given, index) => [index, given] as const))(
  'a watch that would move is reached: by its thresholdIndexes or by its instant (rule %d)',
  (index, given: Given) => {
    const random = createSeededRandom(100 + index);
    let watch = live(aWatch({ state: 'unknown', ...given }), [[0, '55']], 0);
    for (let minute = 1; minute < 400; minute += 1) {
      const price = random.pick(['40', '49', '50', '59', '60', '61', '64', '65', '66', '70']);
      const time = NOON + minute * MINUTE;
      const instant = nextTimer(watch);
      const observation = anObservation(minute + 1, aPrice(price, { time }));
      const recorded = [aPrice('55', { time: NOON })];
      const news = { newest: observation, unevaluated: [observation], answeredAt: time, recorded };
      const moved = evaluateWatch(watch, someSnapshot(news), { now: time, cadenceMinutes: 30 });

      const { falling, rising } = waitingOf(watch);
      const value = eth(price);
      const met =
        (falling !== undefined && falling >= value) || (rising !== undefined && rising <= value);
      if (moved !== watch) expect(met || (instant !== undefined && instant <= time)).toBe(true);
      watch = moved;
    }
  },
);

it('an age that no date is reached at has no timer, and makes no item unwritable', () => {
  const ruleCondition = { metric: 'data_age_minutes', unit: 'minutes', when: 'above' } as const;
  const watch = aWatch({
    ruleCondition: { ...ruleCondition, threshold: eth('10') },
    repeatPolicy: { repeat: 'every', steps: eth('1000000') },
    ...{ state: 'firing', firedAt: NOON, lastReported: eth('1000000000000'), countsFrom: NOON },
  });

  expect(nextTimer(watch)).toBeUndefined();
});

it('a rule that has ended has no timer, though its line was moved since', () => {
  const ruleCondition = { metric: 'data_age_minutes', unit: 'minutes', when: 'above' } as const;
  const watch = aWatch({
    ruleCondition: { ...ruleCondition, threshold: eth('10') },
    ...{ repeatPolicy: { repeat: 'once' }, state: 'ended', editedAt: NOON, countsFrom: NOON },
  });

  expect(nextTimer(watch)).toBeUndefined();
});
