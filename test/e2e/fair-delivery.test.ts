import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SECOND } from '#shared/domain/market/instant.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { startWorld } from '#test/support/lived-stack.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** Invocations of each function at once; one tenant has ten lanes of these. */
const SLOTS = 30;
const LISTS = 5;
const WEBHOOKS = 20;
const SAMPLES = 9;

it('a hundred webhooks that do not answer in time delay no alert of another tenant', async () => {
  await using open = new AsyncDisposableStack();
  const { ask, keyOf, contract } = await startWorld(open, SLOTS);
  const arrivals: (() => void)[] = [];
  await using quick = await startHttpServer((response) => {
    response.end();
    arrivals.shift()?.();
  });
  let slowCalls = 0;
  await using slow = await startHttpServer((response) => {
    slowCalls += 1;
    setTimeout(() => response.end(), 7.5 * SECOND);
  });
  const rules = [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '0.0001' }];
  const hook = (id: string, url: string) => ({ id, kind: 'webhook', url, secrets: [SECRET] });
  const put = (key: string, id: string, channels: readonly object[]) =>
    ask(
      'POST /v1/watchlists',
      { id, name: id, contracts: [contract], rules, channels },
      { 'x-api-key': key, 'idempotency-key': `"${id}"` },
    );
  const test = (key: string, list: string, channel: string, number: number) =>
    ask(
      `POST /v1/watchlists/${list}/channels/${channel}/test`,
      {},
      {
        ...{ 'x-api-key': key, 'idempotency-key': `"${list} ${channel} ${number}"` },
      },
    );

  const [modest, greedy] = await Promise.all([keyOf('modest'), keyOf('greedy')]);
  await put(modest, 'mine', [hook('bot', `${quick.url}/hook`)]);
  let numbers = 0;
  /** From the request that sends an alert until it arrives, in milliseconds: the median of some. */
  const delay = async () => {
    const delays: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      numbers += 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      arrivals.push(resolve);
      const from = performance.now();
      await test(modest, 'mine', 'bot', numbers);
      await promise;
      delays.push(performance.now() - from);
      await wait(200);
    }
    return delays.toSorted((one, other) => one - other)[SAMPLES >> 1] ?? 0;
  };
  await delay();
  const before = await delay();

  for (let list = 0; list < LISTS; list += 1) {
    const hooks = Array.from({ length: WEBHOOKS }, (_, index) =>
      hook(`hook-${index}`, `${slow.url}/${list}/${index}`),
    );
    await put(greedy, `list-${list}`, hooks);
    await Promise.all(hooks.map(({ id }) => test(greedy, `list-${list}`, id, 1)));
  }
  const during = await delay();

  process.stderr.write(
    `fair delivery: ${before.toFixed(0)} ms idle, ${during.toFixed(0)} ms beside ${LISTS * WEBHOOKS} webhooks that answer after 7.5 s\n`,
  );
  expect(slowCalls).toBeLessThan(LISTS * WEBHOOKS);
  expect(during / before).toBeLessThanOrEqual(2);
}, 120_000);
