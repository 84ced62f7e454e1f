import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nextMinuteWithWork } from '#infra/local/next-minute-with-work.ts';
import { nextChange } from '#infra/local/upstream/market-changes.ts';
import { lowestTrade, type Trade } from '#infra/local/upstream/market-source.ts';
import { loadReplayedMarket } from '#infra/local/upstream/replayed-market.ts';
import { nextWork } from '#infra/local/watched-table.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { floorIn } from '#shared/domain/archive/import-line.ts';
import { DAY, earliest, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { LowestTrade } from '#shared/domain/market/upstream.ts';
import { dueShards } from '#shared/stores/due-queue.ts';
import { linesSaid, PUNKS } from '#test/support/builders.ts';
import { createWorld } from '#test/support/world.ts';

const DATA = '../shared/data';
/** The first sale of a Punk. */
const FROM = Date.UTC(2017, 5, 23);
const CADENCE = 30;

/** Plausible rules of a Punks trader, with all other settings at their defaults. */
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
  'over the whole Punks history, no rule contradicts its own alert within an hour without a stated reason',
  async () => {
    const alerts = await replayed();

    process.stderr.write(`${alerts.length} messages\n`);
    expect(alerts.length).toBeGreaterThan(rules.length);
    expect(contradictions(alerts)).toEqual([]);
  },
);

/**
 * Alerts of one rule that contradict each other within an hour of data time. Two alerts do not
 * contradict each other if they name different sales, or if one of them reports that no sale is
 * left. The alert that follows a `fresh` alert contradicts nothing.
 */
function contradictions(alerts: readonly Alert[]): readonly string[] {
  return [...Map.groupBy(alerts, ({ rule }) => rule).values()].flatMap((reported) =>
    reported.slice(1).flatMap((alert, index) => {
      const before = reported[index];
      if (before === undefined) return [];
      if (before.kind === 'fresh') return [];
      const isSoon = Date.parse(alert.dataTime) - Date.parse(before.dataTime) < HOUR;
      if (!isSoon || alert.kind === before.kind || lowestSaleIn(alert) !== lowestSaleIn(before))
        return [];
      return [`${before.title}\n${alert.title}`];
    }),
  );
}

/**
 * The sale that an alert reports: its transaction, or that no sale is left. Undefined for alerts
 * about floors.
 */
function lowestSaleIn(alert: Alert): string | undefined {
  return /no recent sale|Source: transaction \w+/.exec(linesSaid(alert).join('\n'))?.[0];
}

/**
 * The alerts that the rules send over the whole market. A changed price is polled at the next half
 * hour. A contract is also woken when work is due.
 */
async function replayed(): Promise<readonly Alert[]> {
  const market = await loadReplayedMarket(DATA);
  const end = market.span?.to ?? FROM;
  const world = createWorld({ start: FROM, cadenceMinutes: CADENCE });
  world.answers.floor = (_contract, now, { poll }) => {
    const from = poll?.newest?.time ?? now - 30 * DAY;
    const floors = [...market.floors(PUNKS, from, now)];
    const points = floors.map(({ record }) => ({ ...floorIn(record), marketplaces: [] }));
    return points.length === 0 ? { kind: 'empty' } : { kind: 'ok', value: points };
  };
  world.answers.lowest = (_contract, days, now) => {
    const lowest = lowestTrade(market, PUNKS, now - days * DAY, now);
    return lowest === undefined ? { kind: 'empty' } : { kind: 'ok', value: saleIn(lowest) };
  };
  await world.putList({
    ...{ id: 'trader', name: 'Trader', rules: rules.map((rule) => ({ ...rule })) },
    contracts: [{ contract: PUNKS, name: 'CryptoPunks' }],
  });
  await world.drain();
  const next = async () => {
    const last = Math.floor(world.now() / MINUTE) * MINUTE;
    const { records } = await world.stores.contracts.all();
    const due = await Promise.all(dueShards().map((shard) => world.table.due(shard, end, 1)));
    return nextMinuteWithWork(last, {
      ...{ cadenceMinutes: CADENCE, start: FROM },
      change: earliest([
        nextChange(market, { contract: PUNKS, of: 'floor' }, last),
        nextChange(market, { contract: PUNKS, of: 'lowest', days: 1 }, last),
      ]),
      timer: earliest([...due.flat().map(({ dueAt }) => dueAt), ...records.map(nextWork)]),
    });
  };
  for (let at = await next(); at !== undefined && at <= end; at = await next()) {
    world.pass(Math.max(0, at - MINUTE - world.now()));
    await world.tick();
    world.log.calls.length = 0;
  }
  return world.published.flatMap(({ destinationId, alert }) =>
    destinationId === 'stack-topic' ? [alert] : [],
  );
}

function saleIn({ time, record }: Trade): LowestTrade {
  const { price, transaction_hash: transactionHash } = record;
  return { time, price: BigInt(price), transactionHash, tokenIds: record.token_ids };
}
