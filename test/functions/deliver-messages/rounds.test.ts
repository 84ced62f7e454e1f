import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { notificationId } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { formatInstant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { deliveryWorld, QUEUE } from '#test/support/delivery-world.ts';

const { signal } = new AbortController();

/** A queue channel with waiting alerts of this number of watches, oldest first. */
async function queueWith(watches: number, ofEach = 1) {
  const world = await deliveryWorld();
  const alerts = Array.from({ length: watches * ofEach }, (_, index) =>
    anAlert({
      id: `w${index % watches}.1.${Math.floor(index / watches) + 1}`,
      at: formatInstant(NOON + index * SECOND),
    }),
  );
  await postAlerts(world.ports, alerts, [QUEUE]);
  const rounds: string[][] = [];
  let underWay = 0;
  const answer = { to: (_id: string): ChatAnswer => ({ kind: 'sent' }) };
  const send = async (_destination: unknown, notification: Notification): Promise<ChatAnswer> => {
    if (underWay === 0) rounds.push([]);
    underWay += 1;
    rounds.at(-1)?.push(notificationId(notification));
    await setImmediate();
    underWay -= 1;
    return answer.to(notificationId(notification));
  };
  const ports = { ...world.ports, send };
  const deliver = async () => await deliverMessages(ports, { destinationId: QUEUE }, signal);
  return { ...world, ports, rounds, answer, deliver };
}

const sizes = (rounds: readonly (readonly string[])[]) => rounds.map((round) => round.length);
const recordOf = async ({ records }: Awaited<ReturnType<typeof queueWith>>) =>
  await records.get(QUEUE);

describe('a program that accepts one alert per request', () => {
  it('a program receives four concurrent requests, and twice as many after each round, up to twenty', async () => {
    const world = await queueWith(50);

    await world.deliver();

    expect(sizes(world.rounds)).toEqual([4, 8, 16, 20, 2]);
    expect(new Set(world.rounds.flat()).size).toBe(50);
    expect(await world.waiting(QUEUE)).toBe(0);
  });

  it('a program receives the alerts of each watch in order, one per round', async () => {
    const world = await queueWith(2, 3);

    await world.deliver();

    expect(world.rounds).toEqual([
      ['w0.1.1', 'w1.1.1'],
      ['w0.1.2', 'w1.1.2'],
      ['w0.1.3', 'w1.1.3'],
    ]);
  });

  it('a program receives a failed alert again in a separate request, before the other alerts', async () => {
    const world = await queueWith(6);
    let failures = 1;
    world.answer.to = (id) => {
      failures -= id === 'w2.1.1' ? 1 : 0;
      return id === 'w2.1.1' && failures >= 0
        ? { kind: 'failed', reason: '500' }
        : { kind: 'sent' };
    };

    await world.deliver();
    const before = await recordOf(world);
    world.state.now += MINUTE;
    await world.deliver();

    expect(before).toMatchObject({ failure: { count: 1 }, requestsAtOnce: 1 });
    expect(world.rounds).toEqual([
      ['w0.1.1', 'w1.1.1', 'w2.1.1', 'w3.1.1'],
      ['w2.1.1'],
      ['w4.1.1', 'w5.1.1'],
    ]);
    expect((await recordOf(world))?.failure).toBeUndefined();
  });

  it('a program gets no request before the longest `Retry-After` of a round has passed', async () => {
    const world = await queueWith(4);
    world.answer.to = (id) => {
      const retryAfterSeconds = id === 'w1.1.1' ? 300 : 30;
      return { kind: 'failed', reason: '429', retryAfterSeconds };
    };

    await world.deliver();

    expect(await recordOf(world)).toMatchObject({
      notBefore: world.state.now + 5 * MINUTE,
      failure: { count: 1 },
    });
  });

  it('a program is retried a minute after a server error, even if another answer had a shorter `Retry-After`', async () => {
    const world = await queueWith(2);
    world.answer.to = (id) =>
      id === 'w1.1.1'
        ? { kind: 'failed', reason: '429', retryAfterSeconds: 30 }
        : { kind: 'failed', reason: '500' };

    await world.deliver();

    expect(await recordOf(world)).toMatchObject({
      notBefore: world.state.now + MINUTE,
      failure: { count: 1 },
    });
  });

  it.each([
    ['a concurrent request', 'at once'],
    ['another alert of its first round', 'at the second attempt'],
  ])(
    'a program receives nothing after it returns 410, even if %s was due for a retry',
    async (_what, when) => {
      const isAtOnce = when === 'at once';
      const world = await queueWith(3);
      world.answer.to = (id) =>
        isAtOnce && id === 'w0.1.1'
          ? { kind: 'gone', reason: '410' }
          : { kind: 'failed', reason: '500' };
      await world.deliver();
      if (!isAtOnce) {
        world.state.now += MINUTE;
        world.answer.to = () => ({ kind: 'gone', reason: '410' });
        await world.deliver();
      }
      const before = sizes(world.rounds);

      world.state.now += 10 * MINUTE;
      world.answer.to = () => ({ kind: 'sent' });
      await world.deliver();

      expect(before).toEqual(isAtOnce ? [3] : [3, 1]);
      expect(sizes(world.rounds)).toEqual(before);
      expect(await recordOf(world)).toMatchObject({ off: { reason: '410' } });
      expect(await world.waiting(QUEUE)).toBe(0);
    },
  );

  it('a program receives half as many concurrent requests after a slow answer', async () => {
    const world = await queueWith(20);
    world.answer.to = () => {
      if (world.rounds.length === 2) world.state.now += SECOND;
      return { kind: 'sent' };
    };

    await world.deliver();

    expect(sizes(world.rounds)).toEqual([4, 8, 4, 4]);
  });

  it('a program receives each alert of a round only once, even if it refuses one of them', async () => {
    const world = await queueWith(3);
    world.answer.to = (id) =>
      id === 'w1.1.1' ? { kind: 'refused', reason: '422' } : { kind: 'sent' };

    await world.deliver();
    await world.deliver();

    expect(world.rounds).toEqual([['w0.1.1', 'w1.1.1', 'w2.1.1']]);
    expect(await world.waiting(QUEUE)).toBe(0);
  });

  it('if the function crashes before the answers of a round are recorded, the round is repeated with the same ids', async () => {
    const world = await queueWith(3);
    const putChannel = async (record: Parameters<typeof world.ports.putChannel>[0]) => {
      if (record.notification?.outcomes !== undefined) throw new Error('killed');
      return await world.ports.putChannel(record);
    };
    const killed = deliverMessages(
      { ...world.ports, putChannel },
      { destinationId: QUEUE },
      signal,
    );
    await expect(killed).rejects.toThrow('killed');

    await world.deliver();

    expect(world.rounds).toEqual([
      ['w0.1.1', 'w1.1.1', 'w2.1.1'],
      ['w0.1.1', 'w1.1.1', 'w2.1.1'],
    ]);
    expect(await world.waiting(QUEUE)).toBe(0);
  });

  it('if the function crashes while the answers of a round are recorded, no request is repeated', async () => {
    const world = await queueWith(3);
    let settled = 0;
    const putOutcome: typeof world.ports.putOutcome = async (...outcome) => {
      settled += 1;
      if (settled === 2) throw new Error('killed');
      await world.ports.putOutcome(...outcome);
    };
    const killed = deliverMessages(
      { ...world.ports, putOutcome },
      { destinationId: QUEUE },
      signal,
    );
    await expect(killed).rejects.toThrow('killed');

    await world.deliver();

    expect(sizes(world.rounds)).toEqual([3]);
    expect(await world.waiting(QUEUE)).toBe(0);
  });
});
