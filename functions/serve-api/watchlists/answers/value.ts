import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { DecimalText, MOMENT, MomentText, Prices } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

const Price = object('ListPrice', 'A floor, or the value of a list.', {
  price: [DecimalText, 'The amount, a decimal in `currency`.'],
  currency: [
    z.string(),
    'The currency; `usd` for the value of a list with floors in several currencies.',
  ],
  usd: [
    DecimalText.nullable(),
    'The amount in US dollars; null if the dollar value of a floor is unknown.',
  ],
  at: [MomentText, `The time of the newest floor: ${MOMENT}.`],
});

export const ListHolding = object('ListHolding', 'The tokens of one contract that a list holds.', {
  contract: [ContractKey, 'The contract.'],
  name: [
    z.string().nullable(),
    'The name in the list, or else the name of the collection; null if unknown.',
  ],
  amount: [z.int().positive(), 'The number of tokens.'],
  floor: [Price.nullable(), 'The floor, which is the price of one token; null if it is unknown.'],
});
export type ListHolding = Answered<typeof ListHolding>;

export const ListValueRead = object('ListValue', 'The value of the tokens that a list holds.', {
  contract: [
    ContractKey.nullable(),
    'The key that identifies this value in alerts, watches and rules. The key changes when the held tokens change. Null if the list holds no tokens.',
  ],
  value: [
    Price.nullable(),
    'The present value; null while one of the floors is unknown. Collections that never had a floor are not included.',
  ],
  holdings: [z.array(ListHolding), 'The tokens, in the order of the list.'],
  prices: [
    Prices.nullable(),
    'The past values of these tokens, computed from recorded floors. Null if the list holds no tokens.',
  ],
});
export type ListValueRead = Answered<typeof ListValueRead>;
