import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Part, Point, PricePoint } from '#shared/domain/market/point.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import { absorbAnswers, isQuiet, type PartAnswer } from '#shared/domain/polling/absorb-answers.ts';
import type { ContractRecord, PartRecord } from '#shared/domain/polling/contract-record.ts';
import {
  aContractRecord,
  anAnsweredRecord,
  anObservation,
  aPrice,
  aTrade,
  eth,
  NOON,
} from '#test/support/builders.ts';

const LATER = NOON + 30 * MINUTE;
const answerOf = (part: Part, points: readonly PricePoint[], askedAt = LATER): PartAnswer => ({
  part,
  askedAt,
  outcome: { kind: 'ok', value: points },
});
const refusalOf = (outcome: Refusal, part: Part = 'floor', askedAt = LATER): PartAnswer => ({
  part,
  askedAt,
  outcome,
});
const absorb = (record: ContractRecord, answer: PartAnswer, now = answer.askedAt) =>
  absorbAnswers(record, [answer], now);
/** Prices a minute apart, the first at noon. */
const floors = (...prices: readonly string[]) =>
  prices.map((price, index) => aPrice(price, { time: NOON + index * MINUTE }));
const observed = ({ unevaluated }: ContractRecord) =>
  unevaluated.map(({ seq, point }) => [seq, point.kind === 'price' ? point.price : point.kind]);

describe('floors', () => {
  it('counts only the newest point of the first answer', () => {
    const answer = answerOf('floor', floors('50', '60', '70').toReversed());

    const record = absorb(aContractRecord(), answer);

    expect(observed(record)).toEqual([[1, eth('70')]]);
    expect(record.parts.floor).toEqual({
      outcome: 'ok',
      since: LATER,
      answeredAt: LATER,
      newest: { seq: 1, point: aPrice('70', { time: NOON + 2 * MINUTE }) },
    });
    expect(record.unevaluated[0]?.previous).toBeUndefined();
  });

  describe('that are far from the one before', () => {
    const marks = ({ unevaluated }: ContractRecord) =>
      unevaluated.map(({ point, standing, stood }) =>
        [point, standing, stood].map((one) =>
          one?.kind === 'price' ? Number(one.price) / 1e18 : null,
        ),
      );

    it.each<readonly [string, readonly string[], readonly (readonly (number | null)[])[]]>([
      ['at 70 % of it', ['50', '35'], [[35, 50, null]]],
      ['but not a wei more', ['50', '35.000000000000000001'], [[35, null, null]]],
      ['or of which it is 70 %', ['49', '70'], [[70, 49, null]]],
      ['but not a wei less', ['49', '69.999999999999999999'], [[70, null, null]]],
      [
        'are held back until the next, which never is',
        ['50', '20', '60', '61'],
        [
          [20, 50, null],
          [60, null, 50],
          [61, null, null],
        ],
      ],
    ])('%s', (_, prices, expected) => {
      const [first = '', ...later] = prices;
      const known = anAnsweredRecord('floor', aPrice(first));
      const points = later.map((price, index) => aPrice(price, { time: NOON + index + 1 }));

      expect(marks(absorb(known, answerOf('floor', points)))).toEqual(expected);
    });

    it('stay so when their moment is reported otherwise, and not when it is reported as it was before', () => {
      const time = NOON + MINUTE;
      const reported = (record: ContractRecord, price: string) =>
        absorb({ ...record, unevaluated: [] }, answerOf('floor', [aPrice(price, { time })]));
      const first = reported(anAnsweredRecord('floor', aPrice('50')), '20');
      const second = reported(first, '21');
      const third = reported(second, '49');

      expect([first, second, third].map(marks)).toEqual([
        [[20, 50, null]],
        [[21, 50, 50]],
        [[49, null, 50]],
      ]);
    });

    it('are found by the floor of the time before, whatever was reported of theirs meanwhile', () => {
      const reported = (record: ContractRecord, price: string, minutes = 1) => {
        const point = aPrice(price, { time: NOON + minutes * MINUTE });
        return absorb({ ...record, unevaluated: [] }, answerOf('floor', [point]));
      };
      const far = reported(anAnsweredRecord('floor', aPrice('50')), '80');
      const near = reported(far, '60');
      const farAgain = reported(near, '80');
      const next = reported(farAgain, '81', 2);
      const revised = reported(next, '20', 2);

      expect([far, near, farAgain, next, revised].map(marks)).toEqual([
        [[80, 50, null]],
        [[60, null, 50]],
        [[80, 60, null]],
        [[81, null, 60]],
        // What follows an outlier is none, in any report of its time.
        [[20, null, null]],
      ]);
    });

    it('count from a day on in which no other came, if they are reported still', () => {
      const outlier = aPrice('20', { time: NOON + MINUTE });
      const known = absorb(anAnsweredRecord('floor', aPrice('50')), answerOf('floor', [outlier]));
      const evaluated = { ...known, unevaluated: [] };
      const marksAfter = (span: number, points: readonly PricePoint[]) =>
        marks(absorb(evaluated, answerOf('floor', points, NOON + MINUTE + span)));

      expect(marksAfter(25 * HOUR - 1, [outlier])).toEqual([]);
      expect(marksAfter(25 * HOUR, [aPrice('50')])).toEqual([]);
      expect(marksAfter(25 * HOUR, [outlier])).toEqual([[20, null, 50]]);
    });

    it('are not the first that is known of a contract, nor sales', () => {
      const points = floors('50', '20').toReversed();
      const sale = anAnsweredRecord('lowest.7d', aTrade('50', NOON));

      expect(marks(absorb(aContractRecord(), answerOf('floor', points)))).toEqual([
        [50, null, null],
        [20, 50, null],
      ]);
      const lower = answerOf('lowest.7d', [aTrade('5', NOON + MINUTE)]);
      expect(marks(absorb(sale, lower))).toEqual([[5, null, null]]);
    });
  });

  it('of two providers are compared by the record that is written, whatever was known when they were asked', () => {
    const floor = aPrice('66.7', { time: NOON + MINUTE });
    const opinions = [
      { provider: 'nft-data', floor },
      { provider: 'coingecko', floor: aPrice('58.1', { time: LATER }) },
    ] as const;
    const committed = (known: string) =>
      absorb(anAnsweredRecord('floor', aPrice(known)), {
        ...answerOf('floor', [floor]),
        opinions,
      });

    expect(committed('54').parts.floor).toMatchObject({
      newest: { point: { price: eth('58.1'), confirmedBy: 'coingecko' } },
      confirmed: { by: 'coingecko' },
    });
    expect(committed('66.6').parts.floor).toMatchObject({ outcome: 'disputed' });
  });

  it('of two providers confirm nothing that is newer than the floor on which they agree', () => {
    const floor = aPrice('50', { time: NOON - MINUTE });
    const opinions = [
      { provider: 'nft-data', floor },
      { provider: 'coingecko', floor: aPrice('50', { time: LATER }) },
    ] as const;
    const committed = (known: string) =>
      absorb(anAnsweredRecord('floor', aPrice(known)), { ...answerOf('floor', [floor]), opinions })
        .parts.floor;

    expect(committed('60')?.confirmed).toBeUndefined();
    expect(committed('50')).toMatchObject({ confirmed: { by: 'coingecko' } });
  });

  it('counts all newer points of a later answer, oldest first, each with the one before it', () => {
    const known = anAnsweredRecord('floor', aPrice('50'));
    const answer = answerOf('floor', floors('50', '60', '70').toReversed());

    const record = absorb(known, answer);

    expect(observed(record)).toEqual([
      [2, eth('60')],
      [3, eth('70')],
    ]);
    expect(record.seq).toBe(3);
    expect(record.unevaluated.map(({ previous }) => previous?.price)).toEqual([
      eth('50'),
      eth('60'),
    ]);
  });

  it('counts the 48 newest of an answer and no more', () => {
    const points = floors(...Array.from({ length: 60 }, (_, index) => `${index + 1}`));

    const record = absorb(anAnsweredRecord('floor', aPrice('1')), answerOf('floor', points));

    expect(record.unevaluated).toHaveLength(48);
    expect(observed(record).at(0)).toEqual([2, eth('13')]);
    expect(observed(record).at(-1)).toEqual([49, eth('60')]);
  });

  it.each<[what: string, counts: boolean, point: PricePoint]>([
    ['another price at the same time', true, aPrice('61')],
    ['another currency at the same time', true, aPrice('60', { currency: 'sol' })],
    ['another USD price at the same time', true, aPrice('60', { usd: 2n })],
    ['the same again', false, aPrice('60', { usd: 1n })],
    ['another source of the same', false, aPrice('60', { usd: 1n, source: 'x' })],
    ['an older price', false, aPrice('59', { time: NOON - 1, usd: 1n })],
    ['the same price later', true, aPrice('60', { time: NOON + 1, usd: 1n })],
  ])('takes %s for news: %s', (_what, counts, point) => {
    const known = anAnsweredRecord('floor', aPrice('60', { usd: 1n }));

    const record = absorb(known, answerOf('floor', [point]));

    expect(record.unevaluated).toHaveLength(counts ? 1 : 0);
  });

  it('numbers on behind what is unevaluated, and keeps it', () => {
    const waiting = anObservation(2, '59');
    const known = { ...anAnsweredRecord('floor', waiting.point), seq: 2, unevaluated: [waiting] };
    const newer = aPrice('58', { time: NOON + HOUR });

    const record = absorb(known, answerOf('floor', [newer]));

    expect(observed(record)).toEqual([
      [2, eth('59')],
      [3, eth('58')],
    ]);
  });

  it('passes over a part that is needed no more', () => {
    const known = aContractRecord({ parts: {} });

    expect(absorb(known, answerOf('floor', floors('50')))).toEqual(known);
  });
});

it.each([
  answerOf('floor', [aPrice('70', { time: NOON })], LATER - MINUTE),
  refusalOf({ kind: 'failed', reason: 'timeout' }, 'floor', LATER - MINUTE),
])('an answer to an earlier question than the last that was answered changes nothing', (answer) => {
  const known = absorb(aContractRecord(), answerOf('floor', [aPrice('50', { time: NOON })]));

  expect(absorb(known, answer)).toBe(known);
});

it('an answer to an earlier question than the last that was refused ends no silence', () => {
  const known = absorb(aContractRecord(), answerOf('floor', floors('50'), NOON));
  const silent = absorb(known, refusalOf({ kind: 'failed', reason: 'timeout' }));

  const record = absorb(silent, answerOf('floor', floors('50', '60'), LATER - MINUTE));

  expect(observed(record).at(-1)).toEqual([2, eth('60')]);
  expect(record.parts.floor).toMatchObject({ outcome: 'failed', silentSince: LATER, failures: 1 });
  expect(record.wanted).toEqual({});
});

describe('lowest trades', () => {
  const [old, left] = [NOON - 3 * DAY, NOON + 4 * DAY];
  const low = aTrade('10', old);
  const empty = { kind: 'empty', time: NOON } as const;

  it.each<[what: string, last: Point, trade: PricePoint, time: number | null, asked?: number]>([
    ['the same trade again', low, low, null],
    ['the same trade with another USD price', low, { ...low, usd: 5n }, null],
    ['later and lower', low, aTrade('9', NOON), NOON],
    ['lower but earlier', low, aTrade('9', old - 1), LATER],
    ['of the same price, later', low, aTrade('10', NOON), LATER],
    ['higher while the old low is within its window', low, aTrade('11', NOON), LATER],
    ['higher once the old low left', low, aTrade('11', NOON), left, left + HOUR],
    ['higher at the moment the old low left', low, aTrade('11', NOON), left, left],
    [
      'higher, and sold after the old low left',
      low,
      aTrade('11', left + MINUTE),
      left + MINUTE,
      left + HOUR,
    ],
    ['lower and later after the old low left', low, aTrade('9', left + 1), left + 1, left + HOUR],
    [
      'higher, long after a point reported later than the window',
      { ...low, time: left },
      aTrade('11', NOON),
      left + HOUR,
      left + HOUR,
    ],
    ['the first after none was left', empty, aTrade('12', NOON + 1), NOON + 1],
    ['older than the end of the window', empty, aTrade('12', NOON - 1), LATER],
  ])('of %s', (_what, last, trade, time, asked = LATER) => {
    const known = anAnsweredRecord('lowest.7d', last);

    const record = absorb(known, answerOf('lowest.7d', [trade], asked));

    expect(record.unevaluated.map(({ point }) => point)).toEqual(
      time === null ? [] : [{ ...trade, time }],
    );
  });

  it('reports the first one at its own time', () => {
    const known = aContractRecord({ parts: { 'lowest.7d': {} } });

    const record = absorb(known, answerOf('lowest.7d', [low]));

    expect(record.unevaluated.map(({ point }) => point.time)).toEqual([old]);
  });

  it.each([
    { asked: left - 1, outcome: 'disputed' },
    { asked: left, outcome: 'empty' },
    { asked: left + HOUR, outcome: 'empty' },
  ])(
    'takes "no trade" asked at $asked, the low leaving at its window\'s end, for $outcome',
    ({ asked, outcome }) => {
      const known = anAnsweredRecord('lowest.7d', low);

      const record = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d', asked));

      expect(record.parts['lowest.7d']).toMatchObject({
        outcome,
        since: asked,
        answeredAt: outcome === 'disputed' ? NOON : asked,
      });
      expect(record.unevaluated.map(({ point, seq }) => [seq, point])).toEqual(
        outcome === 'empty' ? [[2, { kind: 'empty', time: left }]] : [],
      );
    },
  );

  it('leave their window when they are that old, however late they were reported', () => {
    const known = anAnsweredRecord('lowest.7d', { ...low, time: NOON });

    const none = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d', left));
    const another = absorb(known, answerOf('lowest.7d', [aTrade('11', NOON)], left + HOUR));

    const times = [none, another].map(({ unevaluated }) =>
      unevaluated.map(({ point }) => point.time),
    );
    expect(times).toEqual([[left], [left]]);
  });

  it('keeps the price that an untimely "no trade" contradicts, and says why', () => {
    const known = anAnsweredRecord('lowest.7d', low);

    const record = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d'));

    expect(record.parts['lowest.7d']).toMatchObject({
      newest: { seq: 1, point: low },
      reason: 'a trade is known within the window',
    });
  });

  it('is not asked again each minute when the answer to a retry contradicts what is known', () => {
    const failing = { outcome: 'failed', failures: 2, retryAt: LATER } as const;
    const known = anAnsweredRecord('lowest.7d', low, failing);

    const record = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d'));

    expect(record.parts['lowest.7d']).not.toHaveProperty('retryAt');
    expect(record.parts['lowest.7d']).toHaveProperty('failures', 5);
  });

  it('reports "no trade" once, from the answer\'s time when nothing was known', () => {
    const known = aContractRecord({ parts: { 'lowest.7d': {} } });

    const once = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d'));
    const twice = absorb(once, refusalOf({ kind: 'empty' }, 'lowest.7d', LATER + HOUR));

    expect(once.unevaluated.map(({ point }) => point)).toEqual([{ kind: 'empty', time: LATER }]);
    expect(twice.seq).toBe(1);
  });

  it('reports no "was" behind "no trade"', () => {
    const known = anAnsweredRecord('lowest.7d', empty);

    const record = absorb(known, answerOf('lowest.7d', [aTrade('12', NOON + 1)]));

    expect(record.unevaluated[0]).not.toHaveProperty('previous');
  });
});

describe('an answer without a value', () => {
  const REFUSALS: readonly (readonly [Refusal, reason: string | undefined, retried: boolean])[] = [
    [{ kind: 'not_ready' }, undefined, true],
    [{ kind: 'throttled', retryAfterSeconds: 9 }, undefined, true],
    [{ kind: 'denied', reason: 'quota' }, 'quota', true],
    [{ kind: 'failed', reason: 'server_error' }, 'server_error', true],
    [{ kind: 'failed', reason: 'garbage' }, 'garbage', true],
    [{ kind: 'not_found' }, undefined, false],
    [{ kind: 'unsupported', reason: 'retired' }, 'retired', false],
  ];

  it.each(REFUSALS)(
    '%o is no price: the last one stays, with the reason beside it',
    (refusal, reason, retried) => {
      const known = anAnsweredRecord('floor', aPrice('60'));

      const record = absorb(known, refusalOf(refusal));

      expect(record).toEqual({
        ...known,
        parts: {
          floor: {
            outcome: refusal.kind,
            ...(reason === undefined ? {} : { reason }),
            since: LATER,
            silentSince: LATER,
            answeredAt: NOON,
            newest: { seq: 1, point: aPrice('60') },
            failures: retried ? 1 : 5,
            ...(retried ? { retryAt: LATER + MINUTE } : {}),
          },
        },
      });
    },
  );

  it('for a floor is an answer, but no price', () => {
    const known = anAnsweredRecord('floor', aPrice('60'));

    const record = absorb(known, refusalOf({ kind: 'empty' }));

    expect(record.unevaluated).toEqual([]);
    expect(record.parts.floor).toMatchObject({ outcome: 'empty', newest: { seq: 1 } });
  });

  it('is asked again after 1, 2, 4 and 8 minutes, then at the cadence', () => {
    const pauses: unknown[] = [];
    let record = aContractRecord();
    for (let failure = 1; failure <= 7; failure += 1) {
      record = absorb(record, refusalOf({ kind: 'failed', reason: 'timeout' }));
      const retryAt = record.parts.floor?.retryAt;
      pauses.push(retryAt === undefined ? 'cadence' : (retryAt - LATER) / MINUTE);
    }

    expect(pauses).toEqual([1, 2, 4, 8, 'cadence', 'cadence', 'cadence']);
  });

  it('begins its retries anew after an answer with one', () => {
    const failing = {
      outcome: 'failed',
      reason: 'timeout',
      failures: 4,
      retryAt: LATER,
      silentSince: NOON,
    } as const;
    const known = anAnsweredRecord('floor', aPrice('60'), failing);

    const record = absorb(known, answerOf('floor', [aPrice('60')]));

    expect(record.parts.floor).toEqual({
      outcome: 'ok',
      since: LATER,
      answeredAt: LATER,
      newest: { seq: 1, point: aPrice('60') },
    });
  });

  it.each([
    { again: { kind: 'denied', reason: 'quota' }, since: NOON },
    { again: { kind: 'denied', reason: 'key' }, since: LATER },
    { again: { kind: 'not_ready' }, since: LATER },
  ] as const)('keeps its "since" while the reason is the same: $again', ({ again, since }) => {
    const known = absorb(aContractRecord(), refusalOf({ kind: 'denied', reason: 'quota' }), NOON);

    expect(absorb(known, refusalOf(again)).parts.floor?.since).toBe(since);
  });

  it('leaves the other parts of the contract alone', () => {
    const known = aContractRecord({ parts: { floor: {}, 'lowest.7d': {} } });
    const failed = refusalOf({ kind: 'failed', reason: 'timeout' });

    const record = absorbAnswers(
      known,
      [failed, answerOf('lowest.7d', [aTrade('10', NOON)])],
      NOON,
    );

    expect(record.parts.floor?.outcome).toBe('failed');
    expect(record.parts['lowest.7d']?.outcome).toBe('ok');
    expect(record.unevaluated).toHaveLength(1);
  });
});

describe('a poll is quiet', () => {
  const known = anAnsweredRecord('floor', aPrice('60'));
  const withPart = (given: Partial<PartRecord>) => anAnsweredRecord('floor', aPrice('60'), given);
  const same = answerOf('floor', [aPrice('60')]);
  const failed = refusalOf({ kind: 'failed', reason: 'timeout' });
  const failing = { outcome: 'failed', reason: 'timeout' } as const;

  it.each<[when: string, quiet: boolean, before: ContractRecord, answer: PartAnswer]>([
    ['the same is said again', true, known, same],
    ['something new is said', false, known, answerOf('floor', [aPrice('61')])],
    ['something is unevaluated', false, { ...known, unevaluated: [anObservation(1, '60')] }, same],
    ['something is wanted', false, { ...known, wanted: { floor: NOON } }, same],
    ['it is the first answer', false, aContractRecord(), same],
    ['a part fails now', false, known, failed],
    ['a part works again', false, withPart({ ...failing, failures: 5 }), same],
    ['a retry fails again', false, withPart({ ...failing, failures: 1, retryAt: LATER }), failed],
    [
      'a part fails again before its retry',
      false,
      withPart({ ...failing, failures: 1, retryAt: LATER + MINUTE }),
      failed,
    ],
    [
      'a part fails as ever',
      true,
      withPart({ ...failing, failures: 5, silentSince: NOON }),
      failed,
    ],
    ['its first record is skipped', false, known, { ...same, skipped: { no_price: 1 } }],
    [
      'records are skipped for a reason that was noted lately',
      true,
      withPart({ skipped: { at: LATER - HOUR + 1, records: { no_price: 2 } } }),
      { ...same, skipped: { no_price: 1 } },
    ],
    [
      'records are skipped for a reason that was noted an hour ago',
      false,
      withPart({ skipped: { at: LATER - HOUR, records: { no_price: 1 } } }),
      { ...same, skipped: { no_price: 1 } },
    ],
    [
      'records are skipped for another reason',
      false,
      withPart({ skipped: { at: LATER - 1, records: { no_price: 1 } } }),
      { ...same, skipped: { other_money: 1 } },
    ],
    [
      'a part that could not be asked is reported again',
      false,
      withPart({ silentSince: NOON }),
      same,
    ],
    [
      'a part fails for another reason',
      false,
      withPart({ ...failing, reason: 'garbage', failures: 5 }),
      failed,
    ],
    [
      'another outcome comes',
      false,
      withPart({ outcome: 'not_found', failures: 5 }),
      refusalOf({ kind: 'unsupported', reason: 'chain' }),
    ],
  ])('when %s: %s', (_when, quiet, before, answer) => {
    expect(isQuiet(before, absorb(before, answer), LATER)).toBe(quiet);
  });

  it('although a part that was not asked has a timer later', () => {
    const later: PartRecord = { ...failing, failures: 1, retryAt: LATER + 1 };
    const before = { ...known, parts: { ...known.parts, 'lowest.7d': later } };

    expect(isQuiet(before, absorb(before, same), LATER)).toBe(true);
    expect(isQuiet(before, absorb(before, same), LATER + 1)).toBe(false);
  });
});
