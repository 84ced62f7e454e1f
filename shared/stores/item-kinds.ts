/**
 * The kinds of items of the table, each with the newest shape that this code reads. An item of another
 * shape than 1 says so in its attribute `v`; how a shape comes to be is in the README of this folder.
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
  hints: 1,
  job: 1,
  applied: 1,
  alert: 1,
  outcome: 1,
  apiKey: 1,
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
  governor: 1,
  cadences: 1,
  pollProgress: 1,
  dueCursors: 1,
} as const;

export type ItemKind = keyof typeof NEWEST_SHAPES;
