import {
  AcknowledgementAnswer,
  ActorAnswer,
  AlertAnswer,
  AlertPage,
  ChangeAnswer,
  ChangedChannel,
  ChangePage,
  ConditionAnswer,
  ContractOfList,
  ContractsOfList,
  DeliveryAnswer,
  DryRunAnswer,
  EditAnswer,
  EditedAnswer,
  ExpectedCadence,
  ExplanationAnswer,
  ForecastOfChange,
  HealthAnswer,
  MemberAnswer,
  MuteAnswer,
  MuteList,
  NextEvaluationAnswer,
  OneWatchAnswer,
  OutboxAnswer,
  PutAnswer,
  QuotaAnswer,
  ReportedPriceAnswer,
  RequestUnitsAnswer,
  RuleAnswer,
  RuleOfList,
  RulesOfList,
  RuleWarning,
  UsageAnswer,
  WaitsForAnswer,
  WatchAnswer,
  WatchCounts,
  WatchExplanation,
  WatchForecast,
  WatchlistAnswer,
  WatchlistEntry,
  WatchlistExport,
  WatchlistPage,
  WatchPage,
  WatchToCome,
} from '#functions/manage-watchlists/answers.ts';
import { MemberReplacement } from '#functions/manage-watchlists/requests.ts';
import { AcknowledgementBody } from '#shared/domain/alerting/acknowledgement.ts';
import alertSchema from '#shared/domain/alerting/alert.schema.json' with { type: 'json' };
import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { FAMILIES } from '#shared/domain/metrics/families.ts';
import { familiesWith } from '#shared/domain/metrics/metric.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { MuteBody } from '#shared/domain/watchlists/mute.ts';
import { MemberBody, WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import {
  type Component,
  filledPageMembers,
  input,
  LEFT_OUT,
  MOMENT,
  NEXT_PAGE,
  ofListMembers,
  output,
} from './component.ts';
import { alertMembers, reportedMembers } from './contract-components.ts';

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

const ruleMembers = {
  id: 'The id of the rule within its list; generated (`rule-1`, …) if left out.',
  label: 'The name of the rule in messages; its condition if left out.',
  on: 'A contract of the list, or `*` for all.',
  metric: 'The metric. Not with `all`.',
  when: 'On which side of `threshold` (`below`, `above`: at the threshold counts), or of the band from `low` to `high` (`outside`, `inside`: its edges are inside), the rule fires; `crosses` reports each crossing of `threshold`, either way, without episodes.',
  threshold: 'For `below`, `above` and `crosses`: a decimal number in the unit of the metric.',
  low: 'For `outside` and `inside`: the lower edge of the band, in the unit of the metric.',
  high: 'For `outside` and `inside`: the upper edge of the band, in the unit of the metric.',
  unit: 'The symbol of the currency of a floor; the currency of the chain if left out. A wrapped currency counts as the currency. A floor reported in another currency is never compared.',
  ignoreBelow: `For ${namesOf((family) => family.readsSales)}: a lowest sale under this price, in ETH, is ignored as dust, a gift or a mistake; \`"0"\` ignores none. If left out, it is a hundredth of the threshold; for a discount, a hundredth of the floor.`,
  all: 'Instead of `metric` and `when`: two to five conditions on one contract that must hold together.',
  recover:
    'The episode ends at a value strictly on the good side of this number, in the unit of the metric; if left out, at any value that is not beyond the threshold. Only with `below` and `above`.',
  outliers:
    '`confirm`: a floor 30 % or more under the floor before it, or as far over it (+43 %), is held back until the next floor, for 25 hours at most, and dropped if the next is nearer to the one before; `take`: it counts at once.',
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
    '`alert`: a `stale` message after this time without new prices, and a `fresh` one when they are back. `keep`: no message.',
  severity: 'The severity of its alerts; the subject of a message begins with it.',
  notifyRecovery: 'Whether the end of an episode is reported.',
  enabled: 'Whether the rule is evaluated. A paused rule restarts when it is enabled again.',
  expiresAt: 'When the rule ends: a moment in the future, with its zone; never if left out.',
} as const;

const conditionMembers = {
  metric: 'The metric; `silence_minutes.<N>d` for a no-data watch.',
  when: 'On which side of the threshold, or of the band, the rule fires.',
  threshold: 'The threshold, a decimal in `unit`; null for a band.',
  recover: 'The value past which the episode ends, a decimal in `unit`; null if the rule has none.',
  low: 'The lower edge of the band, a decimal in `unit`; null without a band.',
  high: 'The upper edge of the band, a decimal in `unit`; null without a band.',
  unit: 'The unit of the numbers: a currency, `usd`, `%` or `minutes`.',
  value: 'The current value of the metric, a decimal in `unit`; null if unknown.',
} as const;

const ofWatch = { rule: 'The id of the rule.', contract: 'The NFT contract.' } as const;

const watchMembers = {
  ...ofWatch,
  noData: 'Whether it is the no-data watch of its rule (`noData`).',
  name: 'The name of the collection, if the list has one.',
  label: 'The label of the rule, if it has one.',
  ...conditionMembers,
  all: 'The conditions that must hold together, if there are several; the members of the watch are then those of the first.',
  severity: 'The severity of its alerts.',
  admin:
    'Whether it may send alerts: `muted` until `mutedUntil`, `paused` by `enabled: false`, `expired` after the end of the rule.',
  mutedUntil: `When the mute that covers it ends: ${MOMENT}; null without a mute.`,
  state:
    '`unknown` until the first value after its creation, `ok` at rest, `pending` while it is beyond but not long or often enough, `firing`, `recovering` while it is back but not long enough, `disarmed` while a `cross` rule waits for the good side, `ended` after the one episode of a `once` rule.',
  stateSince: `The time of the data that brought it into \`state\`: ${MOMENT}.`,
  episode:
    'How many episodes there were in its generation; the last one is open while it is firing or recovering.',
  acknowledged: 'The acknowledgement of the open episode; null without one.',
  generation:
    'The revision of the list at which the condition of the rule last changed or the contract joined.',
  waitsFor: 'The values at which it reacts next.',
  dataTime: `The time of its newest data: ${MOMENT}.`,
  health: 'The health of its data.',
} as const;

const writtenMembers = {
  name: 'The name of the list.',
  contracts: 'The watched NFT contracts.',
  rules: 'The rules on the contracts.',
  channels: 'The destinations of its alerts, besides the operators of the stack.',
} as const;

const entryMembers = {
  ...writtenMembers,
  id: 'The id of the list.',
  revision: 'The number of its last change; its `ETag`.',
} as const;

const ofChange = {
  restarted:
    'In an answer to a change: the rules whose open episodes were closed, because their conditions changed.',
  forecast: 'In an answer to a change: the forecast of the new watches.',
} as const;

const changed = { ...ofListMembers, ...ofChange } as const;

/** Lists with their rules, watches, alerts and mutes, in requests and in answers. */
export const watchlistComponents: readonly Component[] = [
  input('WatchlistInput', WatchlistBody, 'A watchlist in a request.', {
    ...writtenMembers,
    id: 'The id of the list; made from its name if left out. In a PUT it is the id of the path, or left out.',
    contracts: 'The NFT contracts to watch: each alone, or with the name of its collection.',
  }),
  input(
    'RuleInput',
    AlertRule,
    'A rule in a request: a condition on contracts. Members that are left out have defaults.',
    ruleMembers,
  ),
  output('WatchlistEntry', WatchlistEntry, 'A watchlist on a page of watchlists.', entryMembers),
  output('Watchlist', WatchlistAnswer, 'A watchlist, and how far its revision is in effect.', {
    ...entryMembers,
    mutes: 'The running mutes.',
    ...ofChange,
    undeliverable: 'Whether no channel of the list works; true also without channels.',
    pendingChanges: ofListMembers.pendingChanges,
    cadenceMinutes: 'Minutes between two polls of a contract.',
    cadenceStretched:
      'Whether that is more than configured, because the budget of the stack is short.',
  }),
  output(
    'PutResult',
    PutAnswer,
    'The watchlist after a PUT; or, for a dry run, what the PUT would change.',
  ),
  output('DryRun', DryRunAnswer, 'What a PUT of a list would change.', {
    revision: 'The revision of the list; null if there is no such list.',
    edit: 'The changes of its parts.',
    restarted: 'The rules whose open episodes would be closed.',
    watches: 'How many watches would begin and end.',
    forecast: 'The forecast of the new watches.',
  }),
  output('WatchCounts', WatchCounts, 'How many watches of a list begin and end with a change.', {
    begun: 'How many begin.',
    ended: 'How many end.',
  }),
  output(
    'ForecastOfChange',
    ForecastOfChange,
    'What happens to new watches at the next answers of the data provider, if the values stay the same.',
    {
      watches:
        'New watches, the firing ones first: of at most 25 contracts, and at most a hundred in all.',
      leftOut: 'How many new watches are left out.',
      warnings: 'Rules that probably do not mean what they say.',
      cadence: 'How often the contracts of all your lists will be polled.',
    },
  ),
  output(
    'ExpectedCadence',
    ExpectedCadence,
    'How often the contracts of a tenant are polled. Tenants share rate and budget; a tenant that needs more than its share has its own contracts polled less often.',
    {
      minutes: 'Minutes between two polls with this change.',
      promisedMinutes: 'Minutes between two polls within the share of the tenant.',
      contractsThatFit:
        'About how many contracts the share allows at that cadence; null before the first minute of the stack.',
    },
  ),
  output('RuleWarning', RuleWarning, 'A rule that probably does not mean what it says.', {
    rule: 'The id of the rule.',
    text: 'What the rule says, and how to write what is probably meant.',
  }),
  output('WatchForecast', WatchForecast, 'The forecast of a new watch.', {
    ...ofWatch,
    forecast: 'What happens at the next answer of the data provider.',
  }),
  output(
    'WatchlistExport',
    WatchlistExport,
    'A watchlist as a document that a PUT takes.',
    writtenMembers,
  ),
  output('WatchlistPage', WatchlistPage, 'A page of watchlists of a tenant.', {
    watchlists: 'The lists, by their ids.',
    ...filledPageMembers,
  }),
  input(
    'MemberInput',
    MemberBody,
    'An NFT contract of a list, in a request: alone, or with the name of its collection.',
  ),
  input(
    'MemberReplacement',
    MemberReplacement,
    'The entry of the NFT contract that the path names.',
    {
      contract: 'The contract of the path, or left out.',
      name: 'The name of its collection, in messages.',
    },
  ),
  output('ContractsOfList', ContractsOfList, 'The NFT contracts of a list.', {
    contracts: 'The contracts, in the order of the list.',
    ...ofListMembers,
  }),
  output('ContractOfList', ContractOfList, 'One NFT contract of a list.', {
    contract: 'The contract, with the name of its collection.',
    ...changed,
  }),
  output('RulesOfList', RulesOfList, 'The rules of a list.', {
    rules: 'The rules, in the order of the list.',
    ...ofListMembers,
  }),
  output('RuleOfList', RuleOfList, 'One rule of a list.', {
    rule: 'The rule.',
    ...changed,
  }),
  output('ChangedChannel', ChangedChannel, 'A channel that was added or replaced.', {
    channel: 'The channel; its secrets are shown as `kept:…`.',
    ...changed,
  }),
  output('Member', MemberAnswer, 'An NFT contract of a list.', {
    contract: 'The contract.',
    name: 'The name of its collection, in messages.',
  }),
  output('Rule', RuleAnswer, 'A rule, with the defaults of what was left out.', {
    ...ruleMembers,
    id: 'The id of the rule within its list.',
  }),
  output(
    'Watch',
    WatchAnswer,
    'One rule on one contract: the thing that has a state.',
    watchMembers,
  ),
  output('WatchPage', WatchPage, 'A page of watches of a list.', {
    watches: 'The watches of 25 contracts at most, contract by contract.',
    cursor: NEXT_PAGE,
    unreadable: LEFT_OUT,
  }),
  output(
    'WatchCondition',
    ConditionAnswer,
    'One of the conditions that must hold together.',
    conditionMembers,
  ),
  output('WaitsFor', WaitsForAnswer, 'The values at which a watch reacts next.', {
    metric: 'The metric of the values; `all` if any new observation is evaluated.',
    falling: 'The watch reacts at this value and below; null if it waits for none.',
    rising: 'The watch reacts at this value and above; null if it waits for none.',
  }),
  output('Health', HealthAnswer, 'The health of the data of a watch.', {
    state:
      '`waiting`: no data yet. `fresh`: all is well. `stale`: the last data are from before `since`. `disputed`: the data contradict themselves, or are in another currency. `error`: the rule could not be evaluated.',
    code: 'The reason as a code: `ok`, `not_ready`, `throttled`, `failed_timeout`, …',
    reason: 'The reason for people; null if all is well.',
    since: `Since when: ${MOMENT}.`,
  }),
  output(
    'WatchReading',
    OneWatchAnswer,
    'One watch, or one that the last change of its list has yet to create.',
  ),
  output(
    'Explanation',
    ExplanationAnswer,
    'One watch and why it is silent, or one that the last change of its list has yet to create.',
  ),
  output('WatchExplanation', WatchExplanation, 'A watch, and why it is silent.', {
    ...watchMembers,
    why: 'Why the watch is silent now, in a sentence or two.',
    forecast: 'What happens at the next answer of the data provider, if the values stay the same.',
    waitsForInWords: 'The same as `waitsFor` in words; null if it waits for no value.',
    reported: 'The last reported prices, by query.',
    nextEvaluation: 'When it is evaluated next.',
    outbox: 'Its alerts that are not sent yet.',
  }),
  output(
    'WatchToCome',
    WatchToCome,
    'A watch that the last change of its list has yet to create.',
    {
      ...ofWatch,
      state: 'There is no state yet.',
      why: 'Why the watch is silent now.',
    },
  ),
  output(
    'ReportedPrice',
    ReportedPriceAnswer,
    'The price that the data provider reported last.',
    reportedMembers,
  ),
  output('NextEvaluation', NextEvaluationAnswer, 'When a watch is evaluated next.', {
    pollAt: `The minute of the next poll, if rate and budget allow it: ${MOMENT}.`,
    cadenceMinutes: 'Minutes between two polls of a contract.',
    wakeAt: `The next timer: the end of \`for\` or \`keepFor\`, or a reminder: ${MOMENT}.`,
  }),
  output('Outbox', OutboxAnswer, 'The alerts of a watch that are not sent yet.', {
    alerts: 'How many alerts.',
    since: `The time of the data of the oldest: ${MOMENT}.`,
    heldUntil: `When the mute that holds them back ends: ${MOMENT}; null without a mute.`,
  }),
  {
    name: 'Alert',
    schema: AlertAnswer,
    side: 'output',
    description: alertSchema.description,
    members: {
      ...alertMembers,
      self: 'The path of the alert.',
      acknowledged: 'The acknowledgement of its episode; null without one.',
      deliveries: 'Its deliveries, by the ids of the channels of its list.',
      operators: 'Its deliveries to the operators of the stack: `stack-topic`, `stack-slack`.',
    },
  },
  output('AlertPage', AlertPage, 'A page of alerts.', {
    alerts: 'The alerts, newest first.',
    ...filledPageMembers,
  }),
  output('Delivery', DeliveryAnswer, 'The delivery of an alert to one receiver.', {
    state:
      '`pending`: it waits to be sent. `accepted`: SNS has it, for an email or a queue. `sent`: the server of the chat or the webhook has it. `failed`: no attempt is left.',
    at: `When it reached that state: ${MOMENT}; null while it waits.`,
    reason: 'Why it failed.',
  }),
  output('Acknowledgement', AcknowledgementAnswer, 'The acknowledgement of an episode.', {
    at: `When: ${MOMENT}.`,
    note: 'The note that came with it.',
  }),
  input('AcknowledgementInput', AcknowledgementBody, 'An acknowledgement in a request.', {
    note: 'A note for the readers of the alert.',
  }),
  input(
    'MuteInput',
    MuteBody,
    'Which alerts of a list are held back, and until when: `until` or `for`. Without `rule` and `severity` all alerts are held back.',
    {
      until: 'The moment at which it ends, with its zone, at most 90 days ahead.',
      for: 'How long it lasts.',
      rule: 'The id of a rule of the list: only its alerts are held back.',
      severity: 'A severity: only alerts of rules with it are held back.',
      reason: 'The reason, for readers.',
    },
  ),
  output('Mute', MuteAnswer, 'A span of time in which a list holds alerts back.', {
    id: 'The id of the mute.',
    from: `When it began: ${MOMENT}.`,
    until: `When it ends: ${MOMENT}.`,
    rule: 'The rule it is for; null for all.',
    severity: 'The severity it is for; null for all.',
    reason: 'The reason, for readers.',
  }),
  output('Change', ChangeAnswer, 'An entry of the audit log.', {
    id: 'The id of the change; ids are in the order of time.',
    at: `When the change was made: ${MOMENT}.`,
    by: 'The key that was used.',
    watchlist: 'The id of the changed list.',
    kind: 'The kind of change.',
    revision: 'The new revision of the list; null if the change made none.',
    edit: 'The changed parts, by their names; null without a new revision.',
    subject:
      'The id of the changed mute or channel, or the moment and the id of the alert; null for the list itself.',
  }),
  output('Actor', ActorAnswer, 'A key as the audit log reports it.', {
    key: 'The id of the key. It is no secret.',
    name: 'The name that its owner gave it.',
  }),
  output('Edit', EditAnswer, 'The changed parts of a list, by their names.', {
    name: 'The new name of the list; null if unchanged.',
    contracts: 'Contracts.',
    rules: 'Rules, by their ids.',
    channels: 'Channels, by their ids.',
  }),
  output('EditedParts', EditedAnswer, 'The changed parts of one kind.', {
    added: 'The added parts.',
    changed: 'The changed parts.',
    removed: 'The removed parts.',
  }),
  output('ChangePage', ChangePage, 'A page of the audit log.', {
    changes: 'The changes, newest first.',
    ...filledPageMembers,
  }),
  output('Usage', UsageAnswer, 'The usage of a tenant, with its limits.', {
    watchlists: 'Watchlists.',
    contracts: 'Contracts in all lists together.',
    watches: 'Watches in all lists together: rules times contracts.',
    requests: 'Requests of each interface.',
  }),
  output('Held', QuotaAnswer, 'The usage of a quota, with its limit.', {
    used: 'The usage, including what a change under way may add.',
    limit: 'The limit.',
  }),
  output('RequestUnits', RequestUnitsAnswer, 'The limit on requests of an interface.', {
    unitsPerMinute: 'The units per minute, which may all be used at once.',
    left: 'The units left, without those that functions have reserved.',
    allAt: 'When all units are available again.',
  }),
  output('MuteList', MuteList, 'The mutes of a list.', {
    mutes: 'The running mutes.',
  }),
];
