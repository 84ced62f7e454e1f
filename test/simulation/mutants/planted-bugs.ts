import { PLANTED_IN_DELIVERY } from './planted-in-delivery.ts';
import { PLANTED_IN_LISTS } from './planted-in-lists.ts';
import { PLANTED_IN_NUMBERS } from './planted-in-numbers.ts';
import { PLANTED_IN_OPINIONS } from './planted-in-opinions.ts';
import { PLANTED_IN_STORES } from './planted-in-stores.ts';

/** A place in the code, and what stands there instead. */
type Change = { readonly file: string; readonly from: string; readonly to: string };

/** A bug of the kind that people really write. */
export type Mutant = Change & {
  readonly name: string;
  /** Where two belts hold the same thing, the loss of the other one. */
  readonly also?: readonly Change[];
  /** Why it is not found. To find it all the same is a reason to mend this list. */
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
const PAST = 'shared/domain/polling/past.ts';
const ABSORB = 'shared/domain/polling/absorb-answers.ts';
const CONTRACT_RECORD = 'shared/domain/polling/contract-record.ts';

export const MUTANTS: readonly Mutant[] = [
  ...PLANTED_IN_DELIVERY,
  ...PLANTED_IN_STORES,
  ...PLANTED_IN_NUMBERS,
  ...PLANTED_IN_LISTS,
  ...PLANTED_IN_OPINIONS,
  {
    name: 'checkpoint before its effects',
    file: EVALUATE_WATCHES,
    from: '  let [begun, isMoved] =',
    to: '  await checkpoint(ports, evaluation, undefined);\n  let [begun, isMoved] =',
  },
  {
    name: 'a wait goes on while the value is unknown',
    file: LAW,
    from: "return watch.ring === undefined ? inState(known, 'ok', since) : known;",
    to: 'return known;',
  },
  {
    name: 'that nothing was sold fires',
    file: LAW,
    from: "watch.ring === undefined\n    ? known\n    : entering(known, 'ok', moment.since);",
    to: "watch.ring === undefined\n    ? known\n    : fire(known, moment, 'point');",
  },
  {
    name: 'a revision counts beside the price that it revises',
    file: LAW,
    from: '(watch.ring ?? []).filter(({ time }) => time !== moment.time);',
    to: 'watch.ring ?? [];',
  },
  {
    name: 'a checkpoint takes off what came meanwhile',
    file: EVALUATE_WATCHES,
    from: 'evaluatedTo(known.timeline, evaluation.upTo)',
    to: 'evaluatedTo(known.timeline, known.timeline.seq)',
    survives:
      'rare: another has to commit and die while one stands still at its checkpoint; sequences.test.ts holds it',
  },
  {
    name: 'an answer from before a new watch is enough for it',
    file: EVALUATE_WATCHES,
    from: '(answeredAt[part] ?? 0) > awaited',
    to: '(answeredAt[part] ?? 0) > 0',
    survives: 'rare: none of 150 seeds meets it; other-versions.test.ts holds it',
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
    name: 'an alert that is posted already is posted again',
    file: 'shared/stores/alert-store.ts',
    from: '[{ put: toItem(posted), version: 0 }, ...entries]',
    to: '[{ put: toItem(posted) }, ...entries]',
  },
  {
    name: 'a watch is written without its alerts',
    file: 'shared/stores/watch-store.ts',
    from: `        ...posted.flatMap(postingOf),
`,
    to: '',
  },
  {
    name: 'mutes are not looked at',
    file: 'shared/domain/channels/plan.ts',
    from: 'longestMute(mutes, { id: rule, severity, contract, episode }, now);',
    to: 'longestMute([], { id: rule, severity, contract, episode }, now);',
  },
  {
    name: 'the mute of one rule is for all',
    file: 'shared/domain/watchlists/mute.ts',
    from: '.filter((mute) => mute.rule === undefined || mute.rule === id)',
    to: '.filter((mute) => mute.rule === undefined || id !== "")',
  },
  {
    name: 'an alert of a rule that its list no longer has is posted',
    file: 'functions/run-contracts/evaluation.ts',
    from: 'if (list !== undefined && isWanted(list, watch)) return list;',
    to: 'if (list !== undefined) return list;',
  },
  {
    name: 'what a mute holds is dropped at its end',
    file: `${DELIVER}/muted.ts`,
    from: 'await waitForAll(free.map((entry) => ports.unmuteInInbox(entry, now)));',
    to: 'await waitForAll(free.map((entry) => ports.removeFromInbox(entry)));',
  },
  {
    name: 'a notification is taken off before it is settled',
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
    name: 'an answer is noted on whatever notification is under way',
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
    name: 'nobody looks into inboxes for lost messages',
    file: WAKE,
    from: `  await lookIntoInboxes(ports, due, minute);
`,
    to: `  void lookIntoInboxes;
`,
  },
  {
    name: 'a pass makes no polls that an earlier one has missed',
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
    survives: 'it costs calls, and no alert is wrong: test/functions/one-poll.test.ts holds it',
  },
  {
    name: 'a poll that failed is not repeated by the next pass',
    file: PASS,
    from: 'return [contract];',
    to: 'return [];',
    survives: 'it costs time only: test/functions/passes.test.ts holds it',
  },
  {
    name: 'what is due is never sent',
    file: WAKE,
    from: 'sendTimers(ports, due.timers,',
    to: 'sendTimers(ports, [],',
  },
  {
    name: 'a poll that fails leaves what it has asked to the next poll',
    file: POLL,
    from: 'await waitForAll(askAll(',
    to: 'await Promise.all(askAll(',
  },
  {
    name: 'a stale worker revises what others were given since',
    file: ABSORB,
    from: 'given.askedAt < known.answeredAt',
    to: 'answer.askedAt < 0',
  },
  {
    name: 'what the clock has reached stays reached, though its line is moved',
    file: ADOPT,
    from: 'return isClock(ruleCondition.metric) ? { editedAt: now } : {};',
    to: 'return {};',
    survives: 'rare: one seed in a thousand; missing-data.test.ts holds it',
  },
  {
    name: 'the clock is held against what was read before somebody stood still',
    file: EVALUATE_WATCHES,
    from: '(await ports.getContract(record.contract)) ?? record;',
    to: 'record;',
    survives: 'rare: none of 150 seeds meets it; sequences.test.ts holds it',
  },
  {
    name: 'steps that wait for their evaluation are left to the next poll',
    file: CONTRACT_RECORD,
    from: 'record.timeline.steps.length > 0 || isClockDue(record, now)',
    to: 'isClockDue(record, now)',
  },
  {
    name: 'no silence is noted while polls are stopped',
    file: CLAIM,
    from: '(part) => mayAsk(record, part) || hasUnnotedSilence(record, part),',
    to: '(part) => mayAsk(record, part),',
  },
  {
    name: 'the newest wanted poll goes first',
    file: 'shared/domain/polling/minute-plan.ts',
    from: 'since(one) - since(other)',
    to: 'since(other) - since(one)',
    survives:
      'it costs time only, and a minute has slots for all contracts; turns.test.ts holds it',
  },
  {
    name: 'a paused rule is still polled',
    file: APPLY,
    from: "const enabled = applied.filter(({ admin }) => admin === 'enabled');",
    to: 'const enabled = applied;',
  },
  {
    name: 'nothing is noted of a change',
    file: CHANGE,
    from: 'const contracts = affectedContracts(before, after);',
    to: 'const contracts = affectedContracts(before, after).slice(0, 0);',
  },
  {
    name: 'a change forgets the contracts that the job before it has left',
    file: CHANGE,
    from: '[...new Set([...contracts, ...left])]',
    to: '[...new Set([...contracts, ...left.slice(0, 0)])]',
  },
  {
    name: 'a contract counts as one that follows its list, whatever its revision',
    file: 'shared/domain/watchlists/job.ts',
    from: 'one.revision >= revision && one.at >= createdAt',
    to: 'one.revision > 0 && revision + createdAt > 0',
  },
  {
    name: 'a list that changed meanwhile is not applied again',
    file: APPLY,
    from: '    await expectRevision(ports, list);\n',
    to: '',
    survives: 'rare: a worker must stand still until another has applied the change after it',
  },
  {
    name: 'a new watch wants no answer',
    file: APPLY,
    from: 'next = { ...next, timers: { ...next.timers, awaited: now } };',
    to: '',
    survives: 'it costs time only: the next poll comes within minutes',
  },
  {
    name: 'a new watch starts with what was known before it',
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
    name: 'the answer is of the moment of its arrival',
    file: ABSORB,
    from: 'answeredAt: later(known.answeredAt, askedAt)',
    to: 'answeredAt: Date.now()',
  },
  {
    name: 'an older point is news',
    file: PAST,
    from: 'point.time > last.time || (',
    to: 'point.time !== last.time || (',
  },
  {
    name: 'a timer passes before each part is answered',
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
    name: 'a repeated evaluation takes each step once more',
    file: EVALUATE,
    from: 'steps.filter(({ seq }) => seq > watch.evaluatedSeq)',
    to: 'steps.filter(({ seq }) => seq > 0)',
  },
  {
    name: 'strictly below',
    file: 'shared/domain/rules/condition.ts',
    from: 'return value <= condition.threshold;',
    to: 'return value < condition.threshold;',
  },
  {
    name: 'prices are compared as floats',
    file: 'shared/domain/rules/condition.ts',
    from: 'return value >= condition.recover;',
    to: 'return Number(value) > Number(condition.recover);',
    survives: 'hardly any price is within a wei of the recovery; thresholdIndex.test.ts holds it',
  },
  {
    name: 'off by one in the threshold index',
    file: WATCH,
    from: '  const end = recover ?? threshold + away;',
    to: '  const end = (recover ?? threshold + away) + away;',
    survives: 'rare: none of 150 seeds meets it; thresholdIndex.test.ts holds it',
  },
  {
    name: 'a pending watch waits for nothing',
    file: WATCH,
    from: '        [back]: threshold + away,\n        ...(watch.repeatPolicy.steps === undefined ? {} : { [toward]: threshold }),',
    to: '',
  },
  {
    name: 'reminders slide',
    file: WATCH,
    from: 'return firedAt + (passed + 1) * repeatPolicy.reminder;',
    to: 'return after + repeatPolicy.reminder + 0 * passed;',
  },
  {
    name: 'an episode is counted when it ends',
    file: LAW,
    from: 'const episode = { episode: fired.watch.episode + 1, firedAt };',
    to: 'const episode = { episode: fired.watch.episode, firedAt };',
  },
  {
    name: 'the ring of confirm is longer by one',
    file: LAW,
    from: '.slice(-of)',
    to: '.slice(-of - 1)',
  },
  {
    name: 'each message of a contract is a group of its own',
    file: 'shared/domain/messages/groups.ts',
    from: 'return contract;',
    to: 'return contract + Math.random();',
    survives: 'every write holds to the version that was read; see the two together',
  },
  {
    name: 'a limiter in memory',
    file: 'shared/clients/upstream-governor.ts',
    from: 'const written = await records.put(paid);',
    to: 'const written = paid;',
  },
  {
    name: 'a 429 is forgotten',
    file: 'shared/domain/polling/governor.ts',
    from: 'const blockedUntil = Math.max(record.blockedUntil ?? 0, now + pause);',
    to: 'const blockedUntil = now;',
  },
  {
    name: 'a plan goes on though the provider has said stop',
    file: PASS,
    from: 'isRefused ? { ...poll, calls: {} } : poll',
    to: 'poll',
  },
  {
    name: 'a message is handled in whatever lane it is',
    file: `${DELIVER}/deliver-messages.ts`,
    from: 'while (laneOf(destination, known) === message.lane) {',
    to: "while (laneOf(destination, known) !== '') {",
    survives: 'queues of the simulation have slots without end: lanes.test.ts holds it',
  },
  {
    name: 'a tenant that needs more has a larger share',
    file: 'shared/domain/polling/tenant-shares.ts',
    from: 'Math.min(need, left / (needed.size - shares.size))',
    to: 'Math.min(need, (need * capacity) / sum([...needed.values()]))',
  },
  {
    name: 'polls out of turn are charged to no tenant',
    file: 'shared/domain/polling/minute-plan.ts',
    from: '<= shares.outOfTurn(payer)',
    to: '< Number.POSITIVE_INFINITY',
    survives: 'no other tenant is polled less often by it: test/contract/fairness.test.ts holds it',
  },
  {
    name: 'a slot that was missed is used later',
    file: 'shared/domain/polling/leased-call.ts',
    from: 'return now > slot + SLOT_TOLERANCE;',
    to: 'return now > slot + 1000 * SLOT_TOLERANCE;',
  },
  {
    name: 'an alert goes to the channels of its first list',
    file: 'shared/domain/channels/destination-id.ts',
    from: 'destinationId: channelDestinationId({ tenant, id: list }, id),',
    to: "destinationId: channelDestinationId({ tenant, id: 'list-0' }, id),",
  },
  {
    name: 'which channels a rule notifies is not looked at',
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
