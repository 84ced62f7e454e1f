import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { benchOptions } from '#test/support/bench-options.ts';
import { startLocalStack } from '#test/support/local-stack.ts';

/**
 * The time that the local stack needs for the largest possible list: until the request returns, and
 * until all watches of the list are in effect. The list is created, then each rule is changed, then
 * everything is removed.
 */
const values = benchOptions('bench:lists', {
  contracts: { type: 'string', default: '500' },
  rules: { type: 'string', default: '20' },
});
const [contracts, rules] = [Number(values.contracts), Number(values.rules)];

const Reported = z.object({ pendingChanges: z.number() });

await using stack = startLocalStack(['--for', '600s', '--speed', '1']);
const { value: ready } = await stack.events.next();
if (ready?.event !== 'ready') throw new Error('the stack did not get ready');
const path = `${ready.url}/v1/watchlists/large`;
const headers = { 'X-API-Key': ready.apiKey, 'Content-Type': 'application/json' };

const listOf = (threshold: number, names: number) => ({
  name: 'Large',
  contracts: Array.from({ length: names }, (_, n) => `eth:0x${n.toString(16).padStart(40, '0')}`),
  rules: Array.from({ length: rules }, (_, n) => ({
    id: `rule-${n}`,
    metric: 'floor_price',
    when: 'below',
    threshold: `${threshold + n}`,
  })),
});

process.stdout.write(
  `${contracts} contracts, ${rules} rules on each: ${contracts * rules} watches\n`,
);
await bring('made', listOf(60, contracts), { 'If-None-Match': '*' });
await bring('each rule changed', listOf(160, contracts), { 'If-Match': '*' });
await bring('contracts removed', listOf(160, 0), { 'If-Match': '*' });

async function bring(what: string, body: object, condition: Readonly<Record<string, string>>) {
  const begun = performance.now();
  const answer = await fetch(path, {
    method: 'PUT',
    headers: { ...headers, ...condition },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
  const answered = performance.now();
  let { pendingChanges } = Reported.parse(JSON.parse(text));
  while (pendingChanges > 0) {
    await wait(1000);
    ({ pendingChanges } = Reported.parse(await (await fetch(path, { headers })).json()));
  }
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(2).padStart(7);
  process.stdout.write(
    `  ${what.padEnd(20)} response after ${seconds(begun, answered)} s, in effect after ${seconds(begun, performance.now())} s\n`,
  );
}
