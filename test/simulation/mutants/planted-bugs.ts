import { PLANTED_IN_DELIVERY } from './planted-in-delivery.ts';
import { PLANTED_IN_LISTS } from './planted-in-lists.ts';
import { PLANTED_IN_NUMBERS } from './planted-in-numbers.ts';
import { PLANTED_IN_OPINIONS } from './planted-in-opinions.ts';
import { PLANTED_IN_STORES } from './planted-in-stores.ts';

/** A replacement in the code. */
type Change = { readonly file: string; readonly from: string; readonly to: string };

/** A bug of a kind that developers really write. */
export type Mutant = Change & {
  readonly name: string;
  /** More replacements, such as the removal of a second check that would hide the bug. */
  readonly also?: readonly Change[];
  /**
   * Why the simulation does not find the bug. If the simulation finds it after all, this entry is
   * outdated.
   */
  readonly survives?: string;
};

const POLL = 'functions/poll-prices/poll-contract.ts';
const ADOPT = 'shared/domain/watchlists/apply-list.ts';
const EVALUATE_WATCHES = 'functions/run-contracts/evaluate-watches.ts';
const APPLY = 'functions/run-contracts/apply-watchlist.ts';
const DELIVER = 'functions/deliver-messages';
const PASS = 'functions/poll-prices/poll-prices.ts';
const CLAIM = 'functions/poll-prices/claim-pass.ts';
const WAKE = 'functions/wake-work/wake-work.ts';
const CHANGE = 'shared/use-cases/write-watchlist.ts';
const EVALUATE = 'shared/domain/evaluation/evaluate-watch.ts';
const LAW = 'shared/domain/evaluation/law.ts';
const WATCH = 'shared/domain/evaluation/watch.ts';
const PAST = 'shared/domain/polling/backfill-state.ts';
const ABSORB = 'shared/domain/polling/absorb-answers.ts';
const CONTRACT_RECORD = 'shared/domain/polling/contract-record.ts';

export const MUTANTS: readonly Mutant[] = [
  ...PLANTED_IN_DELIVERY,
  ...PLANTED_IN_STORES,
  ...PLANTED_IN_NUMBERS,
  ...PLANTED_IN_LISTS,
  ...PLANTED_IN_OPINIONS,
  {
    name: 'a checkpoint is written before its effects',
    file: EVALUATE_WATCHES,
    from: '  let [begun, isMoved] =',
    to: '  await checkpoint(ports, evaluation, undefined);\n  let [begun, isMoved] =',
  },
  {
    name: 'a rule keeps waiting while the value is unknown',
    file: LAW,
    from: "return watch.recentSamples === undefined ? inState(known, 'ok', since) : known;",
    to: 'return known;',
  },
  {
    name: 'a rule fires because nothing was sold',
    file: LAW,
    from: "watch.recentSamples === undefined\n    ? known\n    : entering(known, 'ok', moment.since);",
    to: "watch.recentSamples === undefined\n    ? known\n    : fire(known, moment, 'point');",
  },
  {
    name: 'a revision and the price that it revises both count',
    file: LAW,
    from: '(watch.recentSamples ?? []).filter(({ time }) => time !== moment.time);',
    to: 'watch.recentSamples ?? [];',
  },
  {
    name: 'a checkpoint drops steps that were added during the evaluation',
    file: EVALUATE_WATCHES,
    from: 'evaluatedTo(known.timeline, evaluation.upTo)',
    to: 'evaluatedTo(known.timeline, known.timeline.seq)',
    survives:
      'rare: another worker has to commit and die while one is frozen at its checkpoint; sequences.test.ts covers it',
  },
  {
    name: 'a new watch accepts an answer from before it existed',
    file: EVALUATE_WATCHES,
    from: '(answeredAt[series] ?? 0) > refreshRequested',
    to: '(answeredAt[series] ?? 0) > 0',
    survives: 'rare: none of 150 seeds meets it; other-versions.test.ts covers it',
  },
  {
    name: 'history is not recorded',
    file: EVALUATE_WATCHES,
    from: 'from === undefined ? recordHistory(ports, record) : Promise.resolve()',
    to: 'from === undefined ? Promise.resolve() : recordHistory(ports, record)',
  },
  {
    name: 'a watch is written whatever its version',
    file: 'shared/stores/watch-store.ts',
    from: 'await table.put(toItem(written), watch.version);',
    to: 'await table.put(toItem(written));',
  },
  {
    name: 'a contract is written whatever its version',
    file: 'shared/stores/contract-store.ts',
    from: 'await table.put(toItem(written, now()), record.version);',
    to: 'await table.put(toItem(written, now()));',
  },
  {
    name: 'a posted alert is posted again',
    file: 'shared/stores/alert-store.ts',
    from: '[{ put: toItem(posted), version: 0 }, ...entries]',
    to: '[{ put: toItem(posted) }, ...entries]',
  },
  {
    name: 'a watch is written without its alerts',
    file: 'shared/stores/watch-store.ts',
    from: `        ...posted.flatMap(postingWrites),
`,
    to: '',
  },
  {
    name: 'mutes are ignored',
    file: 'shared/domain/channels/plan.ts',
    from: 'longestMute(mutes, { id: rule, severity, contract, episode }, now);',
    to: 'longestMute([], { id: rule, severity, contract, episode }, now);',
  },
  {
    name: 'a mute of one rule applies to all rules',
    file: 'shared/domain/watchlists/mute.ts',
    from: '.filter((mute) => mute.rule === undefined || mute.rule === id)',
    to: '.filter((mute) => mute.rule === undefined || id !== "")',
  },
  {
    name: 'an alert of a removed rule is posted',
    file: 'functions/run-contracts/evaluation.ts',
    from: 'if (list !== undefined && isListed(list, watch)) return list;',
    to: 'if (list !== undefined) return list;',
  },
  {
    name: 'held alerts are dropped at the end of a mute',
    file: `${DELIVER}/muted.ts`,
    from: 'await waitForAll(free.map((entry) => ports.unmuteInInbox(entry, now)));',
    to: 'await waitForAll(free.map((entry) => ports.removeFromInbox(entry)));',
  },
  {
    name: 'a notification is removed before it is settled',
    file: `${DELIVER}/waiting-alerts.ts`,
    from: `  await waitForAll(keys.map((key) => ports.putOutcome(key, destinationId, settled)));
`,
    to: `  await ports.removeFromInbox(entry);
  await waitForAll(keys.map((key) => ports.putOutcome(key, destinationId, settled)));
`,
  },
  {
    name: 'a failed notification counts as sent',
    file: `${DELIVER}/send-notification.ts`,
    from: 'if (seconds === undefined) return failed(record, reason, now);',
    to: "if (seconds === undefined) return succeeded(record, 'sent', now);",
  },
  {
    name: 'an answer is recorded on a later notification of the channel',
    file: `${DELIVER}/send-notification.ts`,
    from: 'found.notification?.id === underWay.id\n      ? afterRequests',
    to: 'found.destinationId !== undefined\n      ? afterRequests',
    survives: 'rare: it was a real bug, found once in about a thousand seeds',
  },
  {
    name: 'alerts are posted before their channels are announced',
    file: 'functions/run-contracts/commit-watch.ts',
    from: `  await waker.announce(all);
`,
    to: `  void all;
`,
  },
  {
    name: 'inboxes are not checked for alerts whose message was lost',
    file: WAKE,
    from: `  await lookIntoInboxes(ports, due, minute);
`,
    to: `  void lookIntoInboxes;
`,
  },
  {
    name: 'a pass does not catch up on the polls of a missed pass',
    file: CLAIM,
    from: 'until - cadence : after;',
    to: 'until - cadence : Math.max(after, until - 1);',
    survives: 'it costs time only: the next poll comes within minutes',
  },
  {
    name: 'a pass that fails leaves its polls to the next invocation',
    file: PASS,
    from: `    await waitForAll(begun);
  }`,
    to: `    void begun;
  }`,
  },
  {
    name: 'a pass is neither claimed nor charged',
    file: CLAIM,
    from: 'await ports.putProgress(next, charge)',
    to: 'next',
  },
  {
    name: 'a pass plans its polls while another is under way',
    file: CLAIM,
    from: 'if (isClaimed(progress, now)) return { ...known, claimed: undefined, polls: [] };',
    to: 'void isClaimed;',
    survives: 'it costs calls, and no alert is wrong; test/functions/one-poll.test.ts covers it',
  },
  {
    name: 'a poll that failed is not repeated by the next pass',
    file: PASS,
    from: 'return [contract];',
    to: 'return [];',
    survives: 'it costs time only; test/functions/passes.test.ts covers it',
  },
  {
    name: 'due timers are never sent',
    file: WAKE,
    from: 'sendTimers(ports, due.timers,',
    to: 'sendTimers(ports, [],',
  },
  {
    name: 'a failed poll leaves its successful answers to the next poll',
    file: POLL,
    from: 'await waitForAll(askAll(',
    to: 'await Promise.all(askAll(',
  },
  {
    name: 'a stale worker revises prices that were already evaluated',
    file: ABSORB,
    from: 'given.askedAt < known.answeredAt',
    to: 'answer.askedAt < 0',
  },
  {
    name: 'an age beyond its threshold stays beyond after an edit of the threshold',
    file: ADOPT,
    from: 'return isClock(ruleCondition.metric) ? { editedAt: now } : {};',
    to: 'return {};',
    survives: 'rare: one seed in a thousand; missing-data.test.ts covers it',
  },
  {
    name: 'timers are compared with a record from before a freeze',
    file: EVALUATE_WATCHES,
    from: '(await ports.getContract(record.contract)) ?? record;',
    to: 'record;',
    survives: 'rare: none of 150 seeds meets it; sequences.test.ts covers it',
  },
  {
    name: 'steps that wait for their evaluation are left to the next poll',
    file: CONTRACT_RECORD,
    from: 'record.timeline.steps.length > 0 || isClockDue(record, now)',
    to: 'isClockDue(record, now)',
  },
  {
    name: 'missing data are not recorded while polls are stopped',
    file: CLAIM,
    from: '(name) => mayAsk(record, name) || hasUnnotedSilence(record, name),',
    to: '(name) => mayAsk(record, name),',
  },
  {
    name: 'the newest requested poll goes first',
    file: 'shared/domain/polling/minute-plan.ts',
    from: 'since(one) - since(other)',
    to: 'since(other) - since(one)',
    survives:
      'it costs time only, and each minute has calls for all contracts; turns.test.ts covers it',
  },
  {
    name: 'a paused rule is still polled',
    file: APPLY,
    from: "const enabled = applied.filter(({ admin }) => admin === 'enabled');",
    to: 'const enabled = applied;',
  },
  {
    name: 'the job of a change has no contracts',
    file: CHANGE,
    from: 'const contracts = affectedContracts(before, after);',
    to: 'const contracts = affectedContracts(before, after).slice(0, 0);',
  },
  {
    name: 'a change drops the remaining contracts of the previous job',
    file: CHANGE,
    from: '[...new Set([...contracts, ...left])]',
    to: '[...new Set([...contracts, ...left.slice(0, 0)])]',
  },
  {
    name: 'a contract counts as up to date with its list at any revision',
    file: 'shared/domain/watchlists/job.ts',
    from: 'one.revision >= revision && one.at >= createdAt',
    to: 'one.revision > 0 && revision + createdAt > 0',
  },
  {
    name: 'a list that changed while it was applied is not applied again',
    file: APPLY,
    from: '    await expectRevision(ports, list, contract);\n',
    to: '',
    survives: 'rare: a worker must be frozen until another has applied the next change',
  },
  {
    name: 'a new watch requests no poll',
    file: APPLY,
    from: 'next = { ...next, timers: { ...next.timers, refreshRequested: now } };',
    to: '',
    survives: 'it costs time only: the next poll comes within minutes',
  },
  {
    name: 'a new watch starts with values from before it existed',
    file: LAW,
    from: "if (watch.state === 'unknown') return answeredAt > watch.since;",
    to: "if (watch.state === 'unknown') return true;",
  },
  {
    name: 'zero is a price',
    file: ABSORB,
    from: "  if (outcome.kind !== 'ok' && outcome.kind !== 'empty') {\n",
    to: "  if (outcome.kind === 'failed') return accepted({ ...before, floors: [{ kind: 'price', time: given.askedAt, price: 0n, currency: 'eth' }] }, answer, record);\n  if (outcome.kind !== 'ok' && outcome.kind !== 'empty') {\n",
  },
  {
    name: 'an answer counts from its arrival instead of its request',
    file: ABSORB,
    from: 'answeredAt: later(known.answeredAt, heardAt)',
    to: 'answeredAt: Date.now()',
  },
  {
    name: 'an older point counts as new',
    file: PAST,
    from: 'point.time > last.time || (',
    to: 'point.time !== last.time || (',
  },
  {
    name: 'a timer expires before every series is answered',
    file: LAW,
    from: 'timer <= Math.min(step.at, answeredAt)',
    to: 'timer <= step.at',
    also: [
      {
        file: LAW,
        from: 'answeredAt: Math.min(step.at, answeredFor(watch, step)),',
        to: 'answeredAt: step.at,',
      },
    ],
  },
  {
    name: 'a repeated evaluation evaluates each step again',
    file: EVALUATE,
    from: 'steps.filter(({ seq }) => seq > watch.evaluatedSeq)',
    to: 'steps.filter(({ seq }) => seq > 0)',
  },
  {
    name: 'a condition compares strictly below its threshold',
    file: 'shared/domain/rules/condition.ts',
    from: 'return value <= condition.threshold;',
    to: 'return value < condition.threshold;',
  },
  {
    name: 'prices are compared as floats',
    file: 'shared/domain/rules/condition.ts',
    from: 'return value >= condition.recover;',
    to: 'return Number(value) > Number(condition.recover);',
    survives:
      'hardly any price is within a wei of the recovery threshold; threshold-index.test.ts covers it',
  },
  {
    name: 'a recovery in the threshold index is one unit too far',
    file: WATCH,
    from: '  const end = recover ?? threshold + away;',
    to: '  const end = (recover ?? threshold + away) + away;',
    survives: 'rare: none of 150 seeds meets it; threshold-index.test.ts covers it',
  },
  {
    name: 'a pending watch is not in the threshold index',
    file: WATCH,
    from: '        [back]: threshold + away,\n        ...(watch.repeatPolicy.steps === undefined ? {} : { [toward]: threshold }),',
    to: '',
  },
  {
    name: 'a reminder counts from the last evaluation',
    file: WATCH,
    from: 'return firedAt + (passed + 1) * repeatPolicy.reminder;',
    to: 'return after + repeatPolicy.reminder + 0 * passed;',
  },
  {
    name: 'a new episode gets the number of the previous one',
    file: LAW,
    from: 'const episode = { episode: fired.watch.episode + 1, firedAt };',
    to: 'const episode = { episode: fired.watch.episode, firedAt };',
  },
  {
    name: '`confirm` keeps one recent sample too many',
    file: LAW,
    from: '.slice(-of)',
    to: '.slice(-of - 1)',
  },
  {
    name: 'each message of a contract is a group of its own',
    file: 'shared/domain/messages/groups.ts',
    from: 'return contract;',
    to: 'return contract + Math.random();',
    survives: 'every write checks the version that was read; both bugs together are found',
  },
  {
    name: 'the rate limiter is not stored',
    file: 'shared/clients/upstream-rate-limiter.ts',
    from: 'const written = await records.put(paid);',
    to: 'const written = paid;',
  },
  {
    name: 'the pause of a 429 is ignored',
    file: 'shared/domain/polling/rate-limiter.ts',
    from: 'const blockedUntil = Math.max(record.blockedUntil ?? 0, now + pause);',
    to: 'const blockedUntil = now;',
  },
  {
    name: 'a plan continues after the provider has asked for a pause',
    file: PASS,
    from: 'isRefused ? { ...poll, calls: {} } : poll',
    to: 'poll',
  },
  {
    name: 'a message is handled in any partition',
    file: `${DELIVER}/deliver-messages.ts`,
    from: 'while (channelPartition(destination, known) === message.partition) {',
    to: "while (channelPartition(destination, known) !== '') {",
    survives:
      'the simulated queues have unlimited concurrency; channel-partitions.test.ts covers it',
  },
  {
    name: 'a tenant that needs more has a larger share',
    file: 'shared/domain/polling/tenant-shares.ts',
    from: 'Math.min(need, left / (needed.size - shares.size))',
    to: 'Math.min(need, (need * capacity) / sum([...needed.values()]))',
  },
  {
    name: 'extra polls are charged to no tenant',
    file: 'shared/domain/polling/minute-plan.ts',
    from: '<= shares.outOfTurn(payer)',
    to: '< Number.POSITIVE_INFINITY',
    survives:
      'no other tenant is polled less often because of it; test/contract/fairness.test.ts covers it',
  },
  {
    name: 'a missed reserved call is made later',
    file: 'shared/domain/polling/reserved-call.ts',
    from: 'return now > callAt + START_TOLERANCE;',
    to: 'return now > callAt + 1000 * START_TOLERANCE;',
  },
  {
    name: 'an alert goes to the channels of its first list',
    file: 'shared/domain/channels/destination-id.ts',
    from: 'destinationId: channelDestinationId({ tenant, id: list }, id),',
    to: "destinationId: channelDestinationId({ tenant, id: 'list-0' }, id),",
  },
  {
    name: 'the channels that a rule notifies are ignored',
    file: 'shared/domain/channels/destination-id.ts',
    from: '(notify?.includes(id) ?? isOrdinary(list, id)) ? destinationId : [],',
    to: '(notify?.length !== 0 && isOrdinary(list, id)) ? destinationId : [],',
  },
  {
    name: 'an alert for a contact point goes nowhere',
    file: 'shared/domain/channels/destination-id.ts',
    from: '...contactPoints.map((id) => ({',
    to: '...contactPoints.slice(contactPoints.length).map((id) => ({',
  },
];
