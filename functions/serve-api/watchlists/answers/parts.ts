import * as z from 'zod';
import { ListChannelAnswer } from '#shared/channels/channel-answers.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { FAMILIES } from '#shared/domain/metrics/families.ts';
import { familiesWith } from '#shared/domain/metrics/metric.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { ofList } from '#shared/http/answer-shapes.ts';
import { type Answered, object, output } from '#shared/http/described.ts';
import { Differences } from './changes.ts';
import { ofChange } from './forecast-of-change.ts';

/** Families of metrics in a sentence: `a`, `b` and `c`. */
function namesOf(holds: Parameters<typeof familiesWith>[0]): string {
  const names = familiesWith(holds).map((name) => `\`${name}\``);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** How long rules must have recovered that do not say it: `1 h for a and b`. */
const USUAL_KEEP_FORS = [
  ...new Set(familiesWith(() => true).flatMap((name) => FAMILIES[name].usualKeepFor ?? [])),
]
  .map((usual) => {
    const names = namesOf(({ usualKeepFor }) => usualKeepFor === usual);
    return `${durationInWords(formatDuration(usual))} for ${names}`;
  })
  .join(', ');

export const ruleMembers = {
  id: 'The id of the rule within its list; generated (`rule-1`, …) if left out.',
  label: 'The name of the rule in messages; its condition if left out.',
  on: 'The contracts of the list that the rule is on: one, several, or `*` for all. An edit of it restarts the rule on all of them.',
  metric: 'The metric. Not with `all`.',
  when: 'On which side of `threshold` (`below`, `above`: at the threshold counts), or of the band from `low` to `high` (`outside`, `inside`: its edges are inside), the rule fires; `crosses` reports each crossing of `threshold`, either way, without episodes.',
  threshold: 'For `below`, `above` and `crosses`: a decimal number in the unit of the metric.',
  low: 'For `outside` and `inside`: the lower edge of the band, in the unit of the metric.',
  high: 'For `outside` and `inside`: the upper edge of the band, in the unit of the metric.',
  unit: 'The symbol of the currency of a floor; the currency of the chain if left out. A wrapped currency counts as the currency. A floor reported in another currency is never compared.',
  ignoreBelow: `For ${namesOf((family) => family.readsSales)}: a lowest sale under this price, in ETH, is ignored as dust, a gift or a mistake; \`"0"\` ignores none. If left out, it is a hundredth of the threshold; for a discount, a hundredth of the floor.`,
  all: 'Instead of `metric` and `when`: two to five conditions on one contract that must hold together.',
  recover:
    'The episode ends at a value that has reached this number, which lies on the good side of the threshold, in the unit of the metric. If left out, it ends at any value that is not beyond the threshold. Only with `below` and `above`.',
  outliers:
    '`confirm`: a floor 30 % or more under the floor before it, or as far over it (+43 %), is held back until the next floor, for 25 hours at most, and dropped if the next is nearer to the one before; `take`: it counts at once.',
  minSources:
    '`2`: a floor counts only if a second source, of another origin than the first, reports it too; while one source alone reports the newest, the rule has no value. For metrics of the floor of whole contracts; if left out, one source is enough.',
  for: 'How long the condition must hold before the rule fires, by the time of the data. Not with `confirm`.',
  confirm:
    'How many (`times`) of the last (`of`) observations must be beyond before the rule fires. Not with `for`.',
  keepFor: `How long the value must stay recovered before the episode ends, by the time of the data. If left out, ${USUAL_KEEP_FORS}.`,
  arm: '`level` fires if the value is already beyond; `cross` waits for a fresh crossing.',
  repeat:
    '`every`: the rule fires in each episode. `once`: in one episode, then never again until its condition changes. `reminder`: in each episode, with a reminder at this interval while the episode lasts.',
  steps:
    'The rule sends another alert at each further step of this many percent from the value reported last; for a metric in percent, of this many points.',
  noData:
    '`alert`: a `stale` message after this time without new prices, and a `fresh` one when they are back. `keep`: one `stale` message only if there was no value at all in the first day of the rule, and a `fresh` one with the first.',
  notify:
    'The channels of the list that get its alerts, by their ids; if left out, those that the list names for its severity. `channel_off` goes to all.',
  severity: 'The severity of its alerts; messages have a mark and a colour of it.',
  notifyRecovery: 'Whether the end of an episode is reported.',
  enabled: 'Whether the rule is evaluated. A paused rule restarts when it is enabled again.',
  expiresAt: 'When the rule ends: a moment in the future, with its zone; never if left out.',
} as const;

export const Rule = output(
  'Rule',
  AlertRule.safeExtend({ id: Identifier }),
  'A rule, with the defaults of what was left out.',
  { ...ruleMembers, id: 'The id of the rule within its list.' },
);
export type Rule = Answered<typeof Rule>;

export const Member = object('Member', 'An NFT contract of a list.', {
  contract: [ContractKey, 'The contract.'],
  name: [Line.optional(), 'The name of its collection, in messages.'],
  by: [
    z.literal('wallet').optional(),
    '`wallet`: the wallet of the list holds it, and with it the contract leaves. Absent where it was written.',
  ],
});
export type Member = Answered<typeof Member>;

const changed = { ...ofList, ...ofChange } as const;

export const ContractsOfList = object('ContractsOfList', 'The NFT contracts of a list.', {
  contracts: [z.array(Member), 'The contracts, in the order of the list.'],
  ...ofList,
});
export type ContractsOfList = Answered<typeof ContractsOfList>;

export const ContractOfList = object('ContractOfList', 'One NFT contract of a list.', {
  contract: [Member, 'The contract, with the name of its collection.'],
  ...changed,
});
export type ContractOfList = Answered<typeof ContractOfList>;

export const RulesOfList = object('RulesOfList', 'The rules of a list.', {
  rules: [z.array(Rule), 'The rules, in the order of the list.'],
  ...ofList,
});
export type RulesOfList = Answered<typeof RulesOfList>;

export const RuleOfList = object('RuleOfList', 'One rule of a list.', {
  rule: [Rule, 'The rule.'],
  ...changed,
});
export type RuleOfList = Answered<typeof RuleOfList>;

export const ChangedChannel = object('ChangedChannel', 'A channel that was added or replaced.', {
  channel: [ListChannelAnswer, 'The channel; its secrets are shown as `kept:…`.'],
  ...changed,
});
export type ChangedChannel = Answered<typeof ChangedChannel>;

export const TriedContactPoint = object(
  'TriedContactPoint',
  'What a PUT of a contact point would change.',
  {
    revision: [
      z.int().positive().nullable(),
      'The revision of the contact points; null if there is no such contact point.',
    ],
    differences: [Differences, 'What would differ, member by member.'],
  },
);
export type TriedContactPoint = Answered<typeof TriedContactPoint>;

export const PutContactPointResult = output(
  'PutContactPointResult',
  z.union([ChangedChannel, TriedContactPoint]),
  'The contact point after a PUT; or, for a dry run, what the PUT would change.',
);
