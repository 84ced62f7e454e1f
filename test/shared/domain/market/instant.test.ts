import { afterEach, expect, it, vi } from 'vitest';
import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import {
  DAY,
  formatInstant,
  HOUR,
  MINUTE,
  nextMinute,
  readInstant,
  SECOND,
} from '#shared/domain/market/instant.ts';

afterEach(() => vi.unstubAllEnvs());

it.each([
  '2022-01-10T00:00:00.000Z',
  '2022-01-10T00:00:00',
  '2022-01-10 00:00:00',
  '2022-01-10T00:00',
  '2022-01-10T00:00:00.000000000',
  '2022-01-10T02:00:00+02:00',
  '2022-01-10T02:00:00+0200',
  '2022-01-09T18:30:00-05:30',
  ' 2022-01-10T00:00:00Z ',
])('reads %s as midnight UTC in any time zone of the machine', (text) => {
  vi.stubEnv('TZ', 'America/New_York');

  const instant = readInstant(text);

  expect(instant).toBe(Date.UTC(2022, 0, 10));
});

it.each([
  '',
  '2022-01-10',
  '2022-13-10T00:00:00Z',
  '2022-02-30T25:00:00Z',
  '2022-02-30T00:00:00Z',
  '2022-02-29 11:00',
  '2022-04-31T00:00:00+02:00',
  '10 Jan 2022 00:00:00',
  '1641772800',
  '2022-01-10T00:00:00 PST',
  'now',
])('rejects "%s" as an instant', (text) => {
  expect(readInstant(text)).toBeUndefined();
});

it('formats an instant in UTC with milliseconds', () => {
  expect(formatInstant(Date.UTC(2022, 0, 10, 1, 2, 3, 4))).toBe('2022-01-10T01:02:03.004Z');
});

it.each([
  [0, '0s'],
  [45 * SECOND, '45s'],
  [90 * SECOND, '90s'],
  [30 * MINUTE, '30m'],
  [90 * MINUTE, '90m'],
  [6 * HOUR, '6h'],
  [36 * HOUR, '36h'],
  [7 * DAY, '7d'],
  [DAY + SECOND, '86401s'],
  [1999, '1s'],
])('formats a duration of %d ms as %s', (milliseconds, formatted) => {
  expect(formatDuration(milliseconds)).toBe(formatted);
});

it.each([
  ['0s', '0 s'],
  ['45s', '45 s'],
  ['1193s', '19 min 53 s'],
  ['20m', '20 min'],
  ['90m', '1 h 30 min'],
  ['36h', '1 d 12 h'],
  ['51h', '2 d 3 h'],
  ['90d', '90 d'],
  ['3630s', '1 h'],
  ['86401s', '1 d'],
])('puts the duration %s into words as %s', (formatted, said) => {
  expect(durationInWords(formatted)).toBe(said);
});

it('returns the first whole minute after an instant', () => {
  const at = (time: string) => Date.parse(`2022-01-10T${time}Z`);

  expect(nextMinute(at('12:00:00.000') - 1)).toBe(at('12:00'));
  expect(nextMinute(at('12:00:00.000'))).toBe(at('12:01'));
  expect(nextMinute(at('12:00:59.999'))).toBe(at('12:01'));
});
