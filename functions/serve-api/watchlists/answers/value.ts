import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { DecimalText, MOMENT, MomentText, Prices } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

const Price = object('ListPrice', 'A floor, or the value of a list.', {
  price: [DecimalText, 'The amount, a decimal in `currency`.'],
  currency: [z.string(), 'The currency; `usd` for a value of floors in several currencies.'],
  usd: [
    DecimalText.nullable(),
    'The amount in US dollars; null if the dollar value of a floor is unknown.',
  ],
  at: [MomentText, `The time of the newest floor: ${MOMENT}.`],
});

export const ListHolding = object('ListHolding', 'The tokens that a list holds of one contract.', {
  contract: [ContractKey, 'The contract.'],
  name: [
    z.string().nullable(),
    'The name from the list, or else the name of the collection; null if unknown.',
  ],
  amount: [z.int().positive(), 'The number of tokens.'],
  floor: [Price.nullable(), 'The floor of one token; null if it is unknown.'],
});
export type ListHolding = Answered<typeof ListHolding>;

export const ListValueRead = object('ListValue', 'The value of the tokens that a list holds.', {
  contract: [
    ContractKey.nullable(),
    'The key that identifies this value in alerts, watches and rules. It changes with the held tokens. Null if the list holds no tokens.',
  ],
  value: [
    Price.nullable(),
    'The present value. Null while one of the floors is unknown. A collection that never had a floor does not count.',
  ],
  holdings: [z.array(ListHolding), 'The tokens, in the order of the list.'],
  prices: [
    Prices.nullable(),
    'The past values of these tokens, from recorded floors. Null if the list holds no tokens.',
  ],
});
export type ListValueRead = Answered<typeof ListValueRead>;
