import * as z from 'zod';
import type { STATUSES } from '#shared/domain/evaluation/watch-status.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { DecimalText, MOMENT, MomentText, partialPage } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';
import { lineDistance, ofWatch, STATUS } from './watches.ts';

const Floor = object('OverviewFloor', 'The floor of a contract.', {
  value: [DecimalText, 'The floor, a decimal in `unit`.'],
  unit: [z.string(), 'The symbol of the currency, in lower case.'],
  usd: [DecimalText.nullable(), 'The floor in dollars; null if no dollar value was reported.'],
  at: [MomentText, `The time of the floor: ${MOMENT}.`],
});

const percent = (span: string) =>
  [
    DecimalText.nullable(),
    `The change over ${span}, in percent, truncated to two fraction digits; null if the earlier floor is unknown.`,
  ] as const;

const Changes = object('FloorChanges', 'The changes of a floor, in its currency.', {
  '1h': percent('the last hour'),
  '24h': percent('the last 24 hours'),
  '7d': percent('the last seven days'),
});

const NearestLine = object(
  'NearestLine',
  'The threshold or band edge that is nearest to the current value.',
  {
    watchlist: [Identifier, 'The id of the list.'],
    rule: ofWatch.rule,
    metric: [z.string(), 'The metric of the rule.'],
    unit: [z.string(), 'The unit of `line` and `distance`.'],
    line: [DecimalText, 'The line: the threshold or an edge of the band.'],
    ...lineDistance,
  },
);

const Freshness = object(
  'Freshness',
  'The health of the floor, or, if no rule needs the floor, the health of the first price series that rules need.',
  {
    state: [
      z.enum(['waiting', 'fresh', 'stale', 'disputed']),
      '`fresh`: the latest response is usable. `waiting`: no value has been received yet. `stale`: the latest responses are not usable. `disputed`: the data providers contradict each other.',
    ],
    code: [z.string(), 'The reason as a code.'],
    reason: [z.string().nullable(), 'The reason in words; null if the data are fresh.'],
    since: [MomentText.nullable(), `The time at which the data entered this state: ${MOMENT}.`],
  },
);

export const OverviewRow = object('OverviewRow', 'A summary of a contract.', {
  contract: [ContractKey, 'The NFT contract.'],
  name: [
    Line.nullable(),
    'The name of the collection: from one of your lists, or, if the lists have none, from the data provider.',
  ],
  image: [
    z.string().nullable(),
    'The `https` URL of an image of the collection; null if there is none.',
  ],
  slug: [z.string().nullable(), 'The slug of the collection at the data provider.'],
  watchlists: [z.array(Identifier), 'The ids of your lists that contain the contract.'],
  floor: [
    Floor.nullable(),
    'The floor that rules evaluate; null if the floor is unknown or no rule needs it.',
  ],
  changes: [Changes, 'The changes of the floor.'],
  sparkline: [
    z.array(z.tuple([MomentText, DecimalText])),
    'At most 48 floors of the last 24 hours, each with its time. They include the lowest and the highest floor. The first floor is the one that was valid at the start of the 24 hours.',
  ],
  nearest: [
    NearestLine.nullable(),
    'The nearest line above or below the current value; null if the value is unknown.',
  ],
  freshness: [Freshness, 'The health of the data.'],
  status: [
    STATUS[0].nullable(),
    'The worst status of the watches on the contract (`GET /v1/watches`); null if there are no watches.',
  ],
});
export type OverviewRow = Answered<typeof OverviewRow>;

const times = [
  z.int().min(0),
  'The number of rules in this state. A rule counts once for each of its contracts.',
] as const;

export const Counts = object(
  'OverviewCounts',
  'The number of rules in each state, as in `GET /v1/watches`. For each contract, a rule counts once, together with its no-data watches.',
  {
    ...{ firing: times, error: times, noData: times, disputed: times, pending: times },
    ...{ acknowledged: times, waiting: times, ok: times, expired: times, off: times },
  } satisfies Readonly<Record<(typeof STATUSES)[number], typeof times>>,
);
export type Counts = Answered<typeof Counts>;

export const Overview = object('Overview', 'A page of contract summaries.', {
  counts: [
    Counts,
    'The number of rules in each state, for the contracts of this page. Add up all pages for the total.',
  ],
  checkedAt: [
    MomentText.nullable(),
    `The latest minute for which all polls were sent: ${MOMENT}; null before the first one.`,
  ],
  contracts: [z.array(OverviewRow), 'The contracts, sorted by chain and address.'],
  ...partialPage,
});
export type Overview = Answered<typeof Overview>;
