import * as z from 'zod';
import type { STANDINGS } from '#shared/domain/evaluation/watch-standing.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { DecimalText, MOMENT, MomentText, partialPage } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';
import { lineDistance, ofWatch, STANDING } from './watches.ts';

const Floor = object('OverviewFloor', 'The floor of a contract.', {
  value: [DecimalText, 'The floor, a decimal in `unit`.'],
  unit: [z.string(), 'The symbol of the currency, in lower case.'],
  usd: [DecimalText.nullable(), 'The same in dollars, if it was reported.'],
  at: [MomentText, `The time of the floor: ${MOMENT}.`],
});

const percent = (span: string) =>
  [
    DecimalText.nullable(),
    `The change in ${span} in percent, cut to two decimals; null if the floor of that time is not known.`,
  ] as const;

const Changes = object('FloorChanges', 'The changes of a floor, in its currency.', {
  '1h': percent('an hour'),
  '24h': percent('24 hours'),
  '7d': percent('seven days'),
});

const NearestLine = object('NearestLine', 'The line nearest to the value of its metric.', {
  watchlist: [Identifier, 'The id of the list.'],
  rule: ofWatch.rule,
  metric: [z.string(), 'The metric of the rule.'],
  unit: [z.string(), 'The unit of `line` and `distance`.'],
  line: [DecimalText, 'The line: the threshold or an edge of the band.'],
  ...lineDistance,
});

const Freshness = object('Freshness', 'The health of the floor; without rules on it, of sales.', {
  state: [
    z.enum(['waiting', 'fresh', 'stale', 'disputed']),
    '`fresh`: all is well. `waiting`: nothing was reported yet. `stale`: no newer value was reported. `disputed`: the data providers contradict each other.',
  ],
  code: [z.string(), 'The reason as a code.'],
  reason: [z.string().nullable(), 'The reason for people; null if all is well.'],
  since: [MomentText.nullable(), `Since when: ${MOMENT}.`],
});

export const OverviewRow = object('OverviewRow', 'A contract at a glance.', {
  contract: [ContractKey, 'The NFT contract.'],
  name: [
    Line.nullable(),
    'The name that one of your lists gives the collection, or else the data provider.',
  ],
  image: [z.string().nullable(), 'The URL of an image of the collection, with `https`.'],
  slug: [z.string().nullable(), 'The slug of the collection at the data provider.'],
  watchlists: [z.array(Identifier), 'The ids of your lists that contain it.'],
  floor: [Floor.nullable(), 'The floor that rules see; null if none is known or no rule needs it.'],
  changes: [Changes, 'How the floor has changed.'],
  sparkline: [
    z.array(z.tuple([MomentText, DecimalText])),
    'At most 48 floors of the last day, each with its time, extremes among them; the first held when the day began.',
  ],
  nearest: [
    NearestLine.nullable(),
    'The nearest line, ahead of the value or just passed; null if no value is known.',
  ],
  freshness: [Freshness, 'The health of its data.'],
  standing: [
    STANDING[0].nullable(),
    'The worst standing of its watches, as `GET /v1/watches` reports them; null without watches.',
  ],
});
export type OverviewRow = Answered<typeof OverviewRow>;

const times = [z.int().min(0), 'How many rules on contracts stand so.'] as const;

export const Counts = object(
  'OverviewCounts',
  'How rules on contracts stand, as `GET /v1/watches` explains. A rule and its no-data watches count once.',
  {
    ...{ firing: times, error: times, noData: times, disputed: times, pending: times },
    ...{ acknowledged: times, waiting: times, ok: times, expired: times, off: times },
  } satisfies Readonly<Record<(typeof STANDINGS)[number], typeof times>>,
);
export type Counts = Answered<typeof Counts>;

export const Overview = object('Overview', 'A page of contracts at a glance.', {
  counts: [Counts, 'How the rules on the contracts of this page stand: sum them over the pages.'],
  checkedAt: [
    MomentText.nullable(),
    `The last minute whose polls were all sent: ${MOMENT}; null before the first.`,
  ],
  contracts: [z.array(OverviewRow), 'The contracts, by chain and address.'],
  ...partialPage,
});
export type Overview = Answered<typeof Overview>;
