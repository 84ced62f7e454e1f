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

/** The decision between a floor of OpenSea and one of CoinGecko, given an earlier floor. */
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
    ['agree within two percent, and the floor of the first counts', '10', '10.2', 'first 1000'],
    ['agree at two percent', '9.8', '10', 'first 980'],
    ['agree on the value nearer to the earlier floor if both fell', '7', '8', 'other 800'],
    ['agree on the first if it is the nearer', '8', '7', 'first 800'],
    ['agree on the value nearer to the earlier floor if both rose', '14', '12', 'other 1200'],
    [
      'disagree if only the first fell',
      '6',
      '10',
      'opensea reports 6 ETH, coingecko reports 10 ETH',
    ],
    [
      'disagree if only the second fell',
      '10',
      '6',
      'opensea reports 10 ETH, coingecko reports 6 ETH',
    ],
    [
      'disagree if they moved in opposite directions',
      '9',
      '11',
      'opensea reports 9 ETH, coingecko reports 11 ETH',
    ],
  ])('two providers %s', (_, opensea, coingecko, said) => {
    expect(compared(knownAt('10'), opensea, coingecko)).toBe(said);
  });

  it('two providers disagree on a first floor beyond two percent, because either may be right', () => {
    const said = 'opensea reports 10 ETH, coingecko reports 10.3 ETH';

    expect(compared(aContractRecord(), '10', '10.3')).toBe(said);
  });

  it.each([
    ['in another currency', { currency: 'pol' }],
    ['older than two hours', { time: NOW - 2 * HOUR - 1 }],
  ])('two floors are not compared if one is %s', (_, given) => {
    expect(compared(knownAt('10'), '6', '10', given)).toBe('single');
  });

  it.each([
    ['the first floor', '6.1', 'first 600'],
    ['the second floor', '10.1', 'other 1000'],
  ])('a later sale near %s settles a disagreement', (_, sold, said) => {
    const record = knownAt('10');
    const sale = aTrade(sold, NOON + MINUTE);
    const timeline = aTimeline({ floor: aPrice('10'), 'lowest.7d': sale });

    expect(compared({ ...record, timeline }, '6', '10')).toBe(said);
  });

  it('an earlier sale does not settle a disagreement', () => {
    const record = knownAt('10');
    const sale = aTrade('6', NOON - MINUTE);
    const timeline = aTimeline({ floor: aPrice('10'), 'lowest.7d': sale });

    expect(compared({ ...record, timeline }, '6', '10')).toContain('reports');
  });

  it('two floors are compared with the accepted floor, not with a suspect', () => {
    const record = knownAt('10');
    const floors = [aPrice('6', { time: NOON + MINUTE })];
    const answers = { ...answeredBy(NOON + MINUTE, ['floor']), floors, latest: {} } as const;
    const timeline = appendPoll(record.timeline, answers, false);

    expect(timeline.suspect).toBeDefined();
    expect(compared({ ...record, timeline }, '6', '10')).toContain('reports');
  });

  it('a disagreement of two providers ends after a day, and only the first provider is trusted from then on', () => {
    const record = anAnsweredRecord('floor', aPrice('10'), { disputedSince: NOON });

    expect(compared(record, '6', '10', { now: NOON + 25 * HOUR, time: NOON + 25 * HOUR })).toBe(
      'single',
    );
    expect(compared(record, '6', '10', { now: NOON + 24 * HOUR, time: NOON + 24 * HOUR })).toBe(
      'opensea reports 6 ETH, coingecko reports 10 ETH',
    );
  });
});

describe('second opinions', () => {
  const needed = (record: ContractRecord, price: string, currency = 'eth') =>
    needsSecondOpinion(record, aPrice(price, { time: NOW, currency }), NOW);
  const confirmed = (at: number, given: object = {}) =>
    anAnsweredRecord('floor', aPrice('10'), { confirmed: { by: 'coingecko', at }, ...given });

  it.each([
    ['for the first floor', needed(aContractRecord(), '10'), true],
    ['for a new price', needed(confirmed(NOON), '10.1'), true],
    ['for another currency', needed(confirmed(NOON), '10', 'pol'), true],
    ['while the providers disagree', needed(confirmed(NOON, { outcome: 'disputed' }), '10'), true],
    ['for a price without confirmation', needed(knownAt('10'), '10'), true],
    ['again an hour after a confirmation', needed(confirmed(NOW - HOUR), '10'), true],
    ['less than an hour after a confirmation', needed(confirmed(NOW - HOUR + 1), '10'), false],
  ])('decides whether to request a second opinion %s', (_, is, expected) => {
    expect(is).toBe(expected);
  });
});
