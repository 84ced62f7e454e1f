import {
  BackFillAnswer,
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
const part = 'What the data provider was asked: `floor`, or `lowest.<N>d`.';
const price = 'The price, a decimal in `currency`.';

/** What an alert says, wherever it is reported. */
export const alertMembers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(alertSchema.properties).map(([name, { description }]) => [name, description]),
);

/** What a reported price says, wherever it is reported. */
export const reportedMembers = {
  part,
  price: 'The price, a decimal in `currency`; null where it reports none.',
  currency: 'The symbol of the currency, in lower case.',
  usd: 'The price in dollars, a decimal, where it was reported.',
  dataTime: `The time of the price: ${MOMENT}.`,
  source: 'The source: marketplaces of a floor, the transaction of a sale.',
  answeredAt: `When the question was asked that was last answered: ${MOMENT}.`,
} as const;

/** Watched contracts, and the health of the stack. */
export const contractComponents: readonly Component[] = [
  output('WatchedContract', ContractAnswer, 'A contract that is watched.', {
    contract,
    name: 'The name of the collection, where a list gives one.',
    watchlists: 'The ids of your lists that it is on.',
    cadenceMinutes: 'Minutes between two polls of a contract.',
    pollAt: `The minute of the next poll, if rate and budget allow it: ${MOMENT}; null where no rule needs one.`,
    parts: 'The parts that rules need of the data provider, and what it reported last.',
  }),
  output('ContractPage', ContractPage, 'Some of the contracts that are watched.', {
    contracts: 'The contracts, by chain and address.',
    cursor: NEXT_PAGE,
    unreadable: `${LEFT_OUT} Contracts of a watchlist that is among them may be missing.`,
  }),
  output('ContractPart', PartAnswer, 'One thing that the data provider is asked.', {
    ...reportedMembers,
    ageMinutes: 'How old the price is, in whole minutes.',
    health: 'Whether what was reported is sound.',
  }),
  output('PartHealth', PartHealthAnswer, 'Whether what was reported last is sound.', {
    state:
      '`fresh`: it is. `waiting`: nothing was reported yet. `stale`: the provider gave no newer value. `disputed`: it contradicts itself.',
    code: 'Why, as a code.',
    reason: 'Why, for people; null where all is well.',
    since: `Since when: ${MOMENT}.`,
    silentSince: `Since when nothing usable was answered: ${MOMENT}; null while it is.`,
    retryAt: `When it is asked again by itself, after an answer without a value: ${MOMENT}.`,
  }),
  output('RecordedPoint', RecordedAnswer, 'A price that was recorded.', {
    time: `The time of the price: ${MOMENT}.`,
    price,
    currency: reportedMembers.currency,
    usd: reportedMembers.usd,
    source: reportedMembers.source,
    tradedAt: `When the sale was made, of a lowest sale: ${MOMENT}.`,
  }),
  output('HistoryPage', HistoryPage, 'Some of the recorded prices of a contract.', {
    contract,
    part,
    points: 'The prices, newest first.',
    cursor: NEXT_PAGE,
  }),
  output('StackHealth', StackHealth, 'That the stack does its work.', {
    status: 'That it does.',
    dispatchedAt: `The last minute whose polls were all sent: ${MOMENT}.`,
    notes:
      'What is less than promised and no failure: contracts that are polled less than half as often, since their tenants need more than their share.',
  }),
  input('PreviewInput', PreviewBody, 'A rule that is to be tried on the past.', {
    rule: 'The rule, as in a list. One that is paused is tried all the same.',
    contracts: 'The NFT contracts to try it on, five at most.',
    from: 'The beginning of the span, with its zone. Not beside `days`.',
    to: 'The end of the span, with its zone; now where it is left out.',
    days: 'How many days before its end the span begins; thirty where neither this nor `from` is given.',
  }),
  output('Preview', PreviewAnswer, 'What a rule would have said.', {
    from: `The beginning of the span: ${MOMENT}.`,
    to: `The end of the span: ${MOMENT}.`,
    notes: 'What the recorded past leaves open.',
    contracts: 'What it would have said of each contract that the rule is on.',
  }),
  output('ContractPreview', ContractPreview, 'What a rule would have said of a contract.', {
    contract,
    counts: 'How many alerts there would have been; null where the rule could not be tried.',
    notTested:
      'Why the rule could not be tried: nothing is recorded of what it reads. Null where it was.',
    pendingEnded: 'How often it was pending, and the value came back before it fired.',
    until: `How far the replay came: ${MOMENT}. It is the end of the span but for rules that have too much to say.`,
    alerts:
      'The first two hundred alerts, oldest first, as they would have been sent; the list is named `preview`.',
    ignored: 'The first two hundred prices that the rule did not go by, oldest first.',
    history: 'What is known of the span.',
    backFill:
      'What came of asking the data provider for floors that were not recorded; null where none were missing.',
    forecast: 'What the next answer of the data provider would do, were the rule made now.',
  }),
  output('IgnoredPrice', IgnoredAnswer, 'A price that a rule does not go by.', {
    part,
    why: '`outlier`: a floor far from the one before it, which the next did not confirm (`outliers` of the rule); `below`: a sale under what the rule ignores (`ignoreBelow`).',
    time: `The time of the price: ${MOMENT}.`,
    price,
    currency: reportedMembers.currency,
  }),
  output('PreviewCounts', PreviewCounts, 'How many alerts there would have been.', {
    fired: 'How often it fired, or its line was crossed.',
    worsened: 'How often it was a further step.',
    reminder: 'How many reminders there were.',
    recovered: 'How many episodes ended with a `recovered` alert.',
    closed: 'How many episodes were open when the rule expired.',
    stale: 'How often there were no new prices for as long as `noData` says.',
    fresh: 'How often they came again.',
  }),
  {
    name: 'PreviewedAlert',
    schema: PreviewedAlert,
    side: 'output',
    description: 'An alert that would have been. Its `text` is the message as an email has it.',
    members: {
      ...alertMembers,
      subject: 'The first line of the message.',
    },
  },
  output('PartHistory', PartHistory, 'What is known of the span.', {
    part,
    from: `The first price that was gone by: ${MOMENT}. It may lie before the span.`,
    to: `The last price that was gone by: ${MOMENT}.`,
    points: 'How many prices there are in the span.',
    recorded: 'How many prices were polled or imported.',
    backFilled: 'How many prices the data provider has reported now.',
    typicalMinutes:
      'The median of the minutes between two prices. Of days more than 35 days ago one price each is kept.',
    gaps: 'How often there was no price for much longer than that: what happened then is seen at the end of it. Null for sales.',
    longestGap: 'The longest of those.',
  }),
  output('Gap', GapAnswer, 'A time without prices.', {
    from: `The last price before it: ${MOMENT}.`,
    to: `The first price after it: ${MOMENT}.`,
  }),
  output('BackFill', BackFillAnswer, 'What came of asking for floors of the past.', {
    pages: 'How many pages were asked for.',
    trouble: 'Why some floors are still missing, for people; null where none are.',
  }),
];
