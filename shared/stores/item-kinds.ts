/**
 * The kinds of items in the table, each with the newest shape that this code reads. An item stores
 * its shape in the attribute `v`, unless the shape is 1. The README of this folder describes how to
 * add a shape.
 */
export const NEWEST_SHAPES = {
  contract: 1,
  collection: 1,
  price: 1,
  watch: 1,
  watchlist: 1,
  acknowledgement: 1,
  mutes: 1,
  askedAddress: 1,
  listTopics: 1,
  change: 1,
  changedDocument: 1,
  quotaUsage: 1,
  channel: 1,
  inboxEntry: 1,
  mutedEntry: 1,
  postIntent: 1,
  job: 1,
  applied: 1,
  alert: 1,
  outcome: 1,
  apiKey: 1,
  tenantKeys: 1,
  answer: 1,
  keyedRequest: 1,
  usage: 1,
  token: 1,
  traitCount: 1,
  importRegister: 1,
  posting: 1,
  trade: 1,
  lowsOfDay: 1,
  saleSpan: 1,
  import: 1,
  rateLimiter: 1,
  cadences: 1,
  pollProgress: 1,
  dueCursors: 1,
} as const;

export type ItemKind = keyof typeof NEWEST_SHAPES;
