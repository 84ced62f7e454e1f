import { LIMITS } from '#shared/domain/limits.ts';

type Limits = typeof LIMITS;

const { tenant, watchlist, rule, mute, preview, channel, text, request, answer } = LIMITS;
const told = (most: number) => most.toLocaleString('en-US');

/** Each limit in words: one that has none does not compile. */
const WORDS: { readonly [Of in keyof Limits]: { readonly [Name in keyof Limits[Of]]: string } } = {
  tenant: {
    watchlists: `${told(tenant.watchlists)} watchlists`,
    contracts: `${told(tenant.contracts)} contracts in all its lists together`,
    watches: `${told(tenant.watches)} watches in all its lists together`,
    newAddresses: `${told(tenant.newAddresses)} email addresses in a day that it has never had asked`,
  },
  watchlist: {
    contracts: `${told(watchlist.contracts)} contracts`,
    rules: `${told(watchlist.rules)} rules`,
    channels: `${told(watchlist.channels)} channels`,
    watches: `${told(watchlist.watches)} watches (rules times contracts, and one more for each part of a rule with \`noData\`)`,
    mutes: `${told(watchlist.mutes)} mutes that run`,
  },
  rule: {
    conditions: `${told(rule.conditions)} conditions in \`all\``,
    observations: `${told(rule.observations)} observations in \`confirm\``,
  },
  mute: { days: `${told(mute.days)} days` },
  preview: {
    contracts: `${told(preview.contracts)} contracts`,
    days: `${told(preview.days)} days`,
    alerts: `${told(preview.alerts)} alerts told of each contract`,
  },
  channel: { secrets: `${told(channel.secrets)} signing secrets of a webhook` },
  text: {
    characters: `${told(text.characters)} characters of a name, a label, a note or a reason`,
    identifier: `${told(text.identifier)} characters of an id`,
  },
  request: {
    bodyBytes: `a body of ${told(request.bodyBytes)} bytes`,
    issues: `${told(request.issues)} wrong members told at once`,
  },
  answer: {
    entries: `${told(answer.entries)} entries of a page`,
    contracts: `the watches of ${told(answer.contracts)} contracts on a page`,
  },
};

/** All limits, as a table of CommonMark. */
export const LIMITS_TABLE = [
  '| of a | at most |',
  '| --- | --- |',
  ...Object.entries(WORDS).map(([of, words]) => `| ${of} | ${Object.values(words).join(', ')} |`),
].join('\n');
