import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { Metric, windowOf } from '#shared/domain/metrics/metric.ts';
import { world } from '#test/functions/serve-api/contracts/world.ts';
import { aPrice, aWatchlist, eth, instant } from '#test/support/builders.ts';
import { startLocalStack } from '#test/support/local-stack.ts';
import { type FloorLine, type ScriptedRule, whatRuleSays } from './independent-script.ts';

const DATA = '../shared/data';
const FLOORS = `${DATA}/cryptopunks/floors.jsonl.gz`;
const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

const priceRules: readonly ScriptedRule[] = [
  { id: 'under-60', metric: 'floor_price', when: 'below', threshold: '60', recover: '70' },
  {
    ...{ id: 'taken', metric: 'floor_price', when: 'below', threshold: '60', recover: '70' },
    outliers: 'take',
  },
  { id: 'under-72', metric: 'floor_price', when: 'below', threshold: '72' },
  { id: 'over-100', metric: 'floor_price', when: 'above', threshold: '100', recover: '90.5' },
  { id: 'at-least', metric: 'floor_price', when: 'above', threshold: '33', arm: 'cross' },
  { id: 'usd', metric: 'floor_price_usd', when: 'below', threshold: '200000', arm: 'cross' },
];
const windowRules: readonly ScriptedRule[] = [
  { id: 'fell', metric: 'floor_change_pct.24h', when: 'below', threshold: '-10' },
  { id: 'rose', metric: 'floor_change_pct.7d', when: 'above', threshold: '30', recover: '5.5' },
  { id: 'moved', metric: 'floor_change_pct.6h', when: 'above', threshold: '30' },
  { id: 'lost', metric: 'floor_drawdown_pct.7d', when: 'above', threshold: '20' },
  {
    ...{ id: 'crash', metric: 'floor_drawdown_pct.30d', when: 'above', threshold: '35' },
    ...{ recover: '25', arm: 'cross' },
  },
  { id: 'ran', metric: 'floor_runup_pct.30d', when: 'above', threshold: '50' },
  { id: 'jump', metric: 'floor_runup_pct.1h', when: 'above', threshold: '30' },
];

/** Rules on moving averages. A preview evaluates them between floors, too. */
const averageRules: readonly ScriptedRule[] = [
  { id: 'dip', metric: 'floor_vs_average_pct.24h', when: 'below', threshold: '-5' },
  { id: 'deep', metric: 'floor_vs_average_pct.7d', when: 'below', threshold: '-15', recover: '-4' },
  { id: 'hot', metric: 'floor_vs_average_pct.7d', when: 'above', threshold: '20', recover: '7.5' },
  { id: 'long', metric: 'floor_vs_average_pct.30d', when: 'above', threshold: '10', arm: 'cross' },
  { id: 'brief', metric: 'floor_vs_average_pct.1h', when: 'below', threshold: '-12' },
  { id: 'calm', metric: 'floor_vs_average_pct.6h', when: 'above', threshold: '-30' },
];

/** Rules on tokens that are held: their gain and their value. */
const held = { amount: 3, cost: '61.5' };
const heldRules: readonly ScriptedRule[] = [
  { id: 'won', metric: 'gain_pct', when: 'above', threshold: '40', recover: '12.5', held },
  { id: 'lost', metric: 'gain_pct', when: 'below', threshold: '-20', held },
  { id: 'in-money', metric: 'gain', when: 'above', threshold: '90', arm: 'cross', held },
  { id: 'worth', metric: 'list_value', when: 'below', threshold: '200', recover: '210', held },
  { id: 'fell', metric: 'list_change_pct.7d', when: 'below', threshold: '-15', held },
];

/** Rules that react differently to 2021-08-28, when the feed wrongly reported 41.0 for a day. */
const usual = { metric: 'floor_price', when: 'below', threshold: '45', arm: 'cross' } as const;
const glitch = { ...usual, outliers: 'take' } as const;
const glitchRules = [
  { id: 'usual', ...usual },
  { id: 'plain', ...glitch },
  { id: 'confirmed', ...glitch, confirm: { times: 2, of: 3 } },
  { id: 'held', ...glitch, for: '1d' },
];

// Concurrent, because a replay mostly waits for Slack's rate limit.
describe.concurrent('a replay of the real CryptoPunks floor', () => {
  const found = existsSync(FLOORS);
  if (!found) process.stderr.write(`SKIPPED: the real data are not at ${DATA}\n`);

  it.skipIf(!found)(
    'a replay and a preview have exactly the transitions that an independent script computes',
    async () => {
      const floors = readFloors();
      const [from = '', to = ''] = [floors[0]?.timestamp, floors.at(-1)?.timestamp];

      const all = await replay([...priceRules, ...windowRules, ...glitchRules], []);
      const alerts = all.filter((alert) => !isOfFirstValue(alert));

      // The window of this rule is a week, so after a day it reports that it has no value yet.
      expect(all.filter(isOfFirstValue).map(({ rule, kind }) => [rule, kind])).toEqual([
        ['rose', 'stale'],
        ['rose', 'fresh'],
      ]);
      for (const rule of [...priceRules, ...windowRules]) {
        const said = saidBy(alerts, rule);
        expect(said).toEqual(whatRuleSays(rule, floors, from, to));
        expect(said.length).toBeGreaterThan(1);
      }
      for (const rule of [...priceRules, ...windowRules, ...glitchRules]) {
        const previewed = (await previewOf(rule, floors)).filter((alert) => !isOfFirstValue(alert));
        expect(saidBy(previewed, rule), rule.id).toEqual(saidBy(alerts, rule));
      }
      const usdOf = new Map(floors.map((line) => [line.timestamp, Number(line.floor_price_usd)]));
      for (const { rule, usd, dataTime } of alerts) {
        if (priceRules.some(({ id }) => id === rule)) expect(Number(usd)).toBe(usdOf.get(dataTime));
      }
      const glitches = alerts.filter(
        ({ rule, dataTime }) =>
          glitchRules.some(({ id }) => id === rule) && dataTime > '2021-08-25',
      );
      expect(
        glitches.map(({ rule, kind, dataTime }) => [rule, kind, dataTime.slice(0, 10)]),
      ).toEqual([
        ['plain', 'fired', '2021-08-28'],
        ['plain', 'recovered', '2021-08-29'],
      ]);
    },
    900_000,
  );

  it.skipIf(!found)(
    'previews of moving averages have the transitions of an independent script, and polls find them soon after',
    async () => {
      const floors = readFloors();
      const [from = '', to = ''] = [floors[0]?.timestamp, floors.at(-1)?.timestamp];

      for (const rule of averageRules) {
        const said = whatRuleSays(rule, floors, from, to);
        const previewed = (await previewOf(rule, floors)).filter((alert) => !isOfFirstValue(alert));
        expect(saidBy(previewed, rule), rule.id).toEqual(said);
        expect(said.length, rule.id).toBeGreaterThan(0);
      }

      const polledRules = averageRules.slice(0, 3);
      const alerts = await replay(polledRules, []);
      for (const rule of polledRules) {
        const said = whatRuleSays(rule, floors, from, to);
        const polled = alerts.filter((one) => one.rule === rule.id && !isOfFirstValue(one));
        expect(polled.map(({ kind }) => kind)).toEqual(said.map(([, kind]) => kind));
        for (const [index, { dataTime }] of polled.entries()) {
          const late = instant(dataTime) - instant(said[index]?.[2] ?? '');
          expect(late).toBeGreaterThanOrEqual(0);
          expect(late).toBeLessThanOrEqual(longestDelay(rule.metric));
        }
      }
    },
    900_000,
  );

  it.skipIf(!found)(
    'previews of gains and list values have the alerts that an independent script computes',
    async () => {
      const floors = readFloors();
      const [from = '', to = ''] = [floors[0]?.timestamp, floors.at(-1)?.timestamp];

      for (const rule of heldRules) {
        const said = whatRuleSays(rule, floors, from, to);
        const previewed = (await previewOf(rule, floors)).filter((alert) => !isOfFirstValue(alert));
        expect(saidBy(previewed, rule), rule.id).toEqual(said);
        expect(said.length, rule.id).toBeGreaterThan(1);
      }
    },
    300_000,
  );

  it.skipIf(!found)(
    'a replay has full windows from its first minute, and evaluates nothing before it',
    async () => {
      const span = { from: '2021-09-10T00:00:00.000Z', to: '2021-10-24T12:00:00.000Z' };

      const alerts = await replay(windowRules, ['--from', span.from, '--to', span.to]);

      for (const rule of windowRules) {
        const expected = whatRuleSays(rule, readFloors(), span.from, span.to);
        expect(saidBy(alerts, rule)).toEqual(expected);
      }
      expect(alerts.length).toBeGreaterThan(windowRules.length);
    },
    900_000,
  );
});

describe('thresholds suggested for the real CryptoPunks floor', () => {
  it.skipIf(!existsSync(FLOORS)).each([
    { id: 'low', metric: 'floor_price', when: 'below', threshold: '1' },
    { id: 'high', metric: 'floor_price_usd', when: 'above', threshold: '1', recover: '0.5' },
    { id: 'fell', metric: 'floor_change_pct.24h', when: 'below', threshold: '-1' },
    { id: 'dip', metric: 'floor_vs_average_pct.7d', when: 'below', threshold: '-1' },
  ] as const)(
    'suggested thresholds would have sent the alerts that an independent script computes ($id)',
    async (rule) => {
      const all = readFloors();
      const to = all.at(-1)?.timestamp ?? '';
      const from = new Date(instant(to) - 90 * DAY).toISOString();
      const { ask } = await recordedWorld(all);

      const { body } = await ask('POST /v1/rules/suggestions', {
        body: { rule, contracts: [PUNKS], from },
      });

      const [{ lines, notTested }] = body.contracts;
      expect(notTested).toBeNull();
      expect(lines.length).toBeGreaterThan(0);
      for (const { threshold, alerts } of lines) {
        const recover = 'recover' in rule ? { recover: `${Number(threshold) - 0.5}` } : {};
        const said = whatRuleSays({ ...rule, threshold, ...recover }, all, from, to);
        expect(saidBy(alerts, rule), threshold).toEqual(said);
        expect([1, 2, 3]).toContain(said.length);
      }
    },
  );
});

/** Whether an alert reports that a rule has no first value yet, or that it got one. */
function isOfFirstValue({ kind }: Alert): boolean {
  return kind === 'stale' || kind === 'fresh';
}

function readFloors(): readonly FloorLine[] {
  const lines = gunzipSync(readFileSync(FLOORS)).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as FloorLine);
}

/** The alerts of rules on the Punks, from a separate stack. */
async function replay(rules: readonly object[], span: readonly string[]): Promise<Alert[]> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-'));
  await using cleared = new AsyncDisposableStack();
  cleared.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'watchlists.json');
  const contracts = [{ contract: PUNKS, name: 'CryptoPunks' }];
  await writeFile(file, JSON.stringify({ id: 'punks', name: 'Punks', contracts, rules }));
  const speed = ['--speed', 'max', '--exit-at-end'];
  const alerts: Alert[] = [];
  await using stack = startLocalStack(['--data', DATA, '--watchlists', file, ...speed, ...span]);
  for await (const line of stack.events) if (line.event === 'alert') alerts.push(line.alert);
  expect(await stack.exited).toBe(0);
  return alerts;
}

/**
 * Maximum delay until a poll detects a value: a hundredth of the window or two cadences, whichever
 * is longer, plus a minute for the timer.
 */
function longestDelay(metric: string): number {
  const window = windowOf(Metric.parse(metric)) ?? 0;
  return Math.max(window / 100, 60 * MINUTE) + MINUTE;
}

/** The preview of a rule, with these recorded floors. */
async function previewOf(
  { held: tokens, ...rule }: ScriptedRule,
  floors: readonly FloorLine[],
): Promise<Alert[]> {
  const from = floors[0]?.timestamp;
  const { ask } = await recordedWorld(floors);
  const member = { contract: PUNKS, amount: tokens?.amount, cost: { price: tokens?.cost } };
  const { body } = await ask('POST /v1/rules/preview', {
    body: { rule, contracts: [tokens === undefined ? PUNKS : member], from },
  });
  return body.contracts[0].alerts;
}

/** A world at the time of the last floor, with all floors recorded. */
async function recordedWorld(floors: readonly FloorLine[]) {
  const points = floors.map(({ timestamp, floor_price, floor_price_usd }) =>
    aPrice(floor_price, { time: instant(timestamp), usd: eth(floor_price_usd) }),
  );
  const made = world({ now: () => instant(floors.at(-1)?.timestamp ?? '') });
  await made.watchlists.put(aWatchlist());
  await made.history.record(PUNKS, 'floor', points);
  return made;
}

const saidBy = (alerts: readonly Alert[], { id }: { readonly id: string }) =>
  alerts
    .filter(({ rule }) => rule === id)
    .map(({ rule, kind, dataTime, value }) => [rule, kind, withoutPollDelay(dataTime), value]);

/**
 * A poll for a timer starts within a minute after the timer is due, and its alert has the time of
 * the request.
 */
function withoutPollDelay(dataTime: string): string {
  return dataTime.replace(/:0[01]:00\.\d{3}Z$/, ':00:00.000Z');
}
