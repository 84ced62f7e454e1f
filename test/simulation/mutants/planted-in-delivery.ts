import type { Mutant } from './planted-bugs.ts';

const DELIVER = 'functions/deliver-messages';
const PLAN = 'shared/domain/channels/plan.ts';
const MUTES = 'shared/use-cases/change-mutes.ts';
const RECORD = 'shared/domain/channels/channel-record.ts';

/** Bugs in the delivery of alerts from a watch to its receivers. */
export const PLANTED_IN_DELIVERY: readonly Mutant[] = [
  {
    name: 'later messages of an episode lose its acknowledgement',
    file: 'shared/domain/channels/shown-episodes.ts',
    from: 'acknowledged: isAcknowledgement ? place : before?.acknowledged,',
    to: 'acknowledged: isAcknowledgement ? place : undefined,',
  },
  {
    name: 'an acknowledgement replaces the newest text of a message',
    file: `${DELIVER}/shown-news.ts`,
    from: 'const newest = news === undefined ? alert : await asDelivered(ports, news, known?.heldBack);',
    to: 'const newest = news === undefined ? alert : alert;',
  },
  {
    name: 'an acknowledged episode is escalated',
    file: 'functions/run-jobs/escalate-episode.ts',
    from: "if (!isWanted || (await ports.getAcknowledgement(about)) !== undefined) return 'done';",
    to: "if (!isWanted) return 'done';",
  },
  {
    name: 'a topic made from an outdated list is not corrected',
    file: 'functions/run-jobs/keep-topic.ts',
    from: 'if (latest.list?.revision === read.list?.revision) break;',
    to: 'if (latest !== undefined) break;',
    survives: 'rare: one seed in five thousand; keep-topic.test.ts covers it',
  },
  {
    name: 'a missing topic is recreated only at the next regular check',
    file: `${DELIVER}/send-notification.ts`,
    from: "answer.kind === 'no_topic') && destination.kind === 'channel') {",
    to: "answer === null) && destination.kind === 'channel') {",
    survives: 'rare: one seed in five thousand; deliver-messages.test.ts covers it',
  },
  {
    name: 'each further alert of a mute replaces the held ones',
    file: `${DELIVER}/muted.ts`,
    from: 'return mutedWith(muted.get(watch), ofWatch, until);',
    to: 'return mutedWith(muted.size < 0 ? muted.get(watch) : undefined, ofWatch, until);',
  },
  {
    name: 'a summary contains only the last alert',
    file: `${DELIVER}/waiting-alerts.ts`,
    from: 'const others = (heldBack?.alerts ?? []).filter(({ id }) => id !== alert.id);',
    to: 'const others = (heldBack?.alerts ?? []).slice(0, 0);',
  },
  {
    name: 'held alerts have no timer for the end of the mute',
    file: RECORD,
    from: 'return { ...record, mutedUntil: Math.min(mutedUntil, until), dueAt: Math.min(dueAt, until) };',
    to: 'return { ...record, mutedUntil: undefined, dueAt };',
  },
  {
    name: 'new alerts of a watch are sent before its held alerts',
    file: PLAN,
    from: 'return isFree ? [before] : [];',
    to: 'return isFree ? [] : [];',
  },
  {
    name: 'alerts that a summary only counts get no outcome',
    file: `${DELIVER}/muted.ts`,
    from: 'answeredBy(counted, outcome),',
    to: 'answeredBy(counted.slice(0, 0), outcome),',
    survives: 'no seed makes twenty alerts of a watch within one mute; mutes.test.ts covers it',
  },
  {
    name: 'lifting a mute creates no job and sends none',
    file: MUTES,
    from: 'jobs: [made], mutes',
    to: 'jobs: [], mutes',
    also: [
      {
        file: MUTES,
        from: 'await sendJobs(ports, [job]);',
        to: 'void sendJobs;',
      },
    ],
  },
  {
    name: 'a mute continues after its end',
    file: 'shared/domain/watchlists/mute.ts',
    from: 'return mutes.filter(({ until }) => until > now);',
    to: 'return mutes.filter(({ until }) => until + 60_000 * 60 > now);',
  },
  {
    name: 'quiet hours hold nothing',
    file: 'shared/domain/watchlists/quiet-hours.ts',
    from: '  return until > now ? until : undefined;',
    to: '  return until > now && now < 0 ? until : undefined;',
  },
  {
    name: 'quiet hours use the wrong time zone',
    file: 'shared/domain/watchlists/quiet-hours.ts',
    from: '  const { from, to, days = WEEKDAYS, timeZone = otherwise } = hours;',
    to: '  const { from, to, days = WEEKDAYS } = hours;\n  const timeZone = otherwise;',
  },
  {
    name: 'held alerts have no timer',
    file: `${DELIVER}/begin-notification.ts`,
    from: 'return proven ?? (await rest(ports, record, action.until));',
    to: 'return proven ?? (await rest(ports, record, undefined));',
  },
  {
    name: 'a held alert also stays among the alerts that are ready to send',
    file: 'shared/stores/inbox-store.ts',
    from: '      if (inboxSortKey(held) !== inboxSortKey(entry)) await table.delete(keyOf(entry), VERSION);\n',
    to: '',
  },
  {
    name: 'a later alert overtakes a held alert of its watch',
    file: PLAN,
    from: 'return [...ofWatch, entry];',
    to: 'return ofWatch.length < 0 ? ofWatch : [entry];',
  },
  {
    name: 'a digest drops its first alert',
    file: `${DELIVER}/notification-of.ts`,
    from: 'const alerts = all.map(',
    to: 'const alerts = all.slice(1).map(',
  },
  {
    name: 'a notification is sent before it is recorded',
    file: `${DELIVER}/begin-notification.ts`,
    from: 'const put = await putUnlessChanged(ports, begun(record, notification, isAll, ports.now()));',
    to: 'const put = { written: begun(record, notification, isAll, ports.now()) };',
  },
  {
    name: 'a worker that finishes deletes the notification of another worker',
    file: `${DELIVER}/put-record.ts`,
    from: '    const { notification } = found;\n',
    to: '    const { notification } = found;\n    return { written: await ports.putChannel({ ...next, version: found.version }) };',
    survives: 'rare: less than one seed in a hundred; sequences.test.ts covers it',
  },
  {
    name: 'a worker with an outdated list deletes the current record of a channel',
    file: `${DELIVER}/close-inbox.ts`,
    from: '    await ports.removeChannel(record);',
    to: '    await ports.removeChannel((await ports.getChannel(record.destinationId)) ?? record);',
    survives: 'rare: one seed in a thousand; sequences.test.ts covers it',
  },
  {
    name: 'a retried digest includes newer alerts',
    file: `${DELIVER}/deliver-messages.ts`,
    from: '  if (notification === undefined)\n    return await beginNotification(',
    to: '  if (notification?.outcome === undefined)\n    return await beginNotification(',
  },
  {
    name: 'the newest alert goes first',
    file: 'shared/stores/inbox-store.ts',
    from: '{ range, limit: most - found.length, after };',
    to: '{ range, limit: most - found.length, after, descending: true };',
  },
  {
    name: 'alerts of the same moment are in any order',
    file: 'shared/domain/alerting/alert.ts',
    from: "number.padStart(6, '0')",
    to: 'number.slice(-1)',
  },
  {
    name: 'people get any number of messages in a minute',
    file: RECORD,
    from: '(recent.at(-PACE) ?? 0) + MINUTE',
    to: '0',
  },
  {
    name: 'people get messages without a pause',
    file: RECORD,
    from: '(all.at(-1) ?? 0) + PAUSE',
    to: '0',
  },
  {
    name: 'a channel is tried again at once',
    file: RECORD,
    from: 'return { ...heldUntil(record, again), failure };',
    to: 'return { ...heldUntil(record, now), failure };',
  },
  {
    name: 'Retry-After is ignored',
    file: `${DELIVER}/send-notification.ts`,
    from: 'if (seconds === undefined) return failed(record, reason, now);',
    to: 'if (seconds !== 0) return failed(record, reason, now);',
  },
  {
    name: 'Retry-After may last longer than the day after which alerts are given up',
    file: `${DELIVER}/send-notification.ts`,
    from: 'Math.min(now + seconds * SECOND, latest)',
    to: 'Math.max(now, now + seconds * SECOND + 0 * latest)',
  },
  {
    name: 'webhooks get more alerts in a batch than they accept',
    file: `${DELIVER}/receiver.ts`,
    from: 'const most = batchSizeOf(channel);',
    to: 'const most = 2 * batchSizeOf(channel);',
  },
  {
    name: 'a round has several alerts of one watch',
    file: PLAN,
    from: '.filter((entry) => first.get(watchOf(entry.alert)) === entry)',
    to: '.filter((entry) => first.size > 0 || entry.isUrgent)',
  },
  {
    name: 'a failed request of a round is not repeated',
    file: 'shared/domain/channels/channel-record.ts',
    from: '  return notification === undefined || left === undefined || left.length === 0\n',
    to: '  return notification === undefined || left === undefined || left.length >= 0\n',
    survives:
      'the alert stays in the inbox, and the next notification has it; rounds.test.ts covers it',
  },
  {
    name: 'the answers of a round are assigned to the wrong entries',
    file: `${DELIVER}/send-notification.ts`,
    from: ': pending.map(({ entry }) => [inboxSortKey(entry), outcome] as const);',
    to: ': requests.flatMap((one) => one.pending).map(({ entry }) => [inboxSortKey(entry), outcome] as const);',
  },
  {
    name: 'a receiver that answered 410 gets the next alert all the same',
    file: `${DELIVER}/send-notification.ts`,
    from: 'return turnedOff(record, answer.reason, now);',
    to: 'return refused(record, answer.reason, now);',
  },
  {
    name: 'a channel with a new address stays off',
    file: RECORD,
    from: '  return { ...kept, configuration, mutedUntil: record.mutedUntil };',
    to: '  return { ...record, configuration };',
    survives:
      'rare: a channel must answer 410, change its address and get an alert, all within a seed',
  },
  {
    name: 'a channel is turned off without a message',
    file: RECORD,
    from: '  return announcementOf(record)?.announced === false;',
    to: '  return record.off === null;',
  },
  {
    name: 'the alert that a channel is off is repeated',
    file: RECORD,
    from: 'if (off !== undefined) return { ...record, off: { ...off, announced: true } };',
    to: "if (off !== undefined) return { ...record, off: { ...off, since: off.since + 1, announced: off.reason === '' } };",
  },
  {
    name: 'the placeholder of a secret is stored instead of the secret',
    file: 'shared/channels/keep-channels.ts',
    from: 'if (named !== undefined) return named;',
    to: '',
  },
  {
    name: 'an unchanged secret is sealed again',
    file: 'shared/channels/keep-channels.ts',
    from: 'same?.sealed),',
    to: 'undefined),',
    survives: 'rare: none of 150 seeds meets it; channel-secrets.test.ts covers it',
  },
  {
    name: 'a secret is sealed for the wrong channel',
    file: 'functions/serve-api/watchlists/change-watchlist.ts',
    from: '{ tenant: id.tenant, list: id.id, channel }',
    to: "{ tenant: id.tenant, list: id.id, channel: channel && 'bot' }",
  },
  {
    name: 'a list shows the secrets of its channels',
    file: 'shared/domain/channels/channel-secret.ts',
    from: 'export function nameOfSecret(',
    to: 'export function nameOfSecret({ sealed }: SealedSecret): string {\n  return sealed;\n}\n\nexport function otherNameOfSecret(',
  },
  {
    name: 'receivers of the start of an episode do not get its end',
    file: 'functions/run-contracts/commit-watch.ts',
    from: '...(isEnd ? notified : [])',
    to: '...(isEnd ? notified.slice(0, 0) : [])',
  },
  {
    name: 'the escalation job remains after the end of its episode',
    file: 'functions/run-contracts/commit-watch.ts',
    from: 'settled.push(job);',
    to: 'void job;',
    survives: 'it costs time only: the job finds no episode and ends',
  },
  {
    name: 'an edit ends an episode without an alert',
    file: 'shared/domain/evaluation/law.ts',
    from: 'const reported = presentation.notifyRecovery\n',
    to: 'const reported = presentation.notifyRecovery && cause.closing === undefined\n',
  },
  {
    name: 'channels are not notified of alerts, and inboxes are not checked',
    file: 'shared/use-cases/wake-channels.ts',
    from: 'if (noted.size === 0) return;',
    to: 'if (noted.size >= 0) return;',
    also: [
      {
        file: 'functions/wake-work/wake-work.ts',
        from: `  await lookIntoInboxes(ports, due, minute);
`,
        to: `  void lookIntoInboxes;
`,
      },
    ],
  },
  {
    name: 'a lost notification of a channel is repeated only after half an hour',
    file: RECORD,
    from: 'const RETRY_DELAY = 2 * MINUTE;',
    to: 'const RETRY_DELAY = 30 * MINUTE;',
  },
  {
    name: 'a mute is removed from the record while it still holds alerts',
    file: `${DELIVER}/muted.ts`,
    from: 'lookedThrough(record, first)',
    to: 'lookedThrough(record, undefined)',
  },
  {
    name: 'a mute until the recovery continues after its episode',
    file: PLAN,
    from: 'const episode = ENDINGS.includes(kind) ? undefined : entry.episode;',
    to: `void ENDINGS;
  void kind;
  const { episode } = entry;`,
    also: [
      {
        file: 'shared/use-cases/running-mutes.ts',
        from: 'return found !== undefined && openEpisodeOf(found)?.name === name;',
        to: 'return found !== undefined || openEpisodeOf === undefined || name === "";',
      },
    ],
  },
  {
    name: 'a mute until the recovery holds nothing back',
    file: 'shared/domain/watchlists/mute.ts',
    from: 'episodes?.some(({ name }) => name === episode) ?? true',
    to: 'episodes === undefined || episode === ""',
  },
  {
    name: 'a mute until the recovery continues if its episode ends without an alert',
    file: PLAN,
    from: 'mute?.episodes === undefined ? mute?.until : Math.min(mute.until, now + LOOKS_AGAIN_AFTER)',
    to: 'now + LOOKS_AGAIN_AFTER > now ? mute?.until : undefined',
  },
  {
    name: 'a lifted mute keeps its alerts until its former end',
    file: 'functions/run-jobs/lift-mute.ts',
    from: `  await changeChannel(ports, known, (record) => withMuteLifted(record, now));
`,
    to: `  void changeChannel;
  void withMuteLifted;
`,
  },
  {
    name: 'the closing alert of an edit has no receivers',
    file: 'functions/run-contracts/commit-watch.ts',
    from: 'const byRule = isEdit ? []',
    to: `notified = isEdit ? [] : notified;
  const byRule = isEdit ? []`,
  },
  {
    name: 'a muted reminder is sent with the other held alerts',
    file: PLAN,
    from: "const isReminder = entry.kind === 'reminder'",
    to: "const isReminder = entry.kind === 'test'",
    survives: 'a summary may count it; mutes.test.ts checks that nobody is reminded',
  },
];
