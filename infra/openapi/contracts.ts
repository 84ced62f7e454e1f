import * as z from 'zod';
import { PreviewBody } from '#functions/serve-api/contracts/requests.ts';
import { contractRoutes } from '#functions/serve-api/contracts/routes.ts';
import { KINDS } from '#shared/channels/kinds.ts';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import {
  CADENCE,
  DecimalText,
  Forecast,
  LEFT_OUT,
  MOMENT,
  MomentText,
  page,
  reportedPrice,
  UnreadableEntries,
} from '#shared/http/answer-shapes.ts';
import { input, object, register } from '#shared/http/described.ts';
import { alertMembers } from './alerts.ts';
import { alert, forecast, PUNKS, reportedFloor } from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS, pages, SEARCH_PROBLEMS } from './operation.ts';

const KIND_NAMES = Object.keys(KINDS);
const contract = [ContractKey, 'The NFT contract.'] as const;
const PRICE = 'The price, a decimal in `currency`.';

const PartHealth = object('PartHealth', 'The health of the data of a query.', {
  state: [
    z.enum(['waiting', 'fresh', 'stale', 'disputed']),
    '`fresh`: all is well. `waiting`: nothing was reported yet. `stale`: no newer value was reported. `disputed`: the provider contradicts itself, or another one contradicts it.',
  ],
  code: [z.string(), 'The reason as a code.'],
  reason: [z.string().nullable(), 'The reason for people; null if all is well.'],
  since: [MomentText.nullable(), `Since when: ${MOMENT}.`],
  silentSince: [
    MomentText.nullable(),
    `Since when no answer was usable: ${MOMENT}; null while answers are usable.`,
  ],
  retryAt: [
    MomentText.nullable(),
    `When this query alone is sent again, after an answer without a value: ${MOMENT}.`,
  ],
  confirmedBy: [
    Provider.nullable(),
    'The provider of another origin that confirmed the price; null if none did.',
  ],
  confirmedAt: [MomentText.nullable(), `When it was asked: ${MOMENT}; null if none was.`],
});

const ContractPart = object(
  'ContractPart',
  'A query to the data provider, with the last reported price.',
  {
    ...reportedPrice,
    ageMinutes: [z.int().min(0).nullable(), 'How old the price is, in whole minutes.'],
    health: [PartHealth, 'The health of the data.'],
  },
);

const ofCollection = {
  name: [Line, 'Its name, on one line.'],
  slug: [z.string(), 'Its slug at the data provider.'],
  image: [z.string().nullable(), 'The URL of an image of it, with `https`; null without one.'],
} as const;

export const WatchedContract = object('WatchedContract', 'A watched contract.', {
  contract,
  name: [
    Line.nullable(),
    'The name that one of your lists gives the collection, or else the data provider.',
  ],
  watchlists: [z.array(Identifier), 'The ids of your lists that contain it.'],
  collection: [
    object('Collection', 'A collection as the data provider presents it.', ofCollection).nullable(),
    'What the data provider said when the contract came onto a list; null if it was not asked.',
  ],
  cadenceMinutes: CADENCE,
  pollAt: [
    MomentText.nullable(),
    `The minute of the next poll, if rate and budget allow it: ${MOMENT}; null if no rule needs one.`,
  ],
  lackedBy: [
    z.array(Provider),
    'The other providers that do not know it, by their own answer. They neither confirm its floors nor serve as fallback, and are asked again after six hours.',
  ],
  parts: [z.array(ContractPart), 'The queries that rules need, each with the last reported price.'],
});

const ContractPage = object('ContractPage', 'A page of watched contracts.', {
  contracts: [z.array(WatchedContract), 'The contracts, by chain and address.'],
  ...page,
  unreadable: [UnreadableEntries, `${LEFT_OUT} Contracts of such a watchlist may be missing.`],
});

const FoundCollection = object('FoundCollection', 'A collection.', {
  contract: [ContractKey, 'Its NFT contract, as watchlists take it.'],
  ...ofCollection,
});

const CollectionCandidate = object('CollectionCandidate', 'A collection that may be meant.', {
  name: [z.string(), 'Its name.'],
  slug: [z.string(), 'Its slug at the data provider: ask for it with `query`.'],
});

export const FoundCollections = object(
  'FoundCollections',
  'Collections that the data provider found.',
  {
    collection: [
      FoundCollection.nullable(),
      'The collection that is meant; null if none is found for certain.',
    ],
    candidates: [z.array(CollectionCandidate), 'Collections that may be meant otherwise.'],
  },
);

const RecordedPoint = object('RecordedPoint', 'A price that was recorded.', {
  time: [MomentText, `The time of the price: ${MOMENT}.`],
  price: [DecimalText, PRICE],
  currency: [z.string(), reportedPrice.currency[1]],
  usd: [DecimalText.nullable(), reportedPrice.usd[1]],
  source: [z.string().nullable(), reportedPrice.source[1]],
  tradedAt: [MomentText.nullable(), `When a lowest sale was made: ${MOMENT}.`],
  outlier: [
    z.boolean(),
    'Whether it is a floor far from the one before that the next did not confirm: rules ignore it (`outliers`).',
  ],
});

const PriceSpan = object('PriceSpan', 'A time in which prices are not known, or not believed.', {
  from: [MomentText, `Its beginning: ${MOMENT}.`],
  to: [MomentText.nullable(), `Its end: ${MOMENT}; null while it lasts.`],
  reason: [z.string().nullable(), 'The reason for people, if it is known.'],
});

export const Prices = object('Prices', 'The recorded prices of a contract.', {
  contract,
  part: reportedPrice.part,
  points: [
    z.array(RecordedPoint),
    'The prices in the order of time. Each holds until the next; the first may be from before the span, at whose beginning it held.',
  ],
  thinned: [
    z.boolean(),
    'Whether some are left out. Of each stretch of time the first and the last price stay, the lowest and the highest.',
  ],
  gaps: [z.array(PriceSpan), 'The times without prices, as far as they are recorded.'],
  disputes: [
    z.array(PriceSpan),
    'The times in which the data providers contradict each other, as far as they are recorded.',
  ],
});

const NamedMetric = object('NamedMetric', 'A metric as a rule names it.', {
  metric: [z.string(), 'The name in `metric` of a rule.'],
  name: [z.string(), 'Its name in a sentence.'],
  span: [z.string().nullable(), 'The window or the days behind its name; null without a span.'],
  parts: [z.array(reportedPrice.part[0]), 'The queries to the data provider that it is made of.'],
});

const MetricFamily = object('MetricFamily', 'Metrics of one name, each with another span.', {
  id: [z.string(), 'The name without a span.'],
  described: [z.string(), 'What it is, in Markdown.'],
  over: [
    z.enum(['window', 'days', 'nothing']),
    'The kind of span: a `window` over floors, the `days` of a lowest sale, or `nothing`.',
  ],
  metrics: [z.array(NamedMetric), 'The metrics, by their spans.'],
  unit: [
    z.enum(['currency', 'usd', 'percent', 'minutes']),
    'The unit of its values and thresholds. A `currency` is that of the chain if the rule names none.',
  ],
  units: [z.array(z.string()), 'The currencies that a rule may name in `unit`.'],
  thresholds: [
    object('ThresholdRange', 'The numbers between which thresholds lie, both excluded.', {
      above: [DecimalText.nullable(), 'The lower bound; null without one.'],
      below: [DecimalText.nullable(), 'The upper bound; null without one.'],
    }),
    'The numbers between which thresholds lie.',
  ],
  when: [
    z.array(z.enum(['below', 'above', 'outside', 'inside', 'crosses'])),
    'The conditions that it takes.',
  ],
  joins: [z.boolean(), 'Whether it may be one of several conditions in `all`.'],
  takesIgnoreBelow: [z.boolean(), 'Whether a rule may have `ignoreBelow`.'],
});

export const MetricCatalogue = object('MetricCatalogue', 'The metrics of rules.', {
  metrics: [z.array(MetricFamily), 'The metrics, by name.'],
});

const StackHealth = object('StackHealth', 'The health of the stack.', {
  status: [z.literal('ok'), 'The stack works.'],
  dispatchedAt: [MomentText, `The last minute whose polls were all sent: ${MOMENT}.`],
  notes: [
    z.array(z.string()),
    'Limitations that are not failures: a fallback provider is in use; contracts are polled less than half as often as promised, because their tenants need more than their share.',
  ],
});

const times = z.int().min(0);

const PreviewCounts = object('PreviewCounts', 'How many alerts there would have been.', {
  fired: [times, 'How often the rule fired, or its threshold was crossed.'],
  worsened: [times, 'How often a further step was reached.'],
  reminder: [times, 'How many reminders there were.'],
  recovered: [times, 'How many episodes ended with an alert.'],
  closed: [times, 'How many episodes were open when the rule expired.'],
  stale: [times, 'How often no new price came for the time of `noData`.'],
  fresh: [times, 'How often new prices came back.'],
});

const Gap = object('Gap', 'A time without prices.', {
  from: [MomentText, `The last price before it: ${MOMENT}.`],
  to: [MomentText, `The first price after it: ${MOMENT}.`],
});

const PartHistory = object('PartHistory', 'The evaluated prices of a query.', {
  part: reportedPrice.part,
  from: [MomentText.nullable(), `The first evaluated price: ${MOMENT}. It may be before the span.`],
  to: [MomentText.nullable(), `The last evaluated price: ${MOMENT}.`],
  points: [times, 'How many prices there are in the span.'],
  recorded: [times, 'How many prices were polled or imported.'],
  backFilled: [times, 'How many prices the data provider reported for this preview.'],
  typicalMinutes: [
    times.nullable(),
    'The median of the minutes between two prices. After 35 days one price a day is kept.',
  ],
  gaps: [
    times.nullable(),
    'How often there was no price for much longer than that: a change in such a gap is seen at its end. Null for sales.',
  ],
  longestGap: [Gap.nullable(), 'The longest gap.'],
});

const BackFill = object('BackFill', 'The request to the data provider for past floors.', {
  pages: [times, 'How many pages were requested.'],
  trouble: [
    z.string().nullable(),
    'Why some floors are still missing, for people; null if none are.',
  ],
});

const IgnoredPrice = object('IgnoredPrice', 'A price that a rule ignores.', {
  part: reportedPrice.part,
  why: [
    z.enum(['outlier', 'unconfirmed', 'below']),
    '`outlier`: a floor far from the one before, which the next one did not confirm (`outliers` of the rule); `unconfirmed`: a floor that one source reports alone (`minSources` of the rule); `below`: a sale under `ignoreBelow` of the rule.',
  ],
  time: [MomentText, `The time of the price: ${MOMENT}.`],
  price: [z.string(), PRICE],
  currency: [z.string(), reportedPrice.currency[1]],
});

const PreviewedAlert = register({
  name: 'PreviewedAlert',
  schema: RuleAlert,
  side: 'output',
  description: 'An alert that would have been sent.',
  members: alertMembers,
});

const PreviewedMessage = object('PreviewedMessage', 'An alert as a kind of channel is sent it.', {
  kind: [z.enum(KIND_NAMES), 'The kind of channel.'],
  message: [
    z.looseObject({}),
    'What is sent, without addresses and secrets: `subject` and `text` of an email, the alert itself to programs, to a service what its interface takes.',
  ],
});

const ContractPreview = object(
  'ContractPreview',
  'The alerts that a rule would have sent about a contract.',
  {
    contract,
    counts: [
      PreviewCounts.nullable(),
      'How many alerts there would have been; null if the rule could not be evaluated.',
    ],
    notTested: [
      z.string().nullable(),
      'Why the rule could not be evaluated: the prices that it needs are not recorded. Null if it was evaluated.',
    ],
    pendingEnded: [
      times,
      'How often the rule was pending, and the value came back before the rule fired.',
    ],
    until: [
      MomentText,
      `The end of the replay: ${MOMENT}. It is the end of the span, unless the rule would have sent too many alerts.`,
    ],
    alerts: [
      z.array(PreviewedAlert),
      'The first two hundred alerts, oldest first, as they would have been sent; their watchlist is `preview`.',
    ],
    messages: [
      z.array(PreviewedMessage).nullable(),
      'How each kind of channel would show the last of `alerts`; null without alerts.',
    ],
    ignored: [
      z.array(IgnoredPrice),
      'The first two hundred prices that the rule ignored, oldest first.',
    ],
    history: [z.array(PartHistory), 'The evaluated prices, by query.'],
    backFill: [
      BackFill.nullable(),
      'The request to the data provider for floors that were not recorded; null if none were missing.',
    ],
    forecast: [
      Forecast,
      'What would happen at the next answer of the data provider, if the rule were created now.',
    ],
  },
);

export const Preview = object('Preview', 'The alerts that a rule would have sent.', {
  from: [MomentText, `The beginning of the span: ${MOMENT}.`],
  to: [MomentText, `The end of the span: ${MOMENT}.`],
  notes: [z.array(z.string()), 'Limitations of the recorded data.'],
  contracts: [z.array(ContractPreview), 'The result for each contract that the rule is on.'],
});

input('PreviewInput', PreviewBody, 'A rule to evaluate on past prices.', {
  rule: 'The rule, as in a list. A paused rule is evaluated too.',
  contracts:
    'The NFT contracts, at most five: each by its address, or by what its collection is called.',
  from: 'The beginning of the span, with its zone. Not with `days`.',
  to: 'The end of the span, with its zone; now if left out.',
  days: 'The length of the span in days; thirty if `from` is left out too.',
});

const watched = {
  contract: PUNKS,
  name: 'Punks',
  watchlists: ['punks'],
  collection: { name: 'CryptoPunks', slug: 'cryptopunks', image: null },
  cadenceMinutes: 30,
  pollAt: '2026-11-21T12:29:00.000Z',
  lackedBy: [],
  parts: [
    {
      ...reportedFloor,
      ageMinutes: 31,
      health: {
        ...{ state: 'fresh', code: 'ok', reason: null, since: '2026-11-14T09:29:02.000Z' },
        ...{ silentSince: null, retryAt: null },
        ...{ confirmedBy: 'coingecko', confirmedAt: '2026-11-21T12:00:00.000Z' },
      },
    },
  ],
};

const recorded = {
  ...{ time: '2026-11-21T11:30:00.000Z', price: '61.25', currency: 'eth', usd: '185201.32' },
  ...{ source: 'opensea', tradedAt: null, outlier: false },
};

const prices = {
  contract: PUNKS,
  part: 'floor',
  points: [{ ...recorded, time: '2026-11-21T10:30:00.000Z', price: '61.5' }, recorded],
  ...{ thinned: false, gaps: [], disputes: [] },
};

const floorDrop = {
  ...{ id: 'floor_drop_pct', over: 'window', unit: 'percent', units: ['eth', 'usd'] },
  described: '`floor_drop_pct.<window>`: how far the floor has fallen, in percent.',
  metrics: [
    {
      ...{ metric: 'floor_drop_pct.24h', name: 'floor price drop in 24h', span: '24h' },
      parts: ['floor'],
    },
  ],
  thresholds: { above: null, below: '100' },
  when: ['below', 'above', 'outside', 'inside', 'crosses'],
  ...{ joins: true, takesIgnoreBelow: false },
};

const previewBody = {
  rule: { metric: 'floor_price', when: 'below', threshold: '60', recover: '70' },
  contracts: [{ contract: PUNKS, name: 'CryptoPunks' }],
  days: 30,
};

const {
  self: _self,
  acknowledged: _acknowledged,
  deliveries: _deliveries,
  operators: _operators,
  ...fired
} = alert;

const preview = {
  from: '2026-10-22T12:00:00.000Z',
  to: '2026-11-21T12:00:00.000Z',
  notes: [],
  contracts: [
    {
      contract: PUNKS,
      counts: { fired: 1, worsened: 0, reminder: 0, recovered: 0, closed: 0, stale: 0, fresh: 0 },
      notTested: null,
      pendingEnded: 0,
      until: '2026-11-21T12:00:00.000Z',
      alerts: [{ ...fired, watchlist: 'preview', rule: 'rule-1' }],
      messages: [
        {
          kind: 'telegram',
          message: { text: '<b>CryptoPunks below 60 ETH: 59.9 ETH</b>', parse_mode: 'HTML' },
        },
      ],
      ignored: [],
      history: [
        {
          ...{ part: 'floor', from: '2026-10-22T11:30:00.000Z', to: '2026-11-21T11:30:00.000Z' },
          ...{ points: 720, recorded: 241, backFilled: 480, typicalMinutes: 60 },
          ...{ gaps: 0, longestGap: null },
        },
      ],
      backFill: { pages: 8, trouble: null },
      forecast,
    },
  ],
};

/** Watched contracts, previews of rules, and the health of the stack. */
export const contractOperations = describeRoutes(contractRoutes, {
  'GET /v1/contracts': {
    id: 'listWatchedContracts',
    tag: 'Contracts',
    summary: 'List the contracts on the watchlists of the tenant',
    query: pages,
    answers: {
      200: json('A page of contracts.', ContractPage, {
        contracts: [watched],
        cursor: null,
        unreadable: [],
      }),
    },
  },
  'GET /v1/contracts/{contract}': {
    id: 'getWatchedContract',
    tag: 'Contracts',
    summary: 'Read the last reported prices of a contract, and their health',
    description: 'The answer is 404 for a contract on none of your watchlists.',
    answers: { 200: json('The contract.', WatchedContract, watched) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/contracts/{contract}/prices': {
    id: 'getContractPrices',
    tag: 'Contracts',
    summary: 'Read the recorded prices of a contract, as many as a chart shows',
    description:
      'Each price is kept for 35 days, and the last of each UTC day for ever. If there are more than `points`, extremes stay.',
    query: {
      part: 'The query to the data provider: the floor, or the lowest sale of the last N days.',
      from: 'The first moment of the span, with its zone; the first recorded price if left out.',
      to: 'The last moment of the span, with its zone; now if left out.',
      points: 'The maximum number of prices.',
    },
    answers: { 200: json('The prices.', Prices, prices) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/contracts/{contract}/picture': {
    id: 'getContractPicture',
    tag: 'Contracts',
    summary: 'Read the picture of the collection of a contract',
    description:
      'It comes from the address that the data provider has reported (`image`), within three seconds and up to a megabyte: PNG, JPEG, GIF, WebP or AVIF. Drawings (SVG) are not shown. If the host has no picture, the answer is 404.',
    answers: {
      200: {
        description: 'The picture, as its host has it.',
        type: 'image/*',
        headers: {
          'Cache-Control': 'How long it may be cached.',
          'Content-Security-Policy': 'Nothing within it is run or loaded.',
          'X-Content-Type-Options': 'The type is as declared.',
        },
      },
    },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/collections': {
    id: 'searchCollections',
    tag: 'Contracts',
    summary: 'Find the contract of a collection by its name, slug or link',
    description:
      'Asks the data provider, within the daily share of the tenant. If several collections may be meant, `candidates` lists them: ask again with a slug. The answer is 501 if the provider cannot search.',
    query: { query: 'The name of the collection, its slug, a link to it, or `<chain>:<address>`.' },
    answers: {
      200: json('What was found.', FoundCollections, {
        collection: {
          contract: 'eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d',
          name: 'Bored Ape Yacht Club',
          slug: 'boredapeyachtclub',
          image: 'https://i2c.seadn.io/ethereum/bored-ape.png',
        },
        candidates: [],
      }),
    },
    problems: ['not_found', 'not_supported', ...SEARCH_PROBLEMS],
  },
  'GET /v1/metrics': {
    id: 'listMetrics',
    tag: 'Rules',
    summary: 'List the metrics of rules, and what each takes',
    answers: { 200: json('The metrics.', MetricCatalogue, { metrics: [floorDrop] }) },
  },
  'POST /v1/rules/preview': {
    id: 'previewRule',
    tag: 'Rules',
    summary:
      'Preview a rule on past prices of contracts: when it would have fired, and with which messages',
    description:
      'The rule is evaluated at each recorded price of the span, by the code that evaluates all rules, as if it had been created at the beginning of the span and each price had been reported at once. Floors that were not recorded are requested from the data provider, at most ten pages; for a contract on none of your lists only these are evaluated. Nothing is stored.',
    bodies: { 'thirty days': previewBody },
    answers: { 200: json('The alerts that it would have sent.', Preview, preview) },
    problems: SEARCH_PROBLEMS,
  },
  'GET /v1/health': {
    id: 'getHealth',
    tag: 'Health',
    summary: 'Read the health of the stack',
    description:
      'Cached for ten seconds. It covers the stack as a whole; contracts, watches and channels have a health of their own.',
    answers: {
      200: json(
        'The stack works.',
        StackHealth,
        { status: 'ok', dispatchedAt: '2026-11-21T12:01:00.000Z', notes: [] },
        { 'Cache-Control': 'How long it may be cached.' },
      ),
    },
    problems: ['unhealthy'],
  },
});
