/**
 * The limits of what clients may send and store. The OpenAPI document lists them, and errors name
 * them.
 */
export const LIMITS = {
  tenant: { watchlists: 100, contracts: 5000, watches: 100_000, newAddresses: 50, keys: 20 },
  code: { minutes: 10 },
  watchlist: { contracts: 500, rules: 50, channels: 20, watches: 10_000, mutes: 20 },
  member: { amount: 1_000_000 },
  rule: { conditions: 5, observations: 20 },
  mute: { days: 90 },
  preview: { contracts: 5, days: 365, alerts: 200 },
  channel: { secrets: 2, batch: 100 },
  text: { characters: 100, identifier: 40, personName: 60 },
  request: { bodyBytes: 256 * 1024, issues: 50, names: 10 },
  answer: { entries: 100, contracts: 25 },
} as const;
