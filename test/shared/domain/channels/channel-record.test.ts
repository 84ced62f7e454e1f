import { describe, expect, it } from 'vitest';
import {
  awaited,
  configured,
  newChannelRecord,
  withMuteLifted,
} from '#shared/domain/channels/channel-record.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { NOON } from '#test/support/builders.ts';

const record = newChannelRecord('acme#punks#desk', NOON - HOUR);

describe('the timer of a channel with pending entries', () => {
  it.each([
    ['it has no timer', {}, NOON + 2 * MINUTE],
    ['a hold ends in hours', { dueAt: NOON + HOUR }, NOON + 2 * MINUTE],
    ['its timer comes sooner', { dueAt: NOON + MINUTE }, NOON + MINUTE],
    ['its next attempt is in an hour', { dueAt: NOON + HOUR, notBefore: NOON + HOUR }, NOON + HOUR],
  ])('sets the timer of a channel when an entry arrives and %s', (_what, given, dueAt) => {
    expect(awaited({ ...record, ...given }, NOON).dueAt).toBe(dueAt);
  });
});

describe('a lifted mute', () => {
  it.each([
    ['holds nothing yet', {}],
    ['holds alerts until later', { mutedUntil: NOON + HOUR, dueAt: NOON + HOUR }],
  ])('makes a channel that %s due at once when a mute of its list is lifted', (_what, given) => {
    expect(withMuteLifted({ ...record, ...given }, NOON)).toMatchObject({
      ...{ mutedUntil: NOON, dueAt: NOON },
    });
  });
});

it('keeps held alerts, mutes and pace of a channel when its address changes', () => {
  const kept = {
    ...{ mutedUntil: NOON + HOUR, dueAt: NOON + HOUR, recent: [NOON], recentUrgent: [NOON] },
    ...{ notification: { id: 'n', entries: ['-a'] }, isSlow: true },
  };
  const failing = {
    failure: { count: 3, reason: 'HTTP 500', since: NOON },
    notBefore: NOON,
  };

  const moved = configured({ ...record, ...kept, ...failing }, 'another address');

  expect(moved).toMatchObject(kept);
  expect([moved.failure, moved.notBefore]).toEqual([undefined, undefined]);
});
