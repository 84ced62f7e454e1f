import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import { linesSaid } from '#test/support/builders.ts';
import { startLocalStack } from '#test/support/local-stack.ts';

const DATA = '../shared/data';
/** The first sale of a Punk. */
const FROM = '2017-06-23T00:00:00.000Z';
const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

/** What a trader of Punks may well ask for, with everything else left as it is. */
const rules = [
  { id: 'buy', metric: 'floor_price', when: 'below', threshold: '60', recover: '66' },
  { id: 'sell', metric: 'floor_price', when: 'above', threshold: '100' },
  { id: 'line', metric: 'floor_price', when: 'crosses', threshold: '75' },
  { id: 'range', metric: 'floor_price', when: 'outside', low: '65', high: '90', keepFor: '2d' },
  { id: 'dollars', metric: 'floor_price_usd', when: 'below', threshold: '200000', steps: '10' },
  { id: 'drop', metric: 'floor_drop_pct.24h', when: 'above', threshold: '10' },
  { id: 'rally', metric: 'floor_change_pct.7d', when: 'above', threshold: '30' },
  { id: 'crash', metric: 'floor_drawdown_pct.30d', when: 'above', threshold: '35', recover: '25' },
  { id: 'bargain', metric: 'lowest_price.1d', when: 'below', threshold: '0.3' },
  { id: 'snipe', metric: 'sale_discount_pct.1d', when: 'above', threshold: '30' },
] as const;

const found = existsSync(DATA);
if (!found) process.stderr.write(`SKIPPED: the real data are not at ${DATA}\n`);

it.skipIf(!found)(
  'no alert of ten rules over the whole history of the Punks is contradicted within an hour without a reason',
  async () => {
    const alerts = await replayed();

    process.stderr.write(`${alerts.length} messages\n`);
    expect(alerts.length).toBeGreaterThan(rules.length);
    expect(contradictions(alerts)).toEqual([]);
  },
  900_000,
);

/**
 * Alerts of one rule whose data are within an hour of one another and say opposite things. A reason
 * that the texts tell is another sale, named by its transaction, or that none is left. That a rule
 * has its first value, after a day without one, is contradicted by nothing.
 */
function contradictions(alerts: readonly Alert[]): readonly string[] {
  return [...Map.groupBy(alerts, ({ rule }) => rule).values()].flatMap((reported) =>
    reported.slice(1).flatMap((alert, index) => {
      const before = reported[index];
      if (before === undefined) return [];
      if (before.kind === 'fresh') return [];
      const isSoon = Date.parse(alert.dataTime) - Date.parse(before.dataTime) < HOUR;
      if (!isSoon || alert.kind === before.kind || saleIn(alert) !== saleIn(before)) return [];
      return [`${before.title}\n${alert.title}`];
    }),
  );
}

/**
 * The sale that an alert reports: its transaction, or that none is left; undefined where it is of
 * floors.
 */
function saleIn(alert: Alert): string | undefined {
  return /no sale left|Source: transaction \w+/.exec(linesSaid(alert).join('\n'))?.[0];
}

/** The alerts of the rules, from a stack of its own that lives through all that is there. */
async function replayed(): Promise<readonly Alert[]> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-'));
  await using cleared = new AsyncDisposableStack();
  cleared.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'watchlists.json');
  const contracts = [{ contract: PUNKS, name: 'CryptoPunks' }];
  await writeFile(file, JSON.stringify({ id: 'trader', name: 'Trader', contracts, rules }));
  const alerts: Alert[] = [];
  const options = ['--data', DATA, '--watchlists', file, '--from', FROM];
  await using stack = startLocalStack([...options, '--speed', 'max', '--exit-at-end']);
  for await (const line of stack.events) if (line.event === 'alert') alerts.push(line.alert);
  expect(await stack.exited).toBe(0);
  return alerts;
}
