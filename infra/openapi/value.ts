import { ListValueRead } from '#functions/serve-api/watchlists/answers/value.ts';
import { valueRoutes } from '#functions/serve-api/watchlists/value-routes.ts';
import { prices } from './contracts.ts';
import { PUNKS } from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS } from './operation.ts';

const contract = `${PUNKS}@${'4f1a9c'.repeat(4)}`;
const at = '2026-11-21T11:30:00.000Z';

const value = {
  contract,
  value: { price: '122.5', currency: 'eth', usd: '370402.64', at },
  holdings: [
    {
      ...{ contract: PUNKS, name: 'CryptoPunks', amount: 2 },
      floor: { price: '61.25', currency: 'eth', usd: '185201.32', at },
    },
  ],
  prices: { ...prices, contract },
};

/** Documents the operation that returns the value of a list. */
export const valueOperations = describeRoutes(valueRoutes, {
  'GET /v1/watchlists/{watchlist}/value': {
    id: 'getListValue',
    tag: 'Watchlists',
    summary: 'Read the value of the tokens that a watchlist holds, now and in the past',
    description:
      'The value is the sum of floor × `amount` over all contracts with an `amount`, as in rules on `list_value`. A floor is polled only while a rule needs it: if a floor is null, add a rule on its contract.',
    query: {
      from: 'The time of the first past value (ISO 8601 with a time zone); 30 days ago by default.',
      points: 'The maximum number of past values.',
    },
    answers: { 200: json('The value.', ListValueRead, value) },
    problems: LOOKUP_PROBLEMS,
  },
});
