import { expect, it } from 'vitest';
import {
  isPending,
  newAlertRecord,
  pendingDestinations,
  settled,
} from '#shared/domain/channels/alert-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { anAlert, NOON } from '#test/support/builders.ts';

const desk = channelDestinationId({ tenant: 'acme', id: 'punks' }, 'desk');

it('waits for all its destinations, until each says what came of it', () => {
  const record = newAlertRecord(anAlert(), ['stack-topic', desk]);

  const once = settled(record, 'stack-topic', { state: 'accepted', at: NOON });
  const twice = settled(once, desk, { state: 'failed', at: NOON, reason: '404' });

  expect(pendingDestinations(record)).toEqual(['stack-topic', desk]);
  expect(pendingDestinations(once)).toEqual([desk]);
  expect([isPending(once, desk), isPending(twice, desk)]).toEqual([true, false]);
  expect(twice.deliveries).toEqual({
    'stack-topic': { state: 'accepted', at: NOON },
    [desk]: { state: 'failed', at: NOON, reason: '404' },
  });
});

it('waits for no destination that it was never meant for', () => {
  expect(isPending(newAlertRecord(anAlert(), []), desk)).toBe(false);
});
