import * as z from 'zod';
import { ListChannelAnswer } from '#shared/channels/channel-answers.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { FAMILIES } from '#shared/domain/metrics/families.ts';
import { familiesWith } from '#shared/domain/metrics/metric.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { HELD_WORDS, keptHeldMembers } from '#shared/domain/watchlists/holding.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { ofList } from '#shared/http/answer-shapes.ts';
import { type Answered, object, output } from '#shared/http/described.ts';
import { Differences } from './changes.ts';
import { ofChange } from './forecast-of-change.ts';

/** Names of metric families in a sentence: `a`, `b` and `c`. */
function namesOf(holds: Parameters<typeof familiesWith>[0]): string {
  const names = familiesWith(holds).map((name) => `\`${name}\``);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The defaults of `keepFor` in a sentence: `1 h for a and b`. */
const USUAL_KEEP_FORS = [
  ...new Set(familiesWith(() => true).flatMap((name) => FAMILIES[name].usualKeepFor ?? [])),
]
  .map((usual) => {
    const names = namesOf(({ usualKeepFor }) => usualKeepFor === usual);
    return `${durationInWords(formatDuration(usual))} for ${names}`;
  })
  .join(', ');

export const ruleMembers = {
  id: 'The id of the rule within its list; generated (`rule-1`, …) if omitted.',
  label: 'The name of the rule in messages; its condition by default.',
  on: 'The contracts of the list to which the rule applies: one, several, or `*` for all. Changing `on` restarts the rule on all its contracts.',
  metric: 'The metric. Not allowed with `all`.',
  when: '`below`, `above`: the rule fires at the threshold and past it. `outside`, `inside`: the rule fires outside or inside the band from `low` to `high`; the edges count as inside. `crosses`: the rule reports each crossing of `threshold` in either direction, without episodes.',
  threshold: 'For `below`, `above` and `crosses`: a decimal number in the unit of the metric.',
  low: 'For `outside` and `inside`: the lower edge of the band, in the unit of the metric.',
  high: 'For `outside` and `inside`: the upper edge of the band, in the unit of the metric.',
  unit: 'The currency symbol of the floor; by default the currency of the chain. A wrapped currency counts as the original, such as `weth` as `eth`. A floor reported in another currency is not compared.',
  ignoreBelow: `For ${namesOf((family) => family.readsSales)}: a lowest sale below this price, in ETH, is ignored as dust, a gift or a mistake; \`"0"\` ignores none. The default is 1% of the threshold; for a discount, 1% of the floor.`,
  all: 'Instead of `metric` and `when`: two to five conditions on one contract. The rule fires while all of them hold.',
  recover:
    'The recovery threshold (hysteresis), in the unit of the metric: the episode ends when the value reaches `recover`. For `below`, `recover` must be above `threshold`; for `above`, it must be below `threshold`. By default the episode ends at the first value that does not meet the condition. Only with `below` and `above`.',
  outliers:
    '`confirm`: a floor that is 30% or more below the previous one, or 43% or more above it, counts only after the next floor has confirmed it, or after 25 hours. If the next floor is nearer to the previous floor than to the outlier, the outlier is ignored. `take`: every floor counts immediately.',
  minSources:
    '`2`: a floor counts only if a second, independent source also reports it. While only one source reports the newest floor, the rule has no value. Allowed only for floor metrics, and on contracts without traits. By default, one source is enough.',
  for: 'The duration for which the condition must hold before the rule fires, measured by the times of the data. Not with `confirm`.',
  confirm:
    'The rule fires when `times` of the last `of` observations meet the condition. Not with `for`.',
  keepFor: `The duration for which the value must stay recovered before the episode ends, measured by the times of the data. The default is ${USUAL_KEEP_FORS}; with other metrics the episode ends immediately.`,
  arm: '`level`: the rule also fires if the first value already meets the condition. `cross`: the rule waits for a new crossing.',
  repeat:
    '`every`: the rule fires in each episode. `once`: the rule fires in one episode, then not again until its condition is edited. `reminder`: the rule fires in each episode and sends a reminder at this interval while the episode lasts.',
  steps:
    'Sends another alert each time the value moves further past the threshold by this many percent of the value in the last alert (reminders do not count). For a metric in percent: by this many percentage points.',
  noData:
    '`alert`: a `stale` alert is sent after this time without new prices, and a `fresh` alert when prices are reported again. `keep`: a `stale` alert is sent only if the rule had no value in its first day, followed by a `fresh` alert at the first value.',
  notify:
    'The ids of the channels that get the alerts of the rule. By default, the `notify` of the list selects them by severity. Alerts of the kind `channel_off` go to all other channels.',
  severity: 'The severity of the alerts. It determines the icon and the colour of messages.',
  notifyRecovery: 'Whether an alert is sent when an episode ends.',
  enabled: 'Whether the rule is evaluated. A paused rule restarts when it is enabled again.',
  expiresAt:
    'The time, with a time zone, at which the rule expires. It must be in the future when it is set; only a whole list may contain new rules that have already expired. By default the rule does not expire.',
} as const;

export const Rule = output(
  'Rule',
  AlertRule._zod.innerType.safeExtend({ id: Identifier }),
  'A rule, with default values for omitted members.',
  { ...ruleMembers, id: 'The id of the rule within its list.' },
);
export type Rule = Answered<typeof Rule>;

export const Member = object('Member', 'An NFT contract of a list.', {
  contract: [ContractKey, 'The contract.'],
  name: [Line.optional(), 'The name of the collection, as shown in messages.'],
  amount: [keptHeldMembers.amount, HELD_WORDS.amount],
  cost: [keptHeldMembers.cost, HELD_WORDS.cost],
  by: [
    z.literal('wallet').optional(),
    '`wallet`: the contract was added because the wallet of the list holds tokens of it, and is removed when the wallet no longer holds any. Absent for other contracts.',
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
  'The changes that a PUT of a contact point would make.',
  {
    revision: [
      z.int().positive().nullable(),
      'The revision of the contact points; null if this contact point does not exist yet.',
    ],
    differences: [Differences, 'The changed members.'],
  },
);
export type TriedContactPoint = Answered<typeof TriedContactPoint>;

export const PutContactPointResult = output(
  'PutContactPointResult',
  z.union([ChangedChannel, TriedContactPoint]),
  'The contact point after a PUT; for a dry run, the changes that the PUT would make.',
);
