import { expect, it } from 'vitest';
import {
  delivered,
  newAlertRecord,
  nextTryAt,
  sinksDue,
  undelivered,
} from '#shared/domain/alerting/alert-record.ts';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { anAlert, instant, NOON } from '#test/support/builders.ts';

const record = newAlertRecord(anAlert(), ['stack-topic', 'stack-slack'], NOON);
const MADE_AT = instant(record.alert.at);

it('has an appointment two minutes ahead from its first moment on', () => {
  expect(record).toMatchObject({ version: 0, deliveries: {} });
  expect(nextTryAt(record)).toBe(NOON + 2 * MINUTE);
});

it('keeps its appointment until the last sink has taken it', () => {
  const once = delivered(record, 'stack-topic', { state: 'accepted', at: NOON });
  const twice = delivered(once, 'stack-slack', { state: 'sent', at: NOON });

  expect(Object.keys(once.unsent)).toEqual(['stack-slack']);
  expect(nextTryAt(once)).toBe(NOON + 2 * MINUTE);
  expect(twice.unsent).toEqual({});
  expect(nextTryAt(twice)).toBeUndefined();
  expect(Object.keys(twice.deliveries)).toEqual(['stack-topic', 'stack-slack']);
});

it('is tried again after 1 2 4 … 60 minutes', () => {
  const pauses: number[] = [];
  let failing = record;
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    failing = undelivered(failing, 'stack-slack', '500', NOON);
    pauses.push(((failing.unsent['stack-slack']?.nextAt ?? 0) - NOON) / MINUTE);
  }

  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(failing.unsent).toMatchObject({ 'stack-slack': { failed: 9 } });
});

it('waits longer where the sink says so', () => {
  const failing = undelivered(record, 'stack-slack', '429', NOON, NOON + 5 * MINUTE);

  expect(failing.unsent['stack-slack']?.nextAt).toBe(NOON + 5 * MINUTE);
});

it('tries each sink by its own clock', () => {
  const slow = undelivered(record, 'stack-slack', '429', NOON, NOON + 60 * MINUTE);
  const both = undelivered(slow, 'stack-topic', 'throttled', NOON);

  expect(nextTryAt(both)).toBe(NOON + MINUTE);
  expect(sinksDue(both, NOON)).toEqual([]);
  expect(sinksDue(both, NOON + MINUTE)).toEqual(['stack-topic']);
  expect(sinksDue(both, NOON + 60 * MINUTE)).toEqual(['stack-topic', 'stack-slack']);
});

it('waits no longer than the day after which it gives up', () => {
  const failing = undelivered(record, 'stack-slack', '429', MADE_AT, MADE_AT + 9 * DAY);

  expect(failing.unsent['stack-slack']?.nextAt).toBe(MADE_AT + DAY);
});

it.each([
  { now: MADE_AT + DAY, unsent: ['stack-topic', 'stack-slack'] },
  { now: MADE_AT + DAY + 1, unsent: ['stack-topic'] },
])('gives a sink up after a day, and says so ($unsent)', ({ now, unsent }) => {
  const failing = undelivered(record, 'stack-slack', 'timeout', now);

  expect(Object.keys(failing.unsent)).toEqual(unsent);
  expect(failing.deliveries).toEqual(
    unsent.length === 2 ? {} : { 'stack-slack': { state: 'failed', at: now, reason: 'timeout' } },
  );
});
