import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { compareOpinions, needsSecondOpinion } from '#shared/domain/polling/second-opinion.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import {
  aContractRecord,
  anAnsweredRecord,
  answeredBy,
  aPrice,
  aTimeline,
  aTrade,
  NOON,
} from '#test/support/builders.ts';

const NOW = NOON + 10 * MINUTE;
const knownAt = (price: string) => anAnsweredRecord('floor', aPrice(price));

/** What OpenSea and CoinGecko say now of a floor that was known before. */
function compared(
  record: ContractRecord,
  opensea: string,
  coingecko: string,
  { currency = 'eth', time = NOW, now = NOW } = {},
): string {
  const verdict = compareOpinions(
    record,
    { provider: 'opensea', floor: aPrice(opensea, { time: now }) },
    { provider: 'coingecko', floor: aPrice(coingecko, { time, currency, source: 'other' }) },
    now,
  );
  if (verdict.kind === 'disputed') return verdict.reason;
  if (verdict.kind === 'single') return 'single';
  const { price, source = 'first' } = verdict.floor;
  return `${source} ${price / 10n ** 16n}`;
}

describe('two providers of different origin', () => {
  it.each([
    ['agree within two percent, and the first is the floor', '10', '10.2', 'first 1000'],
    ['agree at two percent', '9.8', '10', 'first 980'],
    ['agree on what is nearer to the floor before, where both fell', '7', '8', 'other 800'],
    ['agree on the first, where it is the nearer', '8', '7', 'first 800'],
    ['agree on what is nearer, where both rose', '14', '12', 'other 1200'],
    ['disagree where only one fell', '6', '10', 'opensea says 6 ETH, coingecko says 10 ETH'],
    ['disagree where only the other fell', '10', '6', 'opensea says 10 ETH, coingecko says 6 ETH'],
    ['disagree where they went apart', '9', '11', 'opensea says 9 ETH, coingecko says 11 ETH'],
  ])('%s', (_, opensea, coingecko, said) => {
    expect(compared(knownAt('10'), opensea, coingecko)).toBe(said);
  });

  it('disagree on a first floor beyond two percent: neither is known to be right', () => {
    const said = 'opensea says 10 ETH, coingecko says 10.3 ETH';

    expect(compared(aContractRecord(), '10', '10.3')).toBe(said);
  });

  it.each([
    ['in other money', { currency: 'pol' }],
    ['older than two hours', { time: NOW - 2 * HOUR - 1 }],
  ])('are not compared where one is %s', (_, given) => {
    expect(compared(knownAt('10'), '6', '10', given)).toBe('single');
  });

  it.each([
    ['the first', '6.1', 'first 600'],
    ['the other', '10.1', 'other 1000'],
  ])('are decided by a sale near %s since the floor before', (_, sold, said) => {
    const record = knownAt('10');
    const sale = aTrade(sold, NOON + MINUTE);
    const timeline = aTimeline({ floor: aPrice('10'), 'lowest.7d': sale });

    expect(compared({ ...record, timeline }, '6', '10')).toBe(said);
  });

  it('are not decided by a sale from before', () => {
    const record = knownAt('10');
    const sale = aTrade('6', NOON - MINUTE);
    const timeline = aTimeline({ floor: aPrice('10'), 'lowest.7d': sale });

    expect(compared({ ...record, timeline }, '6', '10')).toContain('says');
  });

  it('compare with the floor that stands, not with an outlier that is held back', () => {
    const record = knownAt('10');
    const floors = [aPrice('6', { time: NOON + MINUTE })];
    const answers = { ...answeredBy(NOON + MINUTE, ['floor']), floors, latest: {} } as const;
    const timeline = appendPoll(record.timeline, answers, false);

    expect(timeline.suspect).toBeDefined();
    expect(compared({ ...record, timeline }, '6', '10')).toContain('says');
  });

  it('disagree for a day; then the first is believed alone', () => {
    const record = anAnsweredRecord('floor', aPrice('10'), { disputedSince: NOON });

    expect(compared(record, '6', '10', { now: NOON + 25 * HOUR, time: NOON + 25 * HOUR })).toBe(
      'single',
    );
    expect(compared(record, '6', '10', { now: NOON + 24 * HOUR, time: NOON + 24 * HOUR })).toBe(
      'opensea says 6 ETH, coingecko says 10 ETH',
    );
  });
});

describe('a second opinion is asked for', () => {
  const needed = (record: ContractRecord, price: string, currency = 'eth') =>
    needsSecondOpinion(record, aPrice(price, { time: NOW, currency }), NOW);
  const confirmed = (at: number, given: object = {}) =>
    anAnsweredRecord('floor', aPrice('10'), { confirmed: { by: 'coingecko', at }, ...given });

  it.each([
    ['of the first floor', needed(aContractRecord(), '10'), true],
    ['of a new price', needed(confirmed(NOON), '10.1'), true],
    ['of other money', needed(confirmed(NOON), '10', 'pol'), true],
    ['while they disagree', needed(confirmed(NOON, { outcome: 'disputed' }), '10'), true],
    ['of what nobody has confirmed', needed(knownAt('10'), '10'), true],
    ['again an hour after a confirmation', needed(confirmed(NOW - HOUR), '10'), true],
    ['not before', needed(confirmed(NOW - HOUR + 1), '10'), false],
  ])('%s', (_, is, expected) => {
    expect(is).toBe(expected);
  });
});
