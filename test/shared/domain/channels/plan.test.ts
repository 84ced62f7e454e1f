import { expect, it } from 'vitest';
import type { Acknowledgement, Silences } from '#shared/domain/alerting/acknowledgement.ts';
import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import {
  type HeldEntry,
  type Hold,
  type InboxEntry,
  mutedWith,
  unmuted,
} from '#shared/domain/channels/alert-record.ts';
import { type ChannelRecord, newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import {
  type Action,
  isPaused,
  type ListContext,
  plan,
  type Receiver,
} from '#shared/domain/channels/plan.ts';
import {
  DAY,
  formatInstant,
  HOUR,
  type Instant,
  MINUTE,
  SECOND,
} from '#shared/domain/market/instant.ts';
import type { Mute } from '#shared/domain/watchlists/mute.ts';
import { APES, anAlert, anInboxEntry, NOON, PUNKS } from '#test/support/builders.ts';

const DESK = 'acme#punks#desk';
const people: Receiver = { isForPeople: true, inRounds: false, most: 1000, quiet: [] };
const program: Receiver = { isForPeople: false, inRounds: true, most: 20, quiet: [] };
const batches: Receiver = { isForPeople: false, inRounds: false, most: 2, quiet: [] };

/** The first alert of a watch, by default posted at noon. */
function alertOf(watch: string, given: Partial<RuleAlert> = {}): RuleAlert {
  const id = `${watch}.1.1`;
  return anAlert({ id, at: formatInstant(NOON), episode: 1, open: true, ...given });
}

function entry(watch: string, given: Partial<RuleAlert> = {}): InboxEntry {
  return anInboxEntry(DESK, alertOf(watch, given), { postedAt: NOON });
}

function heldEntry(watch: string, hold: Hold, given: Partial<RuleAlert> = {}): HeldEntry {
  return { ...entry(watch, given), held: hold };
}

const quiet = (until: Instant): Hold => ({ for: 'quiet', until });
const group = (until: Instant): Hold => ({ for: 'group', until });
const critical = { severity: 'critical' } as const;
const ended = (watch: string): InboxEntry =>
  entry(watch, { id: `${watch}.1.2`, kind: 'recovered', open: false });
const acknowledged = (watch: string): InboxEntry =>
  entry(watch, { id: `${watch}.1.acknowledged-1`, kind: 'acknowledged' });

/** The summary of these alerts that a mute posts at its end. */
const summaryOf = (...entries: readonly InboxEntry[]): InboxEntry =>
  unmuted(mutedWith(undefined, entries, NOON).muted, NOON);

/** A channel with messages about the episodes of these watches, which later alerts edit. */
const showing = (...watches: readonly string[]): Partial<ChannelRecord> => ({
  shown: Object.fromEntries(
    watches.map((watch) => [episodeName(alertOf(watch)) ?? '', { message: 'm', news: 'n' }]),
  ),
});
/** A channel that got this number of messages half a minute ago. */
const sentLately = (messages: number): Partial<ChannelRecord> => ({
  recent: Array.from({ length: messages }, () => NOON - 30 * SECOND),
});
/** A channel that recently reported three watches of the list one by one. */
const busy: Partial<ChannelRecord> = {
  recentOfLists: { punks: { x: NOON - MINUTE, y: NOON - MINUTE, z: NOON - 5 * SECOND } },
};

type Given = {
  readonly record?: Partial<ChannelRecord>;
  readonly entries?: readonly InboxEntry[];
  readonly held?: readonly HeldEntry[];
  readonly receiver?: Receiver;
  readonly list?: ListContext;
  readonly acknowledged?: Silences;
  /** A watch whose alerts a mute holds. */
  readonly muted?: string;
  readonly now?: Instant;
};

function planned({
  record = {},
  entries = [],
  held = [],
  receiver = people,
  list = {},
  acknowledged: silences,
  muted: watch,
  now = NOON + SECOND,
}: Given): string {
  const known = { ...newChannelRecord(DESK, NOON - HOUR), ...record };
  const lists = new Map([['acme punks', list]]);
  const acknowledgement = silences && anAcknowledgement(silences);
  const acknowledged = new Map(
    acknowledgement === undefined ? [] : entries.map((one) => [one.episode ?? '', acknowledgement]),
  );
  const muted = new Map(
    watch === undefined ? [] : [[watch, mutedWith(undefined, [entry(watch)], NOON + HOUR).muted]],
  );
  const context = { receiver, lists, acknowledged, muted };
  return inWords(plan(known, { entries, held }, context, now));
}

function anAcknowledgement(silences: Silences): Acknowledgement {
  const episode = { rule: 'floor-60', contract: PUNKS, generation: 1, episode: 1 };
  return { tenant: 'acme', list: 'punks', ...episode, at: NOON, by: undefined, silences };
}

function inWords(action: Action): string {
  const clock = (instant: Instant) => formatInstant(instant).slice(11, 19);
  const names = (entries: readonly InboxEntry[]) =>
    entries.map(({ alert }) => alert.id.replace('.1.', '.')).join(' ');
  switch (action.kind) {
    case 'rest':
      return action.until === undefined ? 'rest' : `rest until ${clock(action.until)}`;
    case 'wait':
      return `wait until ${clock(action.until)} (${action.as})`;
    case 'giveUp':
      return `give up ${names(action.entries)}: ${action.reason}`;
    case 'review':
      return 'look through what mutes hold';
    case 'skip':
      return action.entries.map(([one, reason]) => `skip ${names([one])}: ${reason}`).join(', ');
    case 'unmute':
      return `let go of ${names(action.entries)}`;
    case 'hold':
      return action.entries
        .map(([one, { for: why, until }]) => `hold ${names([one])} ${why} ${clock(until)}`)
        .join(', ');
    case 'send':
      return `send ${names(action.entries)}${action.isAll ? '' : ', more to come'}`;
  }
}

type Example = readonly [promise: string, given: Given, action: string];

function stage(name: string, table: readonly Example[]): void {
  it.each(table)(`${name}%s`, (_promise, given, action) => {
    expect(planned(given)).toBe(action);
  });
}

const off = { reason: '410', since: NOON, announced: true };

stage('a closed channel', [
  [
    'gives up all alerts if it is off',
    { record: { off }, entries: [entry('a'), entry('b', critical)] },
    'give up a.1 b.1: 410',
  ],
  [
    'gets a test if it is off',
    { record: { off }, entries: [entry('t', { kind: 'test', contract: null })] },
    'send t.1',
  ],
  [
    'gives up a test if its subscription has ended',
    {
      record: { subscription: { state: 'gone', since: NOON } },
      entries: [entry('t', { kind: 'test', contract: null })],
    },
    'give up t.1: the subscription was cancelled or not confirmed in time',
  ],
]);

/** A mute of the list until one o'clock. */
const mute = (given: Partial<Mute> = {}): Mute => ({
  ...{ id: 'm', by: undefined, from: NOON - HOUR, until: NOON + HOUR, ...given },
});
const reminder = entry('a', { id: 'a.1.2', kind: 'reminder' });
const worsened = entry('a', { id: 'a.1.2', kind: 'worsened' });

/** A mute until the episode of watch `a` is over. */
const untilOver = (given: Partial<Mute> = {}): Mute =>
  mute({ until: NOON + DAY, episodes: [{ watch: 'floor-60', name: 'a.1.episode-1' }], ...given });

stage('a mute until the recovery', [
  [
    'holds alerts of the episode for minutes at a time, until it has ended',
    { entries: [entry('a', { kind: 'worsened' })], list: { mutes: [untilOver()] } },
    'hold a.1 mute 12:05:01',
  ],
  [
    'holds alerts of the episode at most until its latest end',
    {
      entries: [entry('a', { kind: 'worsened' })],
      list: { mutes: [untilOver({ until: NOON + MINUTE })] },
    },
    'hold a.1 mute 12:01:00',
  ],
  [
    'sends the alert that ends the episode',
    { entries: [ended('a')], list: { mutes: [untilOver()] } },
    'send a.2',
  ],
  [
    'releases the held alerts of an episode before its end is sent',
    {
      record: { mutedUntil: NOON + HOUR },
      entries: [ended('a')],
      list: { mutes: [untilOver()] },
      muted: 'a',
    },
    'let go of a.1',
  ],
  [
    'keeps its held alerts when an alert of an earlier episode is sent late',
    {
      record: { mutedUntil: NOON + HOUR },
      entries: [
        entry('a', { id: 'a.1.0', episode: 0, kind: 'fresh', at: formatInstant(NOON - MINUTE) }),
      ],
      list: { mutes: [untilOver()] },
      muted: 'a',
    },
    'send a.0',
  ],
  [
    'does not hold alerts of the next episode',
    { entries: [entry('a', { episode: 2 })], list: { mutes: [untilOver()] } },
    'send a.1',
  ],
  [
    'does not hold alerts of another watch',
    { entries: [entry('b')], list: { mutes: [untilOver()] } },
    'send b.1',
  ],
  [
    'skips reminders of the episode',
    { entries: [reminder], list: { mutes: [untilOver()] } },
    'skip a.2: the rule is muted',
  ],
  [
    'leaves the end of the episode to a mute with a fixed end',
    { entries: [ended('a')], list: { mutes: [untilOver(), mute()] } },
    'hold a.2 mute 13:00:00',
  ],
]);

stage('a mute', [
  [
    'holds an alert until its end',
    { entries: [entry('a')], list: { mutes: [mute()] } },
    'hold a.1 mute 13:00:00',
  ],
  [
    'holds critical alerts, too',
    { entries: [entry('a', critical)], list: { mutes: [mute()] } },
    'hold a.1 mute 13:00:00',
  ],
  [
    'holds alerts for programs',
    { entries: [entry('a')], receiver: program, list: { mutes: [mute()] } },
    'hold a.1 mute 13:00:00',
  ],
  [
    'holds the end of an episode that a message shows',
    { record: showing('a'), entries: [ended('a')], list: { mutes: [mute()] } },
    'hold a.2 mute 13:00:00',
  ],
  [
    'holds the summary of an earlier mute together with the alert before it',
    { entries: [entry('a'), summaryOf(ended('a'))], list: { mutes: [mute()] } },
    'hold a.1 mute 13:00:00',
  ],
  [
    'holds the summary of an earlier mute alone',
    { entries: [summaryOf(ended('a'))], list: { mutes: [mute()] } },
    'hold a.2 mute 13:00:00',
  ],
  [
    'releases a covered alert before a later alert of the watch that it does not cover',
    {
      entries: [summaryOf(entry('a', { severity: 'warning' })), ended('a')].map((one, index) => ({
        ...one,
        ...(index === 0 ? {} : critical),
      })),
      list: { mutes: [mute({ severity: 'warning' })] },
    },
    'send a.1',
  ],
  [
    'of another contract holds no alert',
    { entries: [entry('a')], list: { mutes: [mute({ contract: APES })] } },
    'send a.1',
  ],
  [
    'with a severity covers rules by their present severity',
    {
      entries: [entry('a', { severity: 'info' })],
      list: {
        mutes: [mute({ severity: 'warning' })],
        rules: [{ id: 'floor-60', severity: 'warning' }],
      },
    },
    'hold a.1 mute 13:00:00',
  ],
  [
    'with a severity does not cover a rule whose present severity differs',
    {
      entries: [entry('a', { severity: 'warning' })],
      list: {
        mutes: [mute({ severity: 'warning' })],
        rules: [{ id: 'floor-60', severity: 'info' }],
      },
    },
    'send a.1',
  ],
  [
    'lets a test pass',
    { entries: [entry('t', { kind: 'test', contract: null })], list: { mutes: [mute()] } },
    'send t.1',
  ],
  [
    'takes precedence over quiet hours',
    { entries: [entry('a')], list: { mutes: [mute()], quiet: [{ from: '11:00', to: '15:00' }] } },
    'hold a.1 mute 13:00:00',
  ],
  [
    'skips reminders',
    { entries: [reminder], list: { mutes: [mute()] } },
    'skip a.2: the rule is muted',
  ],
  [
    'that has ended releases its held alerts before new ones of the watch',
    { record: { mutedUntil: NOON + HOUR }, entries: [ended('a')], muted: 'a' },
    'let go of a.1',
  ],
  [
    'that still covers the watch does not release its held alerts',
    {
      record: { mutedUntil: NOON + HOUR },
      entries: [ended('a')],
      list: { mutes: [mute()] },
      muted: 'a',
    },
    'hold a.2 mute 13:00:00',
  ],
  [
    'does not release its held alerts before an acknowledgement, which no mute holds',
    {
      record: { mutedUntil: NOON + HOUR, ...showing('a') },
      entries: [acknowledged('a')],
      list: { mutes: [mute()] },
      muted: 'a',
    },
    'send a.acknowledged-1',
  ],
  [
    'is reviewed at its end',
    { record: { mutedUntil: NOON }, entries: [entry('a')] },
    'look through what mutes hold',
  ],
  ['wakes the channel at its end', { record: { mutedUntil: NOON + HOUR } }, 'rest until 13:00:00'],
]);

stage('an acknowledgement', [
  [
    'silences the reminders of its episode',
    { entries: [reminder], acknowledged: 'reminders' },
    'skip a.2: the episode is acknowledged',
  ],
  [
    'of reminders lets a worsening pass',
    { entries: [worsened], acknowledged: 'reminders' },
    'send a.2',
  ],
  [
    'of all alerts silences a worsening',
    { entries: [worsened], receiver: program, acknowledged: 'worsening' },
    'skip a.2: the episode is acknowledged',
  ],
  [
    'never silences the end of an episode',
    { entries: [ended('a')], acknowledged: 'worsening' },
    'send a.2',
  ],
  [
    'silences a summary of a mute that held worsenings only',
    { entries: [summaryOf(worsened)], receiver: program, acknowledged: 'worsening' },
    'skip a.2: the episode is acknowledged',
  ],
  [
    'never silences a summary that holds the start of an episode',
    { entries: [summaryOf(entry('a'), worsened)], receiver: program, acknowledged: 'worsening' },
    'send a.2',
  ],
]);

stage('an inbox without alerts to send', [
  ['rests', {}, 'rest'],
  [
    'rests until its first hold ends',
    { held: [heldEntry('a', quiet(NOON + HOUR)), heldEntry('b', quiet(NOON + 2 * HOUR))] },
    'rest until 13:00:00',
  ],
  [
    'waits for the end of a pause in which only critical alerts are sent',
    { record: { notBefore: NOON + MINUTE }, entries: [entry('a')] },
    'wait until 12:01:00 (timer)',
  ],
]);

const LUNCH: ListContext = { quiet: [{ from: '12:00', to: '13:00' }] };

stage('holds', [
  [
    'keep alerts until the quiet hours of their list end',
    { entries: [entry('a')], list: LUNCH },
    'hold a.1 quiet 13:00:00',
  ],
  [
    'keep alerts until the quiet hours of the channel end',
    { entries: [entry('a')], receiver: { ...people, quiet: LUNCH.quiet ?? [] } },
    'hold a.1 quiet 13:00:00',
  ],
  ['let critical alerts pass', { entries: [entry('a', critical)], list: LUNCH }, 'send a.1'],
  [
    'let tests pass',
    { entries: [entry('t', { kind: 'test', contract: null })], list: LUNCH },
    'send t.1',
  ],
  [
    'let edits of a message pass, which make no sound',
    { record: showing('a'), entries: [ended('a')], list: LUNCH },
    'send a.2',
  ],
  [
    'keep an edit behind a held alert of its watch that makes a sound',
    {
      record: showing('a'),
      entries: [ended('a')],
      held: [heldEntry('a', quiet(NOON + HOUR), { kind: 'reminder' })],
      list: LUNCH,
    },
    'hold a.2 quiet 13:00:00',
  ],
  [
    'group alerts of a list after three single messages about it',
    { record: busy, entries: [entry('a')] },
    'hold a.1 group 12:00:15',
  ],
  [
    'do not group an alert about a channel',
    { record: busy, entries: [entry('c', { kind: 'channel_off', contract: null })] },
    'send c.1',
  ],
  [
    'do not group an alert a second time',
    {
      record: busy,
      entries: [heldEntry('a', group(NOON + 20 * SECOND))],
      now: NOON + 20 * SECOND,
    },
    'send a.1',
  ],
  [
    'do not apply to programs',
    { record: busy, entries: [entry('a')], receiver: program, list: LUNCH },
    'send a.1',
  ],
]);

stage('the pace of messages to people', [
  [
    'lets five messages a minute pass',
    { record: sentLately(4), entries: [entry('a')] },
    'send a.1',
  ],
  [
    'delays the sixth message until the end of the minute',
    { record: sentLately(5), entries: [entry('a')] },
    'wait until 12:00:30 (pause)',
  ],
  [
    'lets critical alerts pass',
    { record: sentLately(5), entries: [entry('a', critical)] },
    'send a.1',
  ],
  [
    'lets five critical messages pass at once',
    { record: { recentUrgent: sentLately(4).recent }, entries: [entry('a', critical)] },
    'send a.1',
  ],
  [
    'keeps twenty seconds between further critical messages, so that the minute has messages left',
    {
      record: { recentUrgent: sentLately(5).recent },
      entries: [entry('a', critical)],
      now: NOON - 20 * SECOND,
    },
    'wait until 11:59:50 (pause)',
  ],
  [
    'allows ten messages a minute, critical ones included',
    {
      record: { ...sentLately(5), recentUrgent: sentLately(5).recent },
      entries: [entry('a', critical)],
    },
    'wait until 12:00:30 (pause)',
  ],
  [
    'does not apply to programs',
    { record: sentLately(5), entries: [entry('a')], receiver: program },
    'send a.1',
  ],
]);

stage('a message to people', [
  ['contains one alert', { entries: [entry('a'), entry('b')] }, 'send a.1'],
  [
    'contains all alerts of a list if more than three of its watches have pending alerts',
    { entries: ['a', 'b', 'c', 'd'].map((watch) => entry(watch)) },
    'send a.1 b.1 c.1 d.1',
  ],
  [
    'contains only alerts of one list',
    {
      entries: [
        ...['a', 'b', 'c', 'd'].map((watch) => entry(watch)),
        entry('o', { watchlist: 'other' }),
      ],
    },
    'send a.1 b.1 c.1 d.1',
  ],
  [
    'contains all alerts that waited for the end of a pause',
    { record: { notBefore: NOON }, entries: [entry('a'), entry('b')] },
    'send a.1 b.1',
  ],
  [
    'contains only critical alerts first after a pause',
    { record: { notBefore: NOON }, entries: [entry('a', critical), entry('b')] },
    'send a.1, more to come',
  ],
  [
    'contains all alerts whose hold has ended, and those still grouped for the same lists',
    {
      entries: [heldEntry('a', group(NOON))],
      held: [heldEntry('b', group(NOON + 20 * SECOND)), heldEntry('c', quiet(NOON + HOUR))],
    },
    'send a.1 b.1',
  ],
  [
    'contains the older alerts of a watch that were not held before one whose hold has ended',
    {
      entries: [
        heldEntry('a', group(NOON), {
          id: 'a.1.2',
          kind: 'recovered',
          at: formatInstant(NOON + 1),
        }),
        entry('a'),
        entry('b'),
      ],
    },
    'send a.1 a.2',
  ],
  [
    'contains the held alerts of its watches before their new ones',
    {
      entries: [entry('a', { id: 'a.1.2', kind: 'worsened', severity: 'info' })],
      held: [heldEntry('a', quiet(NOON + HOUR))],
    },
    'send a.1 a.2',
  ],
  [
    'contains held alerts once, even if their watch has several new ones',
    {
      record: { notBefore: NOON },
      entries: [
        entry('a', { id: 'a.1.2', kind: 'worsened', severity: 'info' }),
        entry('a', { id: 'a.1.3', kind: 'worsened', severity: 'info' }),
      ],
      held: [heldEntry('a', quiet(NOON + HOUR))],
    },
    'send a.1 a.2 a.3',
  ],
  [
    'contains no edits if it has new alerts',
    {
      record: { ...showing('a'), notBefore: undefined },
      entries: [ended('a'), ...['b', 'c', 'd', 'e'].map((watch) => entry(watch))],
    },
    'send b.1 c.1 d.1 e.1',
  ],
  [
    'contains an acknowledgement alone, after the other alerts of a pause',
    { record: { notBefore: NOON }, entries: [acknowledged('a'), entry('b')] },
    'send b.1, more to come',
  ],
]);

stage('a program', [
  [
    'gets a round with one alert of each watch',
    {
      receiver: program,
      entries: [entry('a'), entry('a', { id: 'a.1.2' }), entry('b')],
    },
    'send a.1 b.1',
  ],
  [
    'gets as many concurrent requests as it has answered quickly',
    {
      receiver: program,
      record: { requestsAtOnce: 2 },
      entries: ['a', 'b', 'c'].map((watch) => entry(watch)),
    },
    'send a.1 b.1',
  ],
  [
    'gets batches in order, several alerts of a watch included',
    {
      receiver: batches,
      entries: [entry('a'), entry('a', { id: 'a.1.2' }), entry('b')],
    },
    'send a.1 a.2',
  ],
]);

it.each<readonly [string, Partial<ChannelRecord>, Receiver, boolean]>([
  ['a failing channel for people', { failure: failureOf(1) }, people, true],
  ['a failing program', { failure: failureOf(1) }, program, true],
  ['a channel for people that may only get critical alerts', {}, people, false],
])('decides whether to skip reading the inbox of %s: %s', (_what, given, receiver, expected) => {
  const record = { ...newChannelRecord(DESK, NOON), notBefore: NOON + MINUTE, ...given };

  expect(isPaused(record, receiver, NOON)).toBe(expected);
  expect(isPaused(record, receiver, NOON + MINUTE)).toBe(false);
});

function failureOf(count: number): NonNullable<ChannelRecord['failure']> {
  return { count, reason: '500', since: NOON };
}
