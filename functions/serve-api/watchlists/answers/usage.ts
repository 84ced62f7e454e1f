import * as z from 'zod';
import { MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

export const Held = object('Held', 'The usage of a quota, with its limit.', {
  used: [z.int().min(0), 'The usage, including additions from changes in progress.'],
  limit: [z.int().positive(), 'The limit.'],
});
export type Held = Answered<typeof Held>;

export const RequestUnits = object('RequestUnits', 'The request limit of an API.', {
  unitsPerMinute: [z.int().positive(), 'The units per minute. They may all be used at once.'],
  left: [
    z.int().min(0),
    "The units that are left, excluding units that are reserved for the tenant's next requests. The `RateLimit` response header may therefore report more units.",
  ],
  allAt: [MomentText, 'The time at which all units are available again.'],
});
export type RequestUnits = Answered<typeof RequestUnits>;

export const Usage = object('Usage', 'The usage of a tenant, with its limits.', {
  watchlists: [Held, 'Watchlists.'],
  contracts: [Held, 'Contracts in all lists.'],
  watches: [Held, 'Watches in all lists: one for each rule on each contract.'],
  requests: [
    z.strictObject({ api: RequestUnits, nftData: RequestUnits }),
    'The request limits: `api` for `/v1`, `nftData` for the v2.2 API.',
  ],
});
export type Usage = Answered<typeof Usage>;
