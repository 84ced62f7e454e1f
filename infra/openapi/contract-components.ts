import {
  ContractAnswer,
  ContractPage,
  HistoryPage,
  PartAnswer,
  PartHealthAnswer,
  RecordedAnswer,
  StackHealth,
} from '#functions/read-contracts/answers.ts';
import { type Component, MOMENT, object } from './component.ts';

const NEXT_PAGE = 'Where the next page begins: the `cursor` of the next request; null at the end.';

/** What a told price says, wherever it is told. */
export const toldMembers = {
  part: 'What it was asked: `floor`, or `lowest.<N>d`.',
  price: 'The price, a decimal in `currency`; null where it tells none.',
  currency: 'The symbol of the currency, in lower case.',
  usd: 'The price in dollars, a decimal, where it was told.',
  dataTime: `The time of the price: ${MOMENT}.`,
  source: 'Who told it: marketplaces of a floor, the transaction of a sale.',
  answeredAt: `When the question was asked that was last answered: ${MOMENT}.`,
} as const;

/** Contracts as those who watch them read them, and the health of the stack. */
export const contractComponents: readonly Component[] = [
  object('output', 'WatchedContract', ContractAnswer, 'A contract that is watched.', {
    contract: 'The NFT contract.',
    name: 'The name of the collection, where a list gives one.',
    watchlists: 'The ids of your lists that it is on.',
    cadenceMinutes: 'Minutes between two polls of a contract.',
    pollAt: `The minute of the next poll, as far as rate and budget allow it: ${MOMENT}; null where no rule asks for one.`,
    parts: 'What the data provider is asked of it, as far as rules need it, and what it told last.',
  }),
  object('output', 'ContractPage', ContractPage, 'Some of the contracts that are watched.', {
    contracts: 'The contracts, by chain and address.',
    cursor: NEXT_PAGE,
  }),
  object('output', 'ContractPart', PartAnswer, 'One thing that the data provider is asked.', {
    ...toldMembers,
    ageMinutes: 'How old the price is, in whole minutes.',
    health: 'Whether what was told is sound.',
  }),
  object('output', 'PartHealth', PartHealthAnswer, 'Whether what was told last is sound.', {
    state:
      '`fresh`: it is. `waiting`: nothing was told yet. `stale`: the provider gave no newer value. `disputed`: it contradicts itself.',
    code: 'Why, as a code.',
    reason: 'Why, for people; null where all is well.',
    since: `Since when: ${MOMENT}.`,
    silentSince: `Since when nothing usable was answered: ${MOMENT}; null while it is.`,
    retryAt: `When it is asked again by itself, after an answer without a value: ${MOMENT}.`,
  }),
  object('output', 'RecordedPoint', RecordedAnswer, 'A price that was recorded.', {
    time: `The time of the price: ${MOMENT}.`,
    price: 'The price, a decimal in `currency`.',
    currency: toldMembers.currency,
    usd: toldMembers.usd,
    source: toldMembers.source,
    tradedAt: `When the sale was made, of a lowest sale: ${MOMENT}.`,
  }),
  object('output', 'HistoryPage', HistoryPage, 'Some of the recorded prices of a contract.', {
    contract: 'The NFT contract.',
    part: 'What the provider was asked.',
    points: 'The prices, newest first.',
    cursor: NEXT_PAGE,
  }),
  object('output', 'StackHealth', StackHealth, 'That the stack does its work.', {
    status: 'That it does.',
    dispatchedAt: `The last minute whose polls were all sent: ${MOMENT}.`,
  }),
];
