/** The page made of this table. */
export const RUNBOOK_PAGE = 'infra/operate/RUNBOOK.md';

/** One kind of trouble: the text of its alarms, and its section of the runbook page. */
type Entry = {
  readonly means: string;
  readonly look: string;
  readonly act: string;
  readonly ends: string;
};

/** A section of the runbook by its heading. CloudWatch takes 1,024 characters of an alarm's text. */
export type Section = keyof typeof RUNBOOK;

export const RUNBOOK = {
  'No ticks': {
    means:
      '`poll-prices` or `wake-work` has not finished for five minutes. Without the first nothing is polled. Without the second, delayed work of lists and channels waits, and lost messages are not sent again. No state is lost.',
    look: 'the log event `invocation_failed` of both functions; their schedules in EventBridge Scheduler; the missed ticks of the last day, each with its reason (`npm run operate -- redrive --stage STAGE --dry-run`).',
    act: 'fix the error that the log names, such as a table that rejects requests. If a deployment set a wrong variable, deploy the version before. Enable the schedule if it is disabled.',
    ends: 'with the next ticks. They catch up with everything that was missed.',
  },
  'Upstream denied': {
    means:
      'The data provider refuses the key of the stack, its quota is used up, the account is paused, or the plan lacks an operation that polls need. Polls stop; where only the plan lacks an operation, polls with that operation stop. One call tries again after 1, 2, 4 … 60 minutes.',
    look: '`npm run operate -- status` names the reason and the operation; the log event `part_not_answered` with `denied` of `poll-prices`.',
    act: 'put a valid key into the parameter `/floorwatch/STAGE/upstream-key` (it is read again within minutes), or raise the plan at the provider.',
    ends: 'with the first call that is answered, an hour later at most.',
  },
  'Upstream key ends': {
    means:
      "The provider's key was made without an account and ends within two days. Then the provider refuses the polls.",
    look: '`upstreamKeyEndsAt` in the settings of the stage, `.floorwatch/STAGE.json`.',
    act: 'create another key with `npm run operate -- setup --stage STAGE --upstream-key-from instant`, or use the key of an account, which does not expire: `--upstream-key-from env:NAME`.',
    ends: 'with the next tick after that.',
  },
  'Upstream budget': {
    means:
      '80 % of the calls that the provider allows in this UTC day or month are spent. The contracts of tenants that need more than their share are polled less often, so the rest lasts. The budget is never exceeded.',
    look: 'the second row of the dashboard: if as much of the day or month has passed as of the budget is spent, all is as planned. `npm run operate -- status` reports stretched cadences.',
    act: 'find out what uses more: more contracts (`ContractsWatched`), or the v2.2 interface. Raise `upstreamBudgetPerDay` or `upstreamBudgetPerMonth` with the plan, or `pollCadenceMinutes`, and deploy.',
    ends: 'with the UTC day or month, or with a larger budget.',
  },
  'Data age': {
    means:
      'The newest floor of all contracts is older than six hours, or half of the contracts have had no usable answer for an hour. Watches keep their states. Their health is `stale` where the provider gives no value, and `fresh` where a floor is merely old.',
    look: 'calls by outcome on the dashboard. No calls: see "No ticks" and "Queue age". Failing calls: `npm run operate -- status` names the oldest.',
    act: 'wait for a provider that is down; see "Upstream denied" and "Upstream budget". Floors stop moving a week after the last sale: if no watched collection has sold for a week, nothing is wrong.',
    ends: 'with the first answers that bring something new.',
  },
  'Overdue work': {
    means:
      'The message of an alert, a change of a list or a channel is ten minutes behind its timer, although each tick sends its message. Its function cannot finish the work. Alerts may wait.',
    look: '`npm run operate -- status` names what waits; then "Dead letters", "Function throttles", and the log event `message_failed` at level error: each failed message comes again every three minutes, four times in all.',
    act: 'fix what the error names: an SNS topic that cannot be created, a missing right, a bug.',
    ends: 'by itself once that is fixed: everything that waits is sent within minutes.',
  },
  'Late alerts': {
    means:
      'Channels that work got alerts more than a minute after the poll that brought their price. The objective is 99.5 % within a minute. Page: 7.2 % of the last hour were late, which spends the budget of a month in two days. Ticket: 3 % of the last six hours, in five days. One or two late alerts never ring.',
    look: 'the log events `message_sent` and `message_accepted` with `late` above 0: `seconds` is the delay, `trace` leads to the cause of the delay. Retries after a failure of the channel do not count as late.',
    act: 'nothing after an outage that is over. Otherwise see "Function throttles", "Queue age" and "Overdue work".',
    ends: 'when late alerts are an hour old, or six, or when enough others came in time.',
  },
  Canary: {
    means:
      'A rule on a built-in floor fires each midnight UTC, and its message comes back through polls, rules and SNS into a queue of the stack. For 26 hours none has come back: alerts may reach nobody, although no other alarm has fired.',
    look: '`npm run operate -- status` names the last message that came back; with a key of the tenant `floorwatch` (`npm run operate -- keys`) `GET /v1/watchlists/canary/alerts` shows what has fired, and to whom it went.',
    act: 'follow that alert by its trace through the logs to the function that lost it. If the list `canary` is missing, `npm run operate -- setup --stage STAGE` creates it. The alarm also fires after the first deployment that has a canary, until the first message comes back minutes later.',
    ends: 'with the next message that comes back.',
  },
  'Alerts given up': {
    means:
      "A channel refused alerts, or did not take them for a day, or SNS could not deliver them to a subscribed queue or address: they are given up there. Other channels are not affected. If the channel belongs to a tenant, the list's other channels have been informed. If it is the operators' own Slack or topic, nobody else has.",
    look: "the log events `alerts_given_up`, `message_refused` and `message_gone` of `deliver-messages`, and `message_undelivered` of `note-bounces`: `destinationId` names the channel (`stack-…` are the operators' own) and `reason` the answer. Many channels of one kind at once: is that service down, or our address refused?",
    act: "nothing about a tenant's own channel. For the operators' Slack put the URL of a webhook that works into the parameter of the stage (`npm run operate -- setup`). The alerts themselves are in each list's `GET …/alerts`.",
    ends: 'never: it reports an event, not a state.',
  },
  'Broken items': {
    means:
      'An item of the table cannot be read because another version or a person wrote it, or a watch cannot be evaluated. Everything else goes on. Alerts and changes that need the item wait for it.',
    look: '`npm run operate -- status` names the lists, watches and contracts; the log events `item_unreadable`, `prices_polled` and `work_woken` at level error (`unreadable` names the key), `watch_evaluation_failed`, `history_unreadable`, `alert_unreadable`.',
    act: 'deploy the version that wrote the item, or replace or delete the list with `PUT` or `DELETE` and `If-Match: *`. A watch starts again when its rule is paused and resumed.',
    ends: 'when the item is read successfully.',
  },
  'Queue age': {
    means:
      'Messages to contracts wait for five minutes: polls and evaluations are late. After fifteen minutes they expire, and ticks send them again.',
    look: 'whether the event source of `run-contracts` is enabled; "Function throttles" and "Dead letters". A burst of changes ends by itself.',
    act: 'enable the event source, or ask AWS for more concurrent executions.',
    ends: 'when the oldest message is younger.',
  },
  'Dead letters': {
    means:
      'A message of a queue (`Contracts`, `Lists` or `Channels`) failed four times: a bug, a missing right, a table that rejects requests, or an outage of a quarter of an hour. No work is lost: timers repeat it.',
    look: '`npm run operate -- redrive --stage STAGE --dry-run` shows the messages; the log event `message_failed` with the same `messageId` has the error.',
    act: 'fix the cause, then move the messages back: `npm run operate -- redrive --stage STAGE`.',
    ends: 'when the queue is empty.',
  },
  'Function errors': {
    means:
      'A function of the account and region threw, ran out of time or memory, or did not start: one of the stack, or another one. The next tick makes up for a tick, a message is retried, a request is answered with 502.',
    look: 'which function has `Errors`, in CloudWatch under Lambda by function name; the log event `invocation_failed` with its error. `Task timed out` and `Runtime exited` are messages of Lambda.',
    act: 'if it began with a deployment, deploy the version before. A wrong environment variable is named at the start of the function.',
    ends: 'after two of three periods without an error.',
  },
  'Function throttles': {
    means:
      'The account runs as many functions at once as its quota allows, so a function was not started. Messages wait, requests are answered with 500 or 502.',
    look: '`ConcurrentExecutions` of the account: is it this stack or another one?',
    act: 'ask for a higher quota (Lambda, concurrent executions), or move others to an account of their own.',
    ends: 'after two of three periods without a throttle.',
  },
  'Errors of the interface': {
    means:
      'For a quarter of an hour one of twenty answers or more was a 5xx. 501 to 504 of `/api/v2.2` name in `detail` what the provider did, or that no call to it was left. 503 of `/v1/health` reports a stack that does not do its work. All others are faults of the stack.',
    look: 'the access log by `route` and `status`; the log event `request_failed` by its `requestId`. `provider_failed` is a fault of the provider.',
    act: 'by the route: "Upstream denied", "Upstream budget", "Data age", "Function errors".',
    ends: 'when fewer answers fail.',
  },
} as const satisfies Readonly<Record<string, Entry>>;

/** The text of an alarm: all that its email says. */
export function alarmText(section: Section): string {
  const { means, look, act, ends } = RUNBOOK[section];
  return `${section}. ${means} Look at: ${look} Do: ${act} Ends: ${ends} (${RUNBOOK_PAGE})`;
}

/** The runbook as a page, with the alarms that each section is for. */
export function runbookPage(alarms: ReadonlyMap<Section, readonly string[]>): string {
  const sections = Object.entries(RUNBOOK).map(([section, { means, look, act, ends }]) =>
    [
      `## ${section}`,
      '',
      `Alarms: ${(alarms.get(section as Section) ?? []).map((name) => `\`${name}\``).join(', ')}`,
      '',
      means,
      '',
      `- **Look at:** ${look}`,
      `- **Do:** ${act}`,
      `- **Ends:** ${ends}`,
      '',
    ].join('\n'),
  );
  return [
    '# Runbook',
    '',
    'What to do about each alarm. Alarms come by email to `operatorEmails`, after each address has confirmed two subscriptions. `alarms-of-floorwatch-STAGE` sends alarms that cannot wait (page), `tickets-of-floorwatch-STAGE` sends those that can (ticket). An `OK` follows when the trouble is over. This page and the texts of the alarms are generated from `infra/stack/runbook.ts`. `STAGE` stands for the name of the stage. A `trace` in the log leads from a tick through everything that it set off:',
    '',
    '```sh',
    "aws logs tail --since 1h --follow --filter-pattern '{ $.level = \"error\" }' LOG_GROUP   # named in the function's Monitor tab",
    '```',
    '',
    ...sections,
  ].join('\n');
}
