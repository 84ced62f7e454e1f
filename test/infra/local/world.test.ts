import { expect, it, onTestFinished } from 'vitest';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { QUEUES } from '#infra/local/world-variables.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';
import { aSmallWorld, MARKET_KEY } from '#test/support/small-world.ts';

it('a world delivers an alert for a simulated price', async () => {
  const clock = { time: NOON };
  const source = createSimulatedMarket(1, NOON);
  const market = await startMarketServer({ source, now: () => clock.time, apiKey: MARKET_KEY });
  onTestFinished(market.close);
  const delivered: Notification[] = [];
  const failures: unknown[] = [];
  const { world, passUntil } = aSmallWorld({
    ...{ upstreamUrl: market.url, clock },
    deliver: (notification) => delivered.push(notification),
    onFailure: (error) => failures.push(error),
  });
  const [{ contract } = { contract: '' }] = source.contracts();
  const answer = await world.functions['serve-api'](
    anHttpRequest('POST /v1/watchlists', {
      body: {
        ...{ id: 'apes', name: 'Apes', contracts: [contract] },
        rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '1000000' }],
        channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
      },
    }),
  );

  await passUntil(NOON + 3 * MINUTE);

  expect(answer).toMatchObject({ statusCode: 201 });
  expect(failures).toEqual([]);
  expect(delivered).toMatchObject([{ kind: 'alert', alert: { kind: 'fired', rule: 'low' } }]);
  expect(QUEUES.flatMap(world.queues.deadLetters)).toEqual([]);
});
