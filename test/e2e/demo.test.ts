import { expect, it } from 'vitest';
import * as z from 'zod';
import { DOUBLES } from '#shared/channels/doubles.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { familiesWith } from '#shared/domain/metrics/metric.ts';
import { startLocalStack } from '#test/support/local-stack.ts';

it('npm start -- --tour shows every metric, kind of message and kind of channel within one market hour', async () => {
  const hour = ['--from', '2026-01-05T12:00Z', '--to', '2026-01-05T13:00Z'];
  await using stack = startLocalStack(['--tour', ...hour, '--speed', 'max', '--exit-at-end']);
  const kinds = new Set<string>();
  const metrics = new Set<string | null>();
  const channels = new Set<string>();
  const titles: string[] = [];
  const refused: string[] = [];
  let deadLetters = {};

  for await (const line of stack.events) {
    if (line.event === 'alert') {
      kinds.add(line.alert.kind);
      metrics.add(line.alert.metric);
      titles.push(line.alert.title);
    }
    if (line.event === 'notification')
      channels.add(`${line.notification.kind} ${line.notification.to}`);
    if (line.event === 'refused') refused.push(line.reason);
    if (line.event === 'end') ({ deadLetters } = line);
  }

  expect(await stack.exited).toBe(0);
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      ...[
        'channel_off',
        'expired',
        'fired',
        'fresh',
        'recovered',
        'reminder',
        'stale',
        'summary',
        'worsened',
      ],
    ]),
  );
  const families = familiesWith((family) => typeof family.measure === 'function');
  const missing = families.filter((family) => ![...metrics].some(isOfFamily(family)));
  expect(missing).toEqual([]);
  expect(titles).toContainEqual(expect.stringMatching(/^Moonlit Apes \(Body: Gold\): floor /));
  const isChat = (channel: string) => (channel.split(' ', 1)[0] ?? '') in DOUBLES;
  const chats = [...channels].filter(isChat);
  expect([...channels].filter((channel) => !isChat(channel)).toSorted()).toEqual([
    'email desk@floorwatch.example',
    'email operators@floorwatch.example',
    'sqs alerts-for-programs',
    'webhook /alerts',
  ]);
  expect(new Set(chats.map((channel) => channel.split(' ', 1)[0]))).toEqual(
    new Set(Object.keys(DOUBLES)),
  );
  expect(chats).toContain('slack T000/B000');
  expect(refused).toEqual([]);
  expect(deadLetters).toEqual({});
});

it('npm start shows a price history of 90 days immediately, and a plain alert within the first minutes', async () => {
  const minutes = ['--from', '2026-01-05T12:00Z', '--to', '2026-01-05T12:06Z'];
  await using stack = startLocalStack([...minutes, '--speed', 'max']);
  const { value: ready } = await stack.events.next();
  if (ready?.event !== 'ready') throw new Error('the stack did not get ready');
  const { url, apiKey } = ready;
  const get = async (path: string) =>
    await fetch(`${url}${path}`, { headers: { 'X-API-Key': apiKey } });

  const [first] = await alertsOf(stack.events, 1);

  expect(first).toMatchObject({ kind: 'fired', metric: 'floor_price', when: 'below' });
  expect(first?.threshold).toMatch(/^\d{1,2}(\.5)?$/);
  expect(Date.parse(first?.at ?? '')).toBeLessThan(Date.parse('2026-01-05T12:03Z'));
  const { contracts } = Overview.parse(await (await get('/v1/overview')).json());
  expect(contracts).toHaveLength(6);
  for (const { contract, changes, sparkline } of contracts) {
    const prices = Prices.parse(await (await get(`/v1/contracts/${contract}/prices`)).json());
    const picture = await get(`/v1/contracts/${contract}/picture`);

    expect(Object.values(changes)).not.toContain(null);
    expect(sparkline.length).toBeGreaterThan(20);
    expect(prices.points[0]?.time).toMatch(/^2025-10-0[78]/);
    expect(picture.headers.get('content-type')).toBe('image/png');
  }
});

/** Whether a metric belongs to a family: `<family>` alone, or followed by a window. */
const isOfFamily = (family: string) => (metric: string | null) =>
  metric?.split('.', 1)[0] === family;

const Overview = z.object({
  contracts: z.array(
    z.object({
      contract: z.string(),
      changes: z.record(z.string(), z.string().nullable()),
      sparkline: z.array(z.unknown()),
    }),
  ),
});
const Prices = z.object({ points: z.array(z.object({ time: z.string() })) });

async function alertsOf(events: ReturnType<typeof startLocalStack>['events'], count: number) {
  const alerts: Alert[] = [];
  while (alerts.length < count) {
    const { value: line } = await events.next();
    if (line === undefined) throw new Error('the stack ended');
    if (line.event === 'alert') alerts.push(line.alert);
  }
  return alerts;
}
