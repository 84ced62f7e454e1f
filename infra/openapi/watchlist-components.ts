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

const ruleMembers = {
  id: 'The id of the rule within its list; made (`rule-1`, …) where it is left out.',
  label: 'What messages call the rule; its condition where it is left out.',
  on: 'A contract of the list, or `*` for each of them.',
  metric: 'The number that is watched. Not beside `all`.',
  when: 'On which side of `threshold` (`below`, `above`: at the threshold counts), or of the band from `low` to `high` (`outside`, `inside`: its edges are inside), the rule fires; `crosses` reports each crossing of `threshold`, either way, without episodes.',
  threshold:
    'The line, of `below`, `above` and `crosses`: a decimal number in the unit of the metric.',
  low: 'The lower edge of the band, of `outside` and `inside`, in the unit of the metric.',
  high: 'The upper edge of the band, of `outside` and `inside`, in the unit of the metric.',
  unit: 'The currency that a floor is read in, by its symbol; the own currency of the chain where it is left out. Wrapped money is the money itself. A floor reported in another currency is never compared.',
  ignoreBelow:
    'Of `lowest_price` and `sale_discount_pct`: a lowest sale under this price, in ETH, is dust, a gift or a mistake, and returns no price; `"0"` ignores none. Where it is left out, a hundredth of the line, or for a discount of the floor.',
  all: 'In place of `metric` and `when`: two to five conditions of one contract that must hold together.',
  recover:
    'Where the episode ends, in the unit of the metric, strictly on the good side; without it any value that is not beyond the threshold ends it. With `below` and `above` only.',
  outliers:
    '`confirm`: a floor 30 % or more under the floor before it, or as far over it (+43 %), is held back until the next floor, for 25 hours at most, and dropped if that is nearer to the one before; `take`: it counts at once.',
  for: 'How long it must hold before it fires, by the time of the data. Not with `confirm`.',
  confirm:
    'How many (`times`) of the last (`of`) observations must be beyond before it fires. Not with `for`.',
  keepFor:
    'How long it must have recovered before the episode ends, by the time of the data; of a percentage an hour where it is left out.',
  arm: '`level` fires where the value is already beyond; `cross` waits for a fresh crossing.',
  repeat:
    '`every`: it fires in each episode. `once`: in one episode, then never again until its condition changes. `reminder`: in each, with a reminder at this interval while the episode lasts.',
  steps:
    'Alert again at each further step of this many percent from the value reported last; for a metric in percent, this many points.',
  noData:
    '`alert`: a `stale` message after this time without new prices, and a `fresh` one when they are back. `keep`: no message.',
  severity: 'How grave its alerts are; the subject of a message begins with it.',
  notifyRecovery: 'Whether the end of an episode is reported.',
  enabled:
    'Whether it is evaluated at all. A rule that was paused starts anew when it is enabled again.',
  expiresAt:
    'The moment, still to come, at which the rule ends, with its zone; never where it is left out.',
} as const;

const conditionMembers = {
  metric: 'The metric; `silence_minutes.<N>d` for a no-data watch.',
  when: 'On which side of its lines it fires.',
  threshold: 'The line, a decimal in `unit`; null for a band.',
  recover: 'Where the episode ends, a decimal in `unit`; null where the rule does not say.',
  low: 'The lower edge of the band, a decimal in `unit`; null where there is none.',
  high: 'The upper edge of the band, a decimal in `unit`; null where there is none.',
  unit: 'The unit of the numbers: a currency, `usd`, `%` or `minutes`.',
  value: 'What the metric is now, a decimal in `unit`; null where it is not known.',
} as const;

const ofWatch = { rule: 'The id of the rule.', contract: 'The NFT contract.' } as const;

const watchMembers = {
  ...ofWatch,
  noData: 'Whether it is the no-data watch of its rule (`noData`).',
  name: 'The name of the collection, where the list gives one.',
  label: 'The label of the rule, where it has one.',
  ...conditionMembers,
  all: 'The conditions that must hold together, where they are more than one; the members above are those of the first.',
  severity: 'How grave its alerts are.',
  admin:
    'Whether it may send alerts: `muted` until `mutedUntil`, `paused` by `enabled: false`, `expired` after the end of the rule.',
  mutedUntil: `When the mute that covers it ends: ${MOMENT}; null where none does.`,
  state:
    '`unknown` until the first value after its creation, `ok` at rest, `pending` while it is beyond but not long or often enough, `firing`, `recovering` while it is back but not long enough, `disarmed` while a `cross` rule waits for the good side, `ended` after the one episode of a `once` rule.',
  stateSince: `The time of the data that brought it into \`state\`: ${MOMENT}.`,
  episode:
    'How many episodes there were in its generation; the last one is open while it is firing or recovering.',
  acknowledged: 'The acknowledgement of the open episode; null without one.',
  generation:
    'The revision of the list at which the condition of the rule last changed or the contract joined.',
  waitsFor: 'The numbers at which it would move next.',
  dataTime: `The time of its newest data: ${MOMENT}.`,
  health: 'The health of its data.',
} as const;

const writtenMembers = {
  name: 'What people call it.',
  contracts: 'The NFT contracts that are watched.',
  rules: 'What is asked of them.',
  channels: 'Where its alerts go, besides to the operators of the stack.',
} as const;

const entryMembers = {
  ...writtenMembers,
  id: 'The id of the list.',
  revision: 'The number of its last change; its `ETag`.',
} as const;

const ofChange = {
  restarted:
    'Of an answer to a change: the rules whose open episodes it has closed, since they mean something else now.',
  forecast: 'Of an answer to a change: what the next answers make of the new watches.',
} as const;

const changed = { ...ofListMembers, ...ofChange } as const;

/** Lists with their rules, watches, alerts and mutes: as they are written, and as they are read. */
export const watchlistComponents: readonly Component[] = [
  input('WatchlistInput', WatchlistBody, 'A watchlist as people and programs write it.', {
    ...writtenMembers,
    id: 'The id of the list; made of its name where it is left out. Of a PUT that of the path, or none.',
    contracts: 'The NFT contracts to watch: each alone, or with the name of its collection.',
  }),
  input(
    'RuleInput',
    AlertRule,
    'What is asked of a contract; all that is left out does the expected thing.',
    ruleMembers,
  ),
  output('WatchlistEntry', WatchlistEntry, 'A watchlist among others.', entryMembers),
  output('Watchlist', WatchlistAnswer, 'A watchlist, and how far its revision is in effect.', {
    ...entryMembers,
    mutes: 'The mutes that are running.',
    ...ofChange,
    undeliverable: 'Whether no channel of the list works, also where it has none.',
    pendingChanges: ofListMembers.pendingChanges,
    cadenceMinutes: 'Minutes between two polls of a contract.',
    cadenceStretched:
      'Whether that is more than configured, since the budget of the stack is short.',
  }),
  output(
    'PutResult',
    PutAnswer,
    'A watchlist as it was put; or, of a dry run, what a PUT would do.',
  ),
  output('DryRun', DryRunAnswer, 'What a PUT of a list would do.', {
    revision: 'The revision that the list has; null where there is none.',
    edit: 'What would become of its parts.',
    restarted: 'The rules whose open episodes would be closed.',
    watches: 'What would become of its watches.',
    forecast: 'What the next answers would make of the new watches.',
  }),
  output('WatchCounts', WatchCounts, 'What becomes of the watches of a list.', {
    begun: 'How many begin.',
    ended: 'How many end.',
  }),
  output(
    'ForecastOfChange',
    ForecastOfChange,
    'What the next answers do to new watches if the values stay the same.',
    {
      watches: 'New watches, those that fire first: of 25 contracts at most, and a hundred in all.',
      leftOut: 'How many new watches are not among them.',
      warnings: 'Rules that probably mean something else than they say.',
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
        'How many contracts the share carries at that cadence, about; null before the first minute of the stack.',
    },
  ),
  output('RuleWarning', RuleWarning, 'What a rule probably does not mean.', {
    rule: 'The id of the rule.',
    text: 'What it says, and how the likelier is written.',
  }),
  output('WatchForecast', WatchForecast, 'What will come of a new watch.', {
    ...ofWatch,
    forecast: 'What the next answer makes of it.',
  }),
  output(
    'WatchlistExport',
    WatchlistExport,
    'A watchlist as a document that a PUT takes.',
    writtenMembers,
  ),
  output('WatchlistPage', WatchlistPage, 'Some of the watchlists of a tenant.', {
    watchlists: 'The lists, by their ids.',
    ...filledPageMembers,
  }),
  input(
    'MemberInput',
    MemberBody,
    'An NFT contract of a list, as it is written: alone, or with the name of its collection.',
  ),
  input(
    'MemberReplacement',
    MemberReplacement,
    'What is said of an NFT contract that the path names.',
    {
      contract: 'That of the path, or none.',
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
    channel: 'The channel; its secrets by their names.',
    ...changed,
  }),
  output('Member', MemberAnswer, 'An NFT contract of a list.', {
    contract: 'The contract.',
    name: 'The name of its collection, in messages.',
  }),
  output('Rule', RuleAnswer, 'What is asked of a contract, with all that was left out.', {
    ...ruleMembers,
    id: 'The id of the rule within its list.',
  }),
  output(
    'Watch',
    WatchAnswer,
    'One rule on one contract: the thing that has a state.',
    watchMembers,
  ),
  output('WatchPage', WatchPage, 'The watches of some of the contracts of a list.', {
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
  output('WaitsFor', WaitsForAnswer, 'The numbers at which a watch would move next.', {
    metric: 'The metric of the numbers; `all` if any new observation is evaluated.',
    falling: 'It moves at this number and below; null where it waits for none.',
    rising: 'It moves at this number and above; null where it waits for none.',
  }),
  output('Health', HealthAnswer, 'Whether the data of a watch are sound.', {
    state:
      '`waiting`: none yet. `fresh`. `stale`: the last known are from before `since`. `disputed`: they contradict themselves, or are reported in another currency. `error`: the rule could not be evaluated.',
    code: 'The same, for programs: `ok`, `not_ready`, `throttled`, `failed_timeout`, …',
    reason: 'The same, for people; null where all is well.',
    since: `Since when: ${MOMENT}.`,
  }),
  output(
    'WatchReading',
    OneWatchAnswer,
    'One watch; less where the last change of its list has still to make it.',
  ),
  output(
    'Explanation',
    ExplanationAnswer,
    'All about one watch; less where the last change of its list has still to make it.',
  ),
  output('WatchExplanation', WatchExplanation, 'A watch, and why it is silent.', {
    ...watchMembers,
    why: 'Why it says nothing now, in a sentence or two.',
    forecast: 'What the next answer does if the values stay the same.',
    waitsForInWords: 'The numbers that would move it, in words; null where none would.',
    reported: 'What the data provider reported last, by what it was asked.',
    nextEvaluation: 'When it is evaluated next.',
    outbox: 'What it has to say that is not on its way yet.',
  }),
  output(
    'WatchToCome',
    WatchToCome,
    'A watch that the last change of its list has still to make.',
    {
      ...ofWatch,
      state: 'There is none yet.',
      why: 'Why it says nothing now.',
    },
  ),
  output(
    'ReportedPrice',
    ReportedPriceAnswer,
    'What the data provider reported last.',
    reportedMembers,
  ),
  output('NextEvaluation', NextEvaluationAnswer, 'When a watch is evaluated next.', {
    pollAt: `The minute of the next poll, if rate and budget allow it: ${MOMENT}.`,
    cadenceMinutes: 'Minutes between two polls of a contract.',
    wakeAt: `When it is looked at whatever is reported, at the end of \`for\` or \`keepFor\` or for a reminder: ${MOMENT}.`,
  }),
  output('Outbox', OutboxAnswer, 'What a watch has to say that is not on its way yet.', {
    alerts: 'How many alerts.',
    since: `The time of the data of the oldest: ${MOMENT}.`,
    heldUntil: `When the mute ends that holds them: ${MOMENT}; null where they are on their way.`,
  }),
  {
    name: 'Alert',
    schema: AlertAnswer,
    side: 'output',
    description: alertSchema.description,
    members: {
      ...alertMembers,
      self: 'Where the alert is found, and what becomes of it.',
      acknowledged: 'The acknowledgement of its episode; null without one.',
      deliveries: 'What became of it, by the ids of the channels of its list.',
      operators: 'What became of it with the operators of the stack: `stack-topic`, `stack-slack`.',
    },
  },
  output('AlertPage', AlertPage, 'Some of what a list has reported.', {
    alerts: 'The alerts, newest first.',
    ...filledPageMembers,
  }),
  output('Delivery', DeliveryAnswer, 'What became of an alert with one of its receivers.', {
    state:
      '`pending`: it waits to be sent. `accepted`: SNS has it, for an email or a queue. `sent`: the server of the chat or the webhook has it. `failed`: it is given up.',
    at: `When it came to that: ${MOMENT}; null while it waits.`,
    reason: 'Why it failed.',
  }),
  output('Acknowledgement', AcknowledgementAnswer, 'The acknowledgement of an episode.', {
    at: `When: ${MOMENT}.`,
    note: 'What was said with it.',
  }),
  input('AcknowledgementInput', AcknowledgementBody, 'What may be said when acknowledging.', {
    note: 'A note for the readers of the alert.',
  }),
  input(
    'MuteInput',
    MuteBody,
    'Which alerts of a list are kept back, and until when: `until` or `for`. All of them, where neither `rule` nor `severity` is given.',
    {
      until: 'The moment at which it ends, with its zone, at most 90 days ahead.',
      for: 'How long it lasts.',
      rule: 'The id of a rule of the list, whose alerts alone are kept back.',
      severity: 'The severity of the rules whose alerts alone are kept back.',
      reason: 'The reason, for readers.',
    },
  ),
  output('Mute', MuteAnswer, 'A span of time in which a list holds alerts back.', {
    id: 'The id of the mute.',
    from: `When it began: ${MOMENT}.`,
    until: `When it ends: ${MOMENT}.`,
    rule: 'The rule it is for; null for all.',
    severity: 'The severity it is for; null for all.',
    reason: 'Why.',
  }),
  output('Change', ChangeAnswer, 'An entry of the audit log.', {
    id: 'The name of the change, in the order of time.',
    at: `When it was made: ${MOMENT}.`,
    by: 'The key that was used.',
    watchlist: 'The id of the list that it is about.',
    kind: 'What was done.',
    revision: 'The revision that it has made of the list; null where it has made none.',
    edit: 'What it has edited, by names; null where it has made no revision.',
    subject:
      'The id of the mute or the channel, or the moment and the id of the alert, that it is about; null where that is the list.',
  }),
  output('Actor', ActorAnswer, 'A key as the audit log reports it.', {
    key: 'Its id, which opens nothing.',
    name: 'What its owner calls it.',
  }),
  output('Edit', EditAnswer, 'What became of the parts of a list, by their names.', {
    name: 'The new name of the list; null where it is as it was.',
    contracts: 'Contracts.',
    rules: 'Rules, by their ids.',
    channels: 'Channels, by their ids.',
  }),
  output('EditedParts', EditedAnswer, 'What became of the parts of one kind.', {
    added: 'Those that were added.',
    changed: 'Those that were changed.',
    removed: 'Those that were taken away.',
  }),
  output('ChangePage', ChangePage, 'A page of the audit log.', {
    changes: 'Newest first.',
    ...filledPageMembers,
  }),
  output('Usage', UsageAnswer, 'What a tenant uses of what it may.', {
    watchlists: 'Watchlists.',
    contracts: 'Contracts in all lists together.',
    watches: 'Watches in all lists together: rules times contracts.',
    requests: 'Requests of each interface.',
  }),
  output('Held', QuotaAnswer, 'How much there is of something.', {
    used: 'How much there is, or what a change under way may bring it to.',
    limit: 'How much there may be.',
  }),
  output('RequestUnits', RequestUnitsAnswer, 'The limit on requests of an interface.', {
    unitsPerMinute: 'What may be used in a minute, also at once.',
    left: 'What is left, less what functions have taken in advance.',
    allAt: 'When all is there again.',
  }),
  output('MuteList', MuteList, 'The mutes of a list.', {
    mutes: 'Those that are running.',
  }),
];
