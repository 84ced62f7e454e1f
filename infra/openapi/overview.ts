import * as z from 'zod';
import { overviewRoutes } from '#functions/serve-api/watchlists/overview-routes.ts';
import type { STANDINGS } from '#shared/domain/evaluation/watch-standing.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { DecimalText, MOMENT, MomentText, partialPage } from '#shared/http/answer-shapes.ts';
import { object } from '#shared/http/described.ts';
import { PUNKS } from './examples.ts';
import { describeRoutes, json, pages } from './operation.ts';
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

const OverviewRow = object('OverviewRow', 'A contract at a glance.', {
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

const times = [z.int().min(0), 'How many rules on contracts stand so.'] as const;

const Counts = object(
  'OverviewCounts',
  'How rules on contracts stand, as `GET /v1/watches` explains. A rule and its no-data watches count once.',
  {
    ...{ firing: times, error: times, noData: times, disputed: times, pending: times },
    ...{ acknowledged: times, waiting: times, ok: times, off: times },
  } satisfies Readonly<Record<(typeof STANDINGS)[number], typeof times>>,
);

export const Overview = object('Overview', 'A page of contracts at a glance.', {
  counts: [Counts, 'How the rules on the contracts of this page stand: sum them over the pages.'],
  checkedAt: [
    MomentText.nullable(),
    `The last minute whose polls were all sent: ${MOMENT}; null before the first.`,
  ],
  contracts: [z.array(OverviewRow), 'The contracts, by chain and address.'],
  ...partialPage,
});

const row = {
  contract: PUNKS,
  ...{ name: 'CryptoPunks', image: null, slug: 'cryptopunks', watchlists: ['punks'] },
  floor: { value: '61.25', unit: 'eth', usd: '185201.32', at: '2026-11-21T11:30:00.000Z' },
  changes: { '1h': '-0.4', '24h': '-2.15', '7d': null },
  sparkline: [
    ['2026-11-20T11:30:00.000Z', '62.6'],
    ['2026-11-21T11:30:00.000Z', '61.25'],
  ],
  nearest: {
    ...{ watchlist: 'punks', rule: 'floor-60', metric: 'floor_price', unit: 'eth' },
    ...{ line: '60', distance: '1.25', distancePct: '2.04', direction: 'falls' },
  },
  freshness: { state: 'fresh', code: 'ok', reason: null, since: '2026-11-20T09:00:00.000Z' },
  standing: 'ok',
};

const overview = {
  counts: {
    ...{ firing: 0, error: 0, noData: 0, disputed: 0, pending: 0 },
    ...{ acknowledged: 0, waiting: 0, ok: 1, off: 0 },
  },
  checkedAt: '2026-11-21T12:01:00.000Z',
  contracts: [row],
  cursor: null,
  unreadable: [],
};

/** The contracts of all lists at a glance. */
export const overviewOperations = describeRoutes(overviewRoutes, {
  'GET /v1/overview': {
    id: 'getOverview',
    tag: 'Watches',
    summary: 'Read the contracts of all watchlists at a glance: floors, changes, nearest lines',
    description: 'Ask again with `If-None-Match`: while nothing has changed, the answer is 304.',
    query: pages,
    answers: { 200: json('A page of contracts.', Overview, overview) },
    problems: ['unreadable'],
  },
});
