import * as z from 'zod';
import { MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

export const Held = object('Held', 'The usage of a quota, with its limit.', {
  used: [z.int().min(0), 'The usage, including additions of a change in progress.'],
  limit: [z.int().positive(), 'The limit.'],
});
export type Held = Answered<typeof Held>;

export const RequestUnits = object('RequestUnits', 'The limit on requests of an interface.', {
  unitsPerMinute: [z.int().positive(), 'The units per minute, which may all be used at once.'],
  left: [
    z.int().min(0),
    'The units left, without units that the service has reserved for the next requests of the tenant. The `RateLimit` header of an answer may therefore report more.',
  ],
  allAt: [MomentText, 'The time at which all units are available again.'],
});
export type RequestUnits = Answered<typeof RequestUnits>;

export const Usage = object('Usage', 'The usage of a tenant, with its limits.', {
  watchlists: [Held, 'Watchlists.'],
  contracts: [Held, 'Contracts in all lists together.'],
  watches: [Held, 'Watches in all lists together: rules times contracts.'],
  requests: [
    z.strictObject({ api: RequestUnits, nftData: RequestUnits }),
    'Requests of each interface.',
  ],
});
export type Usage = Answered<typeof Usage>;
