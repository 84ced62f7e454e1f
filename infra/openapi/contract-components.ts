import {
  BackFillAnswer,
  CandidateAnswer,
  CollectionAnswer,
  CollectionsAnswer,
  ContractAnswer,
  ContractPage,
  ContractPreview,
  GapAnswer,
  HistoryPage,
  IgnoredAnswer,
  PartAnswer,
  PartHealthAnswer,
  PartHistory,
  PreviewAnswer,
  PreviewCounts,
  PreviewedAlert,
  RecordedAnswer,
  StackHealth,
} from '#functions/read-contracts/answers.ts';
import { PreviewBody } from '#functions/read-contracts/requests.ts';
import alertSchema from '#shared/domain/alerting/alert.schema.json' with { type: 'json' };
import { type Component, input, LEFT_OUT, MOMENT, NEXT_PAGE, output } from './component.ts';

const contract = 'The NFT contract.';
const part = 'The query to the data provider: `floor`, or `lowest.<N>d`.';
const price = 'The price, a decimal in `currency`.';

/** The members of an alert. */
export const alertMembers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(alertSchema.properties).map(([name, { description }]) => [name, description]),
);

/** The members of a reported price. */
export const reportedMembers = {
  part,
  price: 'The price, a decimal in `currency`; null if the answer has none.',
  currency: 'The symbol of the currency, in lower case.',
  usd: 'The price in dollars, a decimal, if it was reported.',
  dataTime: `The time of the price: ${MOMENT}.`,
  source: 'The source: marketplaces of a floor, the transaction of a sale.',
  answeredAt: `When the last answered query was sent: ${MOMENT}.`,
} as const;

/** Watched contracts, and the health of the stack. */
export const contractComponents: readonly Component[] = [
  output('WatchedContract', ContractAnswer, 'A watched contract.', {
    contract,
    name: 'The name of the collection, if a list has one.',
    watchlists: 'The ids of your lists that contain it.',
    cadenceMinutes: 'Minutes between two polls of a contract.',
    pollAt: `The minute of the next poll, if rate and budget allow it: ${MOMENT}; null if no rule needs one.`,
    parts: 'The queries that rules need, each with the last reported price.',
  }),
  output('ContractPage', ContractPage, 'A page of watched contracts.', {
    contracts: 'The contracts, by chain and address.',
    cursor: NEXT_PAGE,
    unreadable: `${LEFT_OUT} Contracts of such a watchlist may be missing.`,
  }),
  output('FoundCollections', CollectionsAnswer, 'Collections that the data provider found.', {
    collection: 'The collection that is meant; null if none is found for certain.',
    candidates: 'Collections that may be meant otherwise.',
  }),
  output('FoundCollection', CollectionAnswer, 'A collection.', {
    contract: 'Its NFT contract, as watchlists take it.',
    name: 'Its name.',
  }),
  output('CollectionCandidate', CandidateAnswer, 'A collection that may be meant.', {
    name: 'Its name.',
    slug: 'Its slug at the data provider: ask for it with `query`.',
  }),
  output(
    'ContractPart',
    PartAnswer,
    'A query to the data provider, with the last reported price.',
    {
      ...reportedMembers,
      ageMinutes: 'How old the price is, in whole minutes.',
      health: 'The health of the data.',
    },
  ),
  output('PartHealth', PartHealthAnswer, 'The health of the data of a query.', {
    state:
      '`fresh`: all is well. `waiting`: nothing was reported yet. `stale`: no newer value was reported. `disputed`: the provider contradicts itself, or another one contradicts it.',
    code: 'The reason as a code.',
    reason: 'The reason for people; null if all is well.',
    since: `Since when: ${MOMENT}.`,
    silentSince: `Since when no answer was usable: ${MOMENT}; null while answers are usable.`,
    retryAt: `When this query alone is sent again, after an answer without a value: ${MOMENT}.`,
    confirmedBy: 'The provider of another origin that vouched for the price; null if none did.',
    confirmedAt: `When it was asked: ${MOMENT}; null if none was.`,
  }),
  output('RecordedPoint', RecordedAnswer, 'A price that was recorded.', {
    time: `The time of the price: ${MOMENT}.`,
    price,
    currency: reportedMembers.currency,
    usd: reportedMembers.usd,
    source: reportedMembers.source,
    tradedAt: `When a lowest sale was made: ${MOMENT}.`,
  }),
  output('HistoryPage', HistoryPage, 'A page of recorded prices of a contract.', {
    contract,
    part,
    points: 'The prices, newest first.',
    cursor: NEXT_PAGE,
  }),
  output('StackHealth', StackHealth, 'The health of the stack.', {
    status: 'The stack works.',
    dispatchedAt: `The last minute whose polls were all sent: ${MOMENT}.`,
    notes:
      'Limitations that are not failures: contracts that are polled less than half as often as promised, because their tenants need more than their share.',
  }),
  input('PreviewInput', PreviewBody, 'A rule to evaluate on past prices.', {
    rule: 'The rule, as in a list. A paused rule is evaluated too.',
    contracts: 'The NFT contracts, at most five.',
    from: 'The beginning of the span, with its zone. Not with `days`.',
    to: 'The end of the span, with its zone; now if left out.',
    days: 'The length of the span in days; thirty if `from` is left out too.',
  }),
  output('Preview', PreviewAnswer, 'The alerts that a rule would have sent.', {
    from: `The beginning of the span: ${MOMENT}.`,
    to: `The end of the span: ${MOMENT}.`,
    notes: 'Limitations of the recorded data.',
    contracts: 'The result for each contract that the rule is on.',
  }),
  output(
    'ContractPreview',
    ContractPreview,
    'The alerts that a rule would have sent about a contract.',
    {
      contract,
      counts: 'How many alerts there would have been; null if the rule could not be evaluated.',
      notTested:
        'Why the rule could not be evaluated: the prices that it needs are not recorded. Null if it was evaluated.',
      pendingEnded:
        'How often the rule was pending, and the value came back before the rule fired.',
      until: `The end of the replay: ${MOMENT}. It is the end of the span, unless the rule would have sent too many alerts.`,
      alerts:
        'The first two hundred alerts, oldest first, as they would have been sent; their watchlist is `preview`.',
      ignored: 'The first two hundred prices that the rule ignored, oldest first.',
      history: 'The evaluated prices, by query.',
      backFill:
        'The request to the data provider for floors that were not recorded; null if none were missing.',
      forecast:
        'What would happen at the next answer of the data provider, if the rule were created now.',
    },
  ),
  output('IgnoredPrice', IgnoredAnswer, 'A price that a rule ignores.', {
    part,
    why: '`outlier`: a floor far from the one before, which the next one did not confirm (`outliers` of the rule); `below`: a sale under `ignoreBelow` of the rule.',
    time: `The time of the price: ${MOMENT}.`,
    price,
    currency: reportedMembers.currency,
  }),
  output('PreviewCounts', PreviewCounts, 'How many alerts there would have been.', {
    fired: 'How often the rule fired, or its threshold was crossed.',
    worsened: 'How often a further step was reached.',
    reminder: 'How many reminders there were.',
    recovered: 'How many episodes ended with an alert.',
    closed: 'How many episodes were open when the rule expired.',
    stale: 'How often no new price came for the time of `noData`.',
    fresh: 'How often new prices came back.',
  }),
  {
    name: 'PreviewedAlert',
    schema: PreviewedAlert,
    side: 'output',
    description: 'An alert that would have been sent. Its `text` is the message of an email.',
    members: {
      ...alertMembers,
      subject: 'The first line of the message.',
    },
  },
  output('PartHistory', PartHistory, 'The evaluated prices of a query.', {
    part,
    from: `The first evaluated price: ${MOMENT}. It may be before the span.`,
    to: `The last evaluated price: ${MOMENT}.`,
    points: 'How many prices there are in the span.',
    recorded: 'How many prices were polled or imported.',
    backFilled: 'How many prices the data provider reported for this preview.',
    typicalMinutes:
      'The median of the minutes between two prices. After 35 days one price a day is kept.',
    gaps: 'How often there was no price for much longer than that: a change in such a gap is seen at its end. Null for sales.',
    longestGap: 'The longest gap.',
  }),
  output('Gap', GapAnswer, 'A time without prices.', {
    from: `The last price before it: ${MOMENT}.`,
    to: `The first price after it: ${MOMENT}.`,
  }),
  output('BackFill', BackFillAnswer, 'The request to the data provider for past floors.', {
    pages: 'How many pages were requested.',
    trouble: 'Why some floors are still missing, for people; null if none are.',
  }),
];
