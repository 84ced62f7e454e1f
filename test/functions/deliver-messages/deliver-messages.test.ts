import { expect, it } from 'vitest';
import {
  type DeliverMessagesPorts,
  deliverMessages,
} from '#functions/deliver-messages/deliver-messages.ts';
import { newAlertRecord, type Sink } from '#shared/domain/alerting/alert-record.ts';
import type { ChatAnswer } from '#shared/domain/alerting/chat-answer.ts';
import { letterId } from '#shared/domain/alerting/letter.ts';
import { DAY, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { anAlert, instant, NOON } from '#test/support/builders.ts';
import { createMemoryTable } from '#test/support/memory-table.ts';

const { tenant, watchlist, at, id } = anAlert();
const MESSAGE = { sink: 'stack-slack', tenant, watchlist, at, id } as const;
const { signal } = new AbortController();

/** An alert on its way to sinks, and a chat that answers in one way. */
async function world(
  answer: ChatAnswer = { kind: 'sent' },
  unsent: readonly Sink[] = ['stack-topic', 'stack-slack'],
  given: Partial<DeliverMessagesPorts> = {},
) {
  const alerts = createAlertStore(createMemoryTable());
  await alerts.put(newAlertRecord(anAlert(), unsent, NOON));
  const steps: string[] = [];
  const ports: DeliverMessagesPorts = {
    now: () => NOON,
    getAlert: alerts.get,
    putAlert: alerts.put,
    postToSlack: async (letter) => {
      steps.push(`posted ${letterId(letter)}`);
      return answer;
    },
    takeTurn: async () => void steps.push('took its turn'),
    report: (event) => void steps.push(event),
    ...given,
  };
  return { alerts, steps, ports, deliver: () => deliverMessages(ports, MESSAGE, signal) };
}

it('sends an alert in its turn, once, and leaves the other sinks alone', async () => {
  const { deliver, steps, alerts } = await world();

  await deliver();
  await deliver();

  expect(steps).toEqual(['took its turn', `posted ${id}`, 'message_sent']);
  expect(await alerts.get(MESSAGE)).toMatchObject({
    unsent: { 'stack-topic': { failed: 0, nextAt: NOON + 2 * MINUTE } },
    deliveries: { 'stack-slack': { state: 'sent', at: NOON } },
  });
});

it.each<{ what: string; answer: ChatAnswer; now?: number; kept: object }>([
  {
    what: 'a refusal is final',
    answer: { kind: 'refused', reason: '404 no_service' },
    kept: {
      unsent: {},
      deliveries: { 'stack-slack': { state: 'failed', reason: '404 no_service' } },
    },
  },
  {
    what: 'a failure is an appointment',
    answer: { kind: 'failed', reason: '500' },
    kept: { unsent: { 'stack-slack': { failed: 1, nextAt: NOON + MINUTE } }, deliveries: {} },
  },
  {
    what: 'a failure with a time is one for that time',
    answer: { kind: 'failed', reason: '429', retryAfterSeconds: 300 },
    kept: { unsent: { 'stack-slack': { nextAt: NOON + 300 * SECOND } } },
  },
  {
    what: 'a failure after a day is final',
    answer: { kind: 'failed', reason: 'timeout' },
    now: instant(at) + DAY + 1,
    kept: { unsent: {}, deliveries: { 'stack-slack': { state: 'failed', reason: 'timeout' } } },
  },
])('notes what the chat said: $what', async ({ answer, now = NOON, kept }) => {
  const { deliver, alerts } = await world(answer, ['stack-slack'], { now: () => now });

  await deliver();

  expect(await alerts.get(MESSAGE)).toMatchObject(kept);
});

it.each<{ what: string; unsent: readonly Sink[]; key?: string }>([
  { what: 'that the chat has got', unsent: ['stack-topic'] },
  { what: 'that is not there', unsent: ['stack-slack'], key: 'other.1.1' },
])('sends nothing $what', async ({ unsent, key = id }) => {
  const { ports, steps } = await world({ kind: 'sent' }, unsent);

  await deliverMessages(ports, { ...MESSAGE, id: key }, signal);

  expect(steps).toEqual([]);
});

it('keeps what another sink noted meanwhile', async () => {
  const { ports, alerts } = await world();
  const postToSlack = async (): Promise<ChatAnswer> => {
    const known = await alerts.get(MESSAGE);
    const unsent = { 'stack-slack': { failed: 0, nextAt: 0 } };
    if (known) await alerts.put({ ...known, unsent });
    return { kind: 'sent' };
  };

  await deliverMessages({ ...ports, postToSlack }, MESSAGE, signal);

  expect((await alerts.get(MESSAGE))?.unsent).toEqual({});
});

it('notes a chat that could not be asked at all, and tries again', async () => {
  const { deliver, alerts, steps } = await world({ kind: 'sent' }, ['stack-slack'], {
    postToSlack: async () => {
      throw new RangeError('no secret');
    },
  });

  await deliver();

  expect(steps).toContain('message_failed');
  expect((await alerts.get(MESSAGE))?.unsent).toMatchObject({ 'stack-slack': { failed: 1 } });
});
