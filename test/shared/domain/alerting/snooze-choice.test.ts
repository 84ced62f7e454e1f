import { expect, it } from 'vitest';
import { endOfSnooze, SNOOZE_CHOICES } from '#shared/domain/alerting/snooze-choice.ts';
import { MuteBody } from '#shared/domain/watchlists/mute.ts';
import { NOON } from '#test/support/builders.ts';

it.each(SNOOZE_CHOICES)(
  'turns the choice %s into an end that the schema of mutes accepts',
  (choice) => {
    const about = { rule: 'low', contract: 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb' };

    const read = MuteBody.safeParse({ ...about, ...endOfSnooze(choice, NOON, 'UTC') });

    expect(read.error?.issues).toBeUndefined();
  },
);

it.each([
  ['in the afternoon', 'Europe/Berlin', '2026-11-30T15:00Z', '2026-12-01T08:00Z'],
  ['before 9:00', 'Europe/Berlin', '2026-11-30T07:00Z', '2026-12-01T08:00Z'],
  [
    'at 1:00 at night, so it ends on the next day',
    'Europe/Berlin',
    '2026-12-01T00:00Z',
    '2026-12-02T08:00Z',
  ],
  ['a minute before midnight', 'Europe/Berlin', '2026-11-30T22:59Z', '2026-12-01T08:00Z'],
  ['where it is tomorrow already', 'Pacific/Auckland', '2026-11-30T12:00Z', '2026-12-01T20:00Z'],
  ['where it is still yesterday', 'America/New_York', '2026-12-01T03:00Z', '2026-12-01T14:00Z'],
  ['in UTC', 'UTC', '2026-12-31T23:59Z', '2027-01-01T09:00Z'],
  // Clocks are put forward at 2:00 on 28 March 2027, and back at 3:00 on 31 October 2027.
  ['before a night of 23 hours', 'Europe/Berlin', '2027-03-27T12:00Z', '2027-03-28T07:00Z'],
  ['in the night of 23 hours', 'Europe/Berlin', '2027-03-28T00:30Z', '2027-03-29T07:00Z'],
  ['before a night of 25 hours', 'Europe/Berlin', '2027-10-30T12:00Z', '2027-10-31T08:00Z'],
  [
    'in the first of the two repeated hours',
    'Europe/Berlin',
    '2027-10-31T00:30Z',
    '2027-11-01T08:00Z',
  ],
  [
    'in the second of the two repeated hours',
    'Europe/Berlin',
    '2027-10-31T01:30Z',
    '2027-11-01T08:00Z',
  ],
  [
    'in a zone with an offset of half an hour',
    'Asia/Kolkata',
    '2026-11-30T20:00Z',
    '2026-12-02T03:30Z',
  ],
])(
  'ends a snooze until tomorrow 9:00 correctly if it is chosen %s',
  (_when, timeZone, now, until) => {
    expect(endOfSnooze('tomorrow', Date.parse(now), timeZone)).toEqual({
      until: new Date(until).toISOString(),
    });
  },
);
