import { expect, it } from 'vitest';
import {
  isPending,
  newAlertRecord,
  pendingSinks,
  settled,
} from '#shared/domain/alerting/alert-record.ts';
import { channelSink } from '#shared/domain/channels/sink.ts';
import { anAlert, NOON } from '#test/support/builders.ts';

const desk = channelSink({ tenant: 'acme', id: 'punks' }, 'desk');

it('waits for all its sinks, until each says what came of it', () => {
  const record = newAlertRecord(anAlert(), ['stack-topic', desk]);

  const once = settled(record, 'stack-topic', { state: 'accepted', at: NOON });
  const twice = settled(once, desk, { state: 'failed', at: NOON, reason: '404' });

  expect(pendingSinks(record)).toEqual(['stack-topic', desk]);
  expect(pendingSinks(once)).toEqual([desk]);
  expect([isPending(once, desk), isPending(twice, desk)]).toEqual([true, false]);
  expect(twice.deliveries).toEqual({
    'stack-topic': { state: 'accepted', at: NOON },
    [desk]: { state: 'failed', at: NOON, reason: '404' },
  });
});

it('waits for no sink that it was never meant for', () => {
  expect(isPending(newAlertRecord(anAlert(), []), desk)).toBe(false);
});
