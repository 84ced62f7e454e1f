import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { Quiet, quietUntil } from '#shared/domain/watchlists/quiet-hours.ts';

const NIGHT = { from: '22:00', to: '07:00' };
const BERLIN = 'Europe/Berlin';

/** When an alert posted at a moment is free, as a moment. */
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

describe('quiet hours hold an alert', () => {
  it.each([
    // UTC where no time zone is named.
    { at: '2026-11-25T22:00:00Z', until: '2026-11-26T07:00' },
    { at: '2026-11-26T06:59:59.999Z', until: '2026-11-26T07:00' },
    { at: '2026-11-26T07:00:00Z', until: undefined },
    { at: '2026-11-25T21:59:59Z', until: undefined },
  ])('from their beginning until their end: $at', ({ at, until }) => {
    expect(freeAt([NIGHT], at)).toBe(until);
  });

  it.each([
    // 07:00 in Berlin is 06:00 UTC in winter, 05:00 in summer.
    { at: '2026-11-25T23:30:00Z', until: '2026-11-26T06:00' },
    { at: '2026-07-01T23:30:00Z', until: '2026-07-02T05:00' },
    // The night before Sunday 29 March 2026 is an hour short, that before 25 October an hour long.
    { at: '2026-03-28T22:30:00Z', until: '2026-03-29T05:00' },
    { at: '2026-10-24T22:30:00Z', until: '2026-10-25T06:00' },
  ])('by the clocks of their time zone, in summer and winter: $at', ({ at, until }) => {
    expect(freeAt([{ ...NIGHT, timeZone: BERLIN }], at)).toBe(until);
    expect(freeAt([NIGHT], at, { timeZone: BERLIN })).toBe(until);
  });

  it('on their days alone, which are those of their beginning', () => {
    const fridays: Quiet = [{ ...NIGHT, days: ['fri'] }];
    expect(freeAt(fridays, '2026-11-28T03:00:00Z')).toBe('2026-11-28T07:00');
    expect(freeAt(fridays, '2026-11-29T03:00:00Z')).toBeUndefined();
    expect(freeAt([{ ...NIGHT, days: ['sat'] }], '2026-11-29T03:00:00Z')).toBe('2026-11-29T07:00');
  });

  it('never where it is critical, and of other severities only their own', () => {
    const at = '2026-11-26T03:00:00Z';
    expect(freeAt([NIGHT], at, { severity: 'critical' })).toBeUndefined();
    expect(freeAt([{ ...NIGHT, severity: 'info' }], at)).toBeUndefined();
    expect(freeAt([{ ...NIGHT, severity: 'info' }], at, { severity: 'info' })).toBeDefined();
  });

  it('until the last of them ends', () => {
    const long: Quiet = [NIGHT, { from: '02:00', to: '09:30' }];
    expect(freeAt(long, '2026-11-26T03:00:00Z')).toBe('2026-11-26T09:30');
  });

  it('for a week at most, whatever list and channel add up to', () => {
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
    // Clocks skip 02:30: they go from 02:00 to 03:00, which is 01:00 UTC.
    { at: '2026-03-29T00:45:00Z', until: '2026-03-29T01:00' },
    { at: '2026-03-29T01:00:00Z', until: undefined },
    // Clocks show 02:30 twice: at 00:30 and at 01:30 UTC.
    { at: '2026-10-25T00:15:00Z', until: '2026-10-25T01:30' },
    { at: '2026-10-25T01:15:00Z', until: '2026-10-25T01:30' },
    { at: '2026-10-25T01:30:00Z', until: undefined },
  ])('until clocks have passed their end in the night of a change: $at', ({ at, until }) => {
    expect(freeAt([{ from: '22:00', to: '02:30', timeZone: BERLIN }], at)).toBe(until);
  });
});

describe('quiet hours are refused', () => {
  it.each([
    [[], 'expected some hours'],
    [[{ from: '22:00', to: '22:00' }], 'another time than "from"'],
    [[{ from: '24:00', to: '07:00' }], 'from "00:00" to "23:59"'],
    [[{ ...NIGHT, timeZone: 'Europe/Berlni' }], 'did you mean "Europe/Berlin"?'],
    [[{ ...NIGHT, timeZone: '+02:00' }], 'expected a time zone such as "Europe/Berlin"'],
    [[{ ...NIGHT, severity: 'critical' }], 'Invalid option'],
    [
      [
        { from: '00:00', to: '12:00' },
        { from: '12:00', to: '00:00' },
      ],
      'leave some time of the week',
    ],
  ])('in words: %j', (quiet, words) => {
    expect(JSON.stringify(Quiet.safeParse(quiet).error?.issues)).toContain(
      words.replaceAll('"', '\\"'),
    );
  });
});
