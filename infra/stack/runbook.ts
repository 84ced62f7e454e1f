/** The page that is generated from this table. */
export const RUNBOOK_PAGE = 'infra/operate/RUNBOOK.md';

/** One kind of problem: the text of its alarms, and its section of the runbook page. */
type Entry = {
  readonly means: string;
  readonly look: string;
  readonly act: string;
  readonly ends: string;
};

/** The heading of a section. CloudWatch limits the description of an alarm to 1,024 characters. */
export type Section = keyof typeof RUNBOOK;

export const RUNBOOK = {
  'No ticks': {
    means:
      '`poll-prices` or `wake-work` has had no successful run for five minutes. Without `poll-prices` no prices are polled. Without `wake-work` delayed work of lists and channels waits, and lost messages are not sent again. No state is lost.',
    look: 'the log event `invocation_failed` of both functions; their schedules in EventBridge Scheduler; the missed ticks of the last day, each with its reason (`npm run operate -- redrive --stage STAGE --dry-run`).',
    act: 'fix the error that the log names, such as a table that rejects requests. If a deployment set a wrong variable, deploy the previous version. Enable the schedule if it is disabled.',
    ends: 'with the next ticks, which catch up on all missed work.',
  },
  'Upstream denied': {
    means:
      "The data provider rejects the stack's key, the quota of this key is used up, the account is paused, or the plan lacks an operation that polls need. If the plan lacks an operation, only polls with that operation stop; otherwise all polls stop. The stack retries with one call after 1, 2, 4 … 60 minutes.",
    look: '`npm run operate -- status`, which names the reason and the operation; the log event `series_not_answered` of `poll-prices` with `denied`.',
    act: 'put a valid key into the parameter `/floorwatch/STAGE/upstream-key` (the stack reads it again within minutes), or upgrade the plan at the provider.',
    ends: 'with the first successful call, at most an hour after the fix.',
  },
  'Upstream key expires': {
    means:
      "The provider's key was created without an account and expires within two days. Then the provider rejects all polls.",
    look: '`upstreamKeyEndsAt` in the settings of the stage, `.floorwatch/STAGE.json`.',
    act: 'create another key with `npm run operate -- setup --stage STAGE --upstream-key-from instant`, or use the key of an account, which does not expire: `--upstream-key-from env:NAME`.',
    ends: 'with the next tick after the new key is stored.',
  },
  'Upstream budget': {
    means:
      'The stack has spent 80% of its budget of cost units for this UTC day or month. Contracts of tenants that need more than their share are polled less often, so that the remaining budget lasts. The budget is never exceeded.',
    look: 'the second row of the dashboard: if the spent share of the budget matches the elapsed share of the day or month, spending is as planned. `npm run operate -- status` reports contracts that are polled less often.',
    act: 'find the cause of the higher use: more contracts (`ContractsWatched`), or more requests to the v2.2 API. If the plan at the provider allows more, raise `upstreamBudgetPerDay` or `upstreamBudgetPerMonth`. Otherwise raise `pollCadenceMinutes`. Then deploy.',
    ends: 'at the end of the UTC day or month, or with a larger budget.',
  },
  'Data age': {
    means:
      'The newest floor among all contracts is older than six hours, or half of the contracts have had no usable response for an hour. Watches keep their states. Their health is `stale` if the provider returns no value, and `fresh` if a floor is merely old.',
    look: 'the graph "Calls by outcome" on the dashboard. If there are no calls, see "No ticks" and "Queue age". If calls fail, `npm run operate -- status` names the contract with the oldest data.',
    act: 'if the provider is down, wait until it recovers. Otherwise see "Upstream denied" and "Upstream budget". A collection without a sale for a week has no new floors: if this applies to every watched collection, nothing is wrong.',
    ends: 'when the provider returns new data.',
  },
  'Overdue work': {
    means:
      'Work for an alert, a list change or a channel is ten minutes overdue. Each tick sends a message that starts this work, but the function that handles the message cannot finish it. Alerts may be delayed.',
    look: '`npm run operate -- status` names the waiting work; then see "Dead letters" and "Function throttles", and the log event `message_failed` at level error: a message that fails is tried every three minutes, four times in all.',
    act: 'fix the cause that the error names, such as an SNS topic that cannot be created, a missing permission, or a bug.',
    ends: 'by itself after the fix: all waiting work is done within minutes.',
  },
  'Late alerts': {
    means:
      'Working channels got alerts more than a minute after the poll that returned the price. The objective is 99.5% within a minute. Page: 7.2% of the alerts in the last hour were late. At this rate the monthly error budget is used up in two days. Ticket: 3% of the alerts in the last six hours were late. At this rate the monthly error budget is used up in five days. One or two late alerts never trigger the alarm.',
    look: 'the log events `message_sent` and `message_accepted` with `late` above 0: `seconds` is the delay, `trace` leads to the cause of the delay. Retries after a failure of the channel do not count as late.',
    act: 'do nothing if the cause was an outage that is over. Otherwise see "Function throttles", "Queue age" and "Overdue work".',
    ends: 'when the late alerts are older than the window (one or six hours), or when enough later alerts arrive in time.',
  },
  Canary: {
    means:
      'The canary is a rule that fires at midnight UTC every day, on a built-in floor. Its message passes through polls, rules and SNS to a queue of the stack. No message has arrived for 26 hours: alerts may reach nobody, although no other alarm has fired.',
    look: '`npm run operate -- status` shows when the last message arrived; with a key of the tenant `floorwatch` (`npm run operate -- keys`), `GET /v1/watchlists/canary/alerts` shows which alerts fired, and their destinations.',
    act: 'follow the `trace` of the alert through the logs to the function that lost it. If the list `canary` is missing, `npm run operate -- setup --stage STAGE` creates it. The alarm also fires after the first deployment that has a canary, until the first message arrives minutes later.',
    ends: 'when the next message arrives.',
  },
  'Alerts given up': {
    means:
      "A channel rejected alerts or failed for a day, or SNS could not deliver them to a subscribed queue or address. Other channels are not affected. If the channel belongs to a tenant, the list's other channels have been informed. If it is the operators' own Slack or topic, nobody else has been informed.",
    look: 'the log events `alerts_given_up`, `message_refused` and `message_gone` of `deliver-messages`, and `message_undelivered` of `record-bounces`: `destinationId` names the channel (`stack-…` is a channel of the operators) and `reason` is the response of its service. If many channels of one kind fail together, check whether that service is down or blocks the stack.',
    act: "do nothing if the channel belongs to a tenant. For the operators' Slack, store the URL of a working webhook in the parameter of the stage (`npm run operate -- setup`). `GET …/alerts` of each list still returns the alerts.",
    ends: 'without an `OK`, because the alarm reports an event, not a state.',
  },
  'Broken items': {
    means:
      'An item in the table cannot be read because another version or a person wrote it, or a watch cannot be evaluated. Everything else continues. Alerts and changes that need the item wait.',
    look: '`npm run operate -- status`, which names the lists, watches and contracts; the log events `item_unreadable`, `watch_evaluation_failed`, `history_unreadable` and `alert_unreadable`; and the log events `prices_polled` and `work_woken` at level error, in which `unreadable` names the keys.',
    act: 'deploy the version that wrote the item, or replace or delete the list with `PUT` or `DELETE` and `If-Match: *`. To restart a watch, pause and resume its rule.',
    ends: 'when the item is read successfully.',
  },
  'Queue age': {
    means:
      'Messages in the queue `Contracts` have waited for five minutes, so polls and evaluations are late. After fifteen minutes a message expires, and a tick sends it again.',
    look: 'the event source of `run-contracts`, which must be enabled; "Function throttles" and "Dead letters". After a burst of changes the queue empties by itself.',
    act: 'enable the event source, or ask AWS for more concurrent executions.',
    ends: 'when the oldest waiting message is younger than five minutes.',
  },
  'Dead letters': {
    means:
      'A message in a queue (`Contracts`, `Lists` or `Channels`) failed four times. Likely causes: a bug, a missing permission, a table that rejects requests, or an outage of 15 minutes. No work is lost, because timers repeat it.',
    look: '`npm run operate -- redrive --stage STAGE --dry-run` shows the messages; the log event `message_failed` with the same `messageId` has the error.',
    act: 'fix the cause, then move the messages back: `npm run operate -- redrive --stage STAGE`.',
    ends: 'when the dead-letter queue is empty.',
  },
  'Function errors': {
    means:
      'A function in this account and region failed with an error, ran out of time or memory, or did not start. It may belong to this stack or to another. The next tick makes up for a failed tick. A failed message is retried. A failed request returns 502.',
    look: 'the metric `Errors` of each function (CloudWatch, Lambda, by function name); the log event `invocation_failed`, which contains the error. `Task timed out` and `Runtime exited` are messages from Lambda.',
    act: 'if the errors began with a deployment, deploy the previous version. If an environment variable is invalid, the function names it in its log when it starts.',
    ends: 'when at most one of the last three 5-minute periods has an error.',
  },
  'Function throttles': {
    means:
      'The account reached its quota of concurrent executions, so Lambda did not start a function. Messages wait, and requests return 500 or 502.',
    look: 'the metric `ConcurrentExecutions` by function, to see whether this stack or another one uses up the quota.',
    act: 'ask for a higher quota (Lambda, concurrent executions), or move other workloads to a separate account.',
    ends: 'when at most one of the last three 5-minute periods has a throttle.',
  },
  'API errors': {
    means:
      "For 15 minutes at least 5% of the responses were 5xx. For 501 to 504 from `/api/v2.2`, `detail` names the provider's failure or the exhausted call budget. A 503 from `/v1/health` means that the stack is unhealthy. All other 5xx responses are faults of the stack.",
    look: 'the access log by `route` and `status`; the log event `request_failed` by its `requestId`. `provider_failed` is a fault of the provider.',
    act: 'see, depending on the route, "Upstream denied", "Upstream budget", "Data age" or "Function errors".',
    ends: 'when less than 5% of the responses are 5xx.',
  },
} as const satisfies Readonly<Record<string, Entry>>;

/** The description of an alarm, which is the whole text of its email. */
export function alarmText(section: Section): string {
  const { means, look, act, ends } = RUNBOOK[section];
  return `${section}. ${means} Look at: ${look} Do: ${act} Ends: ${ends} (${RUNBOOK_PAGE})`;
}

/** The runbook as a page, with the alarms of each section. */
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
    'This page explains each alarm and its remedy. Alarms are sent by email to each address in `operatorEmails` that has confirmed two subscriptions. The topic `alarms-of-floorwatch-STAGE` sends alarms that need action now (page). The topic `tickets-of-floorwatch-STAGE` sends alarms that can wait for a day (ticket). An `OK` follows when the problem is over. This page and the texts of the alarms are generated from `infra/stack/runbook.ts`. `STAGE` stands for the name of the stage. A `trace` in the log connects a tick with all work that it started. This command shows the latest errors of a function:',
    '',
    '```sh',
    "aws logs tail --since 1h --follow --filter-pattern '{ $.level = \"error\" }' LOG_GROUP   # named in the function's Monitor tab",
    '```',
    '',
    ...sections,
  ].join('\n');
}
