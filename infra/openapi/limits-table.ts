import { LIMITS } from '#shared/domain/limits.ts';

type Limits = typeof LIMITS;

const { tenant, code, watchlist, member, rule, mute, preview, channel, text, request, answer } =
  LIMITS;
const formatted = (most: number) => most.toLocaleString('en-US');

/** The description of each limit; a limit without a description does not compile. */
const WORDS: { readonly [Of in keyof Limits]: { readonly [Name in keyof Limits[Of]]: string } } = {
  tenant: {
    watchlists: `${formatted(tenant.watchlists)} watchlists`,
    contracts: `${formatted(tenant.contracts)} contracts in all its lists together`,
    watches: `${formatted(tenant.watches)} watches in all its lists together`,
    newAddresses: `${formatted(tenant.newAddresses)} new email addresses a day`,
    keys: `${formatted(tenant.keys)} active keys`,
  },
  code: { minutes: `${formatted(code.minutes)} minutes until a sign-in code expires` },
  watchlist: {
    contracts: `${formatted(watchlist.contracts)} contracts`,
    rules: `${formatted(watchlist.rules)} rules`,
    channels: `${formatted(watchlist.channels)} channels`,
    watches: `${formatted(watchlist.watches)} watches (one for each rule on each contract, and one more for each price series of a rule with \`noData\`)`,
    mutes: `${formatted(watchlist.mutes)} active mutes`,
  },
  member: { amount: `${formatted(member.amount)} tokens of one contract (\`amount\`)` },
  rule: {
    conditions: `${formatted(rule.conditions)} conditions in \`all\``,
    observations: `${formatted(rule.observations)} observations in \`confirm\``,
  },
  mute: { days: `${formatted(mute.days)} days` },
  preview: {
    contracts: `${formatted(preview.contracts)} contracts`,
    days: `${formatted(preview.days)} days`,
    alerts: `${formatted(preview.alerts)} alerts for each contract`,
  },
  channel: {
    secrets: `${formatted(channel.secrets)} signing secrets of a webhook`,
    batch: `${formatted(channel.batch)} alerts in one request to a webhook`,
  },
  text: {
    characters: `${formatted(text.characters)} characters in a name, a label, a note or a reason`,
    identifier: `${formatted(text.identifier)} characters in an id`,
    personName: `${formatted(text.personName)} characters in the name that a person enters after opening an action link`,
  },
  request: {
    bodyBytes: `a body of ${formatted(request.bodyBytes)} bytes`,
    issues: `${formatted(request.issues)} invalid members listed in one response`,
    names: `${formatted(request.names)} contracts given by the name of their collection`,
  },
  answer: {
    entries: `${formatted(answer.entries)} entries on a page`,
    contracts: `the watches of at most ${formatted(answer.contracts)} contracts on a page`,
  },
};

/** All limits, as a Markdown table. */
export const LIMITS_TABLE = [
  '| resource | maximum |',
  '| --- | --- |',
  ...Object.entries(WORDS).map(([of, words]) => `| ${of} | ${Object.values(words).join(', ')} |`),
].join('\n');
