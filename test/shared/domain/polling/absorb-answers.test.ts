import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import { absorbAnswers, isQuiet, type PartAnswer } from '#shared/domain/polling/absorb-answers.ts';
import {
  type ContractRecord,
  newestOf,
  type PartRecord,
} from '#shared/domain/polling/contract-record.ts';
import { readingOf } from '#shared/domain/timeline/timeline.ts';
import {
  aContractRecord,
  anAnsweredRecord,
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
/** The new points of a part by the steps that wait. */
const newsOf = ({ timeline }: ContractRecord, part: Part = 'floor') =>
  timeline.steps.flatMap(({ points }) => points[part === 'floor' ? 'reported' : part] ?? []);
const pricesOf = (record: ContractRecord) =>
  newsOf(record).flatMap((point) => (point.kind === 'price' ? [point.price] : []));

describe('floors', () => {
  it('are new in their newest point alone in the first answer', () => {
    const answer = answerOf('floor', floors('50', '60', '70').toReversed());

    const record = absorb(aContractRecord(), answer);

    expect(pricesOf(record)).toEqual([eth('70')]);
    expect(record.parts.floor).toEqual({ outcome: 'ok', since: LATER, answeredAt: LATER });
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

    expect(newestOf(committed('54'), 'floor')).toMatchObject({
      ...{ price: eth('58.1'), confirmedBy: 'coingecko' },
    });
    expect(committed('54').parts.floor).toMatchObject({ confirmed: { by: 'coingecko' } });
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

  it('of a price that two providers report stay confirmed for an hour, also before a newer one', () => {
    const floor = aPrice('50', { confirmedBy: 'coingecko' });
    const confirmed = { by: 'coingecko', at: NOON } as const;
    const known = anAnsweredRecord('floor', floor, { confirmed });
    const answer = answerOf('floor', floors('50', '50', '51'));

    const news = newsOf(absorb(known, answer));

    expect(news.map((point) => point.kind === 'price' && point.confirmedBy)).toEqual([
      'coingecko',
      undefined,
    ]);
  });

  it('are all new that are newer than the newest known, oldest first', () => {
    const known = anAnsweredRecord('floor', aPrice('50'));
    const answer = answerOf('floor', floors('50', '60', '70').toReversed());

    expect(pricesOf(absorb(known, answer))).toEqual([eth('60'), eth('70')]);
  });

  it('are new in the 48 newest of an answer; the record notes that some may be missing before them', () => {
    const points = floors(...Array.from({ length: 60 }, (_, index) => `${index + 60}`));

    const answer = answerOf('floor', points, NOON + HOUR);

    const record = absorb(anAnsweredRecord('floor', aPrice('60')), answer);

    expect(pricesOf(record)).toHaveLength(48);
    expect([pricesOf(record).at(0), pricesOf(record).at(-1)]).toEqual([eth('72'), eth('119')]);
    expect(record.past).toEqual({ since: NOON + 12 * MINUTE });
  });

  it.each<[what: string, counts: boolean, point: PricePoint]>([
    ['another price at the same time', true, aPrice('61')],
    ['another currency at the same time', true, aPrice('60', { currency: 'sol' })],
    ['another USD price at the same time', true, aPrice('60', { usd: 2n })],
    ['the same again', false, aPrice('60', { usd: 1n })],
    ['another source of the same', false, aPrice('60', { usd: 1n, source: 'x' })],
    ['an older price', false, aPrice('59', { time: NOON - 1, usd: 1n })],
    ['the same price later', true, aPrice('60', { time: NOON + 1, usd: 1n })],
  ])('are new with %s: %s', (_what, counts, point) => {
    const known = anAnsweredRecord('floor', aPrice('60', { usd: 1n }));

    const record = absorb(known, answerOf('floor', [point]));

    expect(newsOf(record)).toHaveLength(counts ? 1 : 0);
  });

  it('follow the steps that wait', () => {
    const first = absorb(anAnsweredRecord('floor', aPrice('60')), answerOf('floor', floors('59')));
    const newer = aPrice('58', { time: NOON + HOUR });

    const second = absorb(first, answerOf('floor', [newer], NOON + HOUR));

    expect(pricesOf(second)).toEqual([eth('59'), eth('58')]);
    expect(second.timeline.seq).toBeGreaterThan(first.timeline.seq);
  });

  it('that two providers confirm at once or later are marked with the second', () => {
    const floor = aPrice('50');
    const opinions = [
      { provider: 'nft-data', floor },
      { provider: 'coingecko', floor: aPrice('50', { time: LATER }) },
    ] as const;
    const known = absorb(aContractRecord(), answerOf('floor', [floor], NOON));

    const confirmed = absorb(known, { ...answerOf('floor', [floor]), opinions });

    expect(newestOf(known, 'floor')).not.toHaveProperty('confirmedBy');
    expect(newestOf(confirmed, 'floor')).toMatchObject({ confirmedBy: 'coingecko' });
    expect(readingOf(confirmed.timeline).agreed).toMatchObject({ confirmedBy: 'coingecko' });
    expect(confirmed.timeline.steps.at(-2)?.points).toHaveProperty('agreed');
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

  expect(pricesOf(record).at(-1)).toBe(eth('60'));
  expect(record.parts.floor).toMatchObject({ outcome: 'failed', silentSince: LATER, failures: 1 });
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

    expect(newsOf(record, 'lowest.7d')).toEqual(time === null ? [] : [{ ...trade, time }]);
  });

  it('reports the first one at its own time', () => {
    const known = aContractRecord({ parts: { 'lowest.7d': {} } });

    const record = absorb(known, answerOf('lowest.7d', [low]));

    expect(newsOf(record, 'lowest.7d').map(({ time }) => time)).toEqual([old]);
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
      expect(newsOf(record, 'lowest.7d')).toEqual(
        outcome === 'empty' ? [{ kind: 'empty', time: left }] : [],
      );
    },
  );

  it('leave their window when they are that old, however late they were reported', () => {
    const known = anAnsweredRecord('lowest.7d', { ...low, time: NOON });

    const none = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d', left));
    const another = absorb(known, answerOf('lowest.7d', [aTrade('11', NOON)], left + HOUR));

    const times = [none, another].map((record) =>
      newsOf(record, 'lowest.7d').map(({ time }) => time),
    );
    expect(times).toEqual([[left], [left]]);
  });

  it('keeps the price that an untimely "no trade" contradicts, and says why', () => {
    const known = anAnsweredRecord('lowest.7d', low);

    const record = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d'));

    expect(newestOf(record, 'lowest.7d')).toEqual(low);
    expect(record.parts['lowest.7d']).toMatchObject({
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

    expect(newsOf(once, 'lowest.7d')).toEqual([{ kind: 'empty', time: LATER }]);
    expect(newsOf(twice, 'lowest.7d')).toEqual(newsOf(once, 'lowest.7d'));
  });
});

describe('best offers', () => {
  const offer = aPrice('57', { time: NOON });

  it('end with the answer that there is none', () => {
    const known = anAnsweredRecord('offer', offer);

    const once = absorb(known, refusalOf({ kind: 'empty' }, 'offer'));
    const twice = absorb(once, refusalOf({ kind: 'empty' }, 'offer', LATER + HOUR));

    expect(once.parts.offer).toMatchObject({ outcome: 'empty', answeredAt: LATER });
    expect([once, twice].map((record) => newsOf(record, 'offer'))).toEqual([
      [{ kind: 'empty', time: LATER }],
      [{ kind: 'empty', time: LATER }],
    ]);
  });

  it.each<[what: string, last: Point, time: number | null]>([
    ['the same offer again', offer, null],
    ['a lower offer', aPrice('58', { time: NOON }), LATER],
    ['the first offer after there was none', { kind: 'empty', time: NOON }, LATER],
  ])('are new when they are asked for: %s', (_what, last, time) => {
    const asked = { ...offer, time: LATER };

    const record = absorb(anAnsweredRecord('offer', last), answerOf('offer', [asked]));

    expect(newsOf(record, 'offer')).toEqual(time === null ? [] : [{ ...asked, time }]);
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

    expect(record.timeline).toEqual(known.timeline);
    expect(record.parts.floor).toMatchObject({ outcome: 'empty' });
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
    expect(record.timeline.steps).toMatchObject([
      { answeredAt: { 'lowest.7d': expect.any(Number) } },
      { forTimers: true },
    ]);
  });
});

describe('a poll is quiet', () => {
  const known = anAnsweredRecord('floor', aPrice('60'));
  const withSteps = absorb(aContractRecord(), answerOf('floor', [aPrice('60')], NOON));
  const withPart = (given: Partial<PartRecord>) => anAnsweredRecord('floor', aPrice('60'), given);
  const same = answerOf('floor', [aPrice('60')]);
  const failed = refusalOf({ kind: 'failed', reason: 'timeout' });
  const failing = { outcome: 'failed', reason: 'timeout' } as const;

  it.each<[when: string, quiet: boolean, before: ContractRecord, answer: PartAnswer]>([
    ['the same is said again', true, known, same],
    ['something new is said', false, known, answerOf('floor', [aPrice('61')])],
    ['steps wait for their evaluation', false, withSteps, same],
    ['a timer is due', false, { ...known, timers: { answer: LATER } }, same],
    ['a timer is still to come', true, { ...known, timers: { answer: LATER + 1 } }, same],
    ['an episode of a window is open', false, { ...known, timers: { window: LATER + 1 } }, same],
    ['a new watch waits for its first value', false, { ...known, timers: { awaited: NOON } }, same],
    ['the clock decides something', false, { ...known, timers: { clock: LATER } }, same],
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
