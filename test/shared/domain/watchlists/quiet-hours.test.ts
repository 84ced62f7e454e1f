import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { Quiet, quietUntil } from '#shared/domain/watchlists/quiet-hours.ts';

const NIGHT = { from: '22:00', to: '07:00' };
const BERLIN = 'Europe/Berlin';

/**
 * Until when quiet hours hold an alert that was posted at this time; undefined if they do not hold
 * it.
 */
function freeAt(
  quiet: Quiet,
  at: string,
  {
    severity = 'warning',
    timeZone,
  }: { severity?: 'info' | 'warning' | 'critical'; timeZone?: string } = {},
): string | undefined {
  const now = Date.parse(at);
  const until = quietUntil(quiet, { severity, timeZone }, now, now);
  return until === undefined ? undefined : new Date(until).toISOString().slice(0, 16);
}

describe('quiet hours', () => {
  it.each([
    // A list without a time zone has quiet hours in UTC.
    { at: '2026-11-25T22:00:00Z', until: '2026-11-26T07:00' },
    { at: '2026-11-26T06:59:59.999Z', until: '2026-11-26T07:00' },
    { at: '2026-11-26T07:00:00Z', until: undefined },
    { at: '2026-11-25T21:59:59Z', until: undefined },
  ])('quiet hours hold an alert from their start until their end: $at', ({ at, until }) => {
    expect(freeAt([NIGHT], at)).toBe(until);
  });

  it.each([
    // 07:00 in Berlin is 06:00 UTC in winter, 05:00 in summer.
    { at: '2026-11-25T23:30:00Z', until: '2026-11-26T06:00' },
    { at: '2026-07-01T23:30:00Z', until: '2026-07-02T05:00' },
    // The night before Sunday 29 March 2026 is an hour shorter, the night before 25 October an hour
    // longer.
    { at: '2026-03-28T22:30:00Z', until: '2026-03-29T05:00' },
    { at: '2026-10-24T22:30:00Z', until: '2026-10-25T06:00' },
  ])(
    'quiet hours follow the clocks of their time zone in summer and winter: $at',
    ({ at, until }) => {
      expect(freeAt([{ ...NIGHT, timeZone: BERLIN }], at)).toBe(until);
      expect(freeAt([NIGHT], at, { timeZone: BERLIN })).toBe(until);
    },
  );

  it('quiet hours with days start on these days, and continue past midnight', () => {
    const fridays: Quiet = [{ ...NIGHT, days: ['fri'] }];
    expect(freeAt(fridays, '2026-11-28T03:00:00Z')).toBe('2026-11-28T07:00');
    expect(freeAt(fridays, '2026-11-29T03:00:00Z')).toBeUndefined();
    expect(freeAt([{ ...NIGHT, days: ['sat'] }], '2026-11-29T03:00:00Z')).toBe('2026-11-29T07:00');
  });

  it('quiet hours never hold critical alerts, and those with a severity hold only alerts of that severity', () => {
    const at = '2026-11-26T03:00:00Z';
    expect(freeAt([NIGHT], at, { severity: 'critical' })).toBeUndefined();
    expect(freeAt([{ ...NIGHT, severity: 'info' }], at)).toBeUndefined();
    expect(freeAt([{ ...NIGHT, severity: 'info' }], at, { severity: 'info' })).toBeDefined();
  });

  it('overlapping quiet hours hold an alert until the last of them ends', () => {
    const long: Quiet = [NIGHT, { from: '02:00', to: '09:30' }];
    expect(freeAt(long, '2026-11-26T03:00:00Z')).toBe('2026-11-26T09:30');
  });

  it('quiet hours hold an alert for a week at most, even if those of the list and of the channel together cover every hour', () => {
    const always: Quiet = [
      { from: '00:00', to: '12:00' },
      { from: '12:00', to: '00:00' },
    ];
    const posted = Date.parse('2026-11-26T03:00:00Z');
    const about = { severity: 'warning' } as const;
    expect(quietUntil(always, about, posted, posted + 7 * DAY - MINUTE)).toBe(posted + 7 * DAY);
    expect(quietUntil(always, about, posted, posted + 7 * DAY)).toBeUndefined();
  });

  it.each([
    // Clocks skip 02:30: they jump from 02:00 to 03:00, which is 01:00 UTC.
    { at: '2026-03-29T00:45:00Z', until: '2026-03-29T01:00' },
    { at: '2026-03-29T01:00:00Z', until: undefined },
    // Clocks show 02:30 twice: at 00:30 and at 01:30 UTC.
    { at: '2026-10-25T00:15:00Z', until: '2026-10-25T01:30' },
    { at: '2026-10-25T01:15:00Z', until: '2026-10-25T01:30' },
    { at: '2026-10-25T01:30:00Z', until: undefined },
  ])(
    'quiet hours end once the clocks have passed their end on the night of a clock change: $at',
    ({ at, until }) => {
      expect(freeAt([{ from: '22:00', to: '02:30', timeZone: BERLIN }], at)).toBe(until);
    },
  );
});

describe('invalid quiet hours', () => {
  it.each([
    [[], 'expected at least one entry'],
    [[{ from: '22:00', to: '22:00' }], 'a time other than "from"'],
    [[{ from: '24:00', to: '07:00' }], 'from "00:00" to "23:59"'],
    [[{ ...NIGHT, timeZone: 'Europe/Berlni' }], 'did you mean "Europe/Berlin"?'],
    [[{ ...NIGHT, timeZone: '+02:00' }], 'expected a time zone such as "Europe/Berlin"'],
    [[{ ...NIGHT, severity: 'critical' }], 'Invalid option'],
    [
      [
        { from: '00:00', to: '12:00' },
        { from: '12:00', to: '00:00' },
      ],
      'do not cover the whole week',
    ],
  ])('rejects invalid quiet hours with a reason: %j', (quiet, words) => {
    expect(JSON.stringify(Quiet.safeParse(quiet).error?.issues)).toContain(
      words.replaceAll('"', '\\"'),
    );
  });
});
