import { expect, it, vi } from 'vitest';
import { composeDrawChart } from '#functions/draw-chart/compose.ts';
import { type DrawChartPorts, drawChart } from '#functions/draw-chart/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { alertChart } from '#shared/domain/charts/alert-chart.ts';
import { chartToken } from '#shared/domain/charts/chart-token.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { anAlert, anHttpRequest, aPrice, NOON, PUNKS } from '#test/support/builders.ts';
import { anOutside, variablesOf } from '#test/support/outside.ts';

const KEY = 'the key of links';
const chart = alertChart(anAlert(), undefined);
const TOKEN = (chart && chartToken(KEY, chart, NOON)) ?? '';

/**
 * The function with a table of prices from before and after the alert. Its charts are SVG instead
 * of PNG.
 */
async function aFunction(now: Instant = NOON) {
  const table = createMemoryTable();
  const history = createHistoryStore(table);
  for (const [price, time] of [
    ['70', NOON - 40 * DAY],
    ['64', NOON - 3 * DAY],
    ['62', NOON - 12 * HOUR],
    ['59.9', NOON],
    ['1', NOON + MINUTE],
  ] as const) {
    await history.record(PUNKS, 'floor', [aPrice(price, { time })]);
  }
  const query = vi.spyOn(table, 'query');
  const variables = { ...variablesOf(), RENDERER_FOLDER: 'unread' };
  const outside = anOutside({ variables, now: () => now, table: () => table });
  const ports: DrawChartPorts = {
    ...composeDrawChart(outside).ports,
    readKey: async () => KEY,
    render: async (svg) => Buffer.from(svg),
  };
  const ask = (name: string) =>
    drawChart(ports, anHttpRequest('GET /v1/charts/{chart}', { path: { chart: name } }));
  return { ask, query };
}

it('a chart shows the recorded prices up to the alert, starting with the price before its span', async () => {
  const { ask } = await aFunction(NOON + HOUR);

  const { statusCode, headers, isBase64Encoded, body } = await ask(`${TOKEN}.png`);
  const svg = Buffer.from(body, 'base64').toString();
  const [, line = ''] = /<path d="([^"]+)" fill="none"/.exec(svg) ?? [];

  expect({ statusCode, isBase64Encoded }).toEqual({ statusCode: 200, isBase64Encoded: true });
  expect(headers).toMatchObject({
    ...{ 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=86400' },
  });
  expect(line.match(/[MH][\d.]+/g)).toEqual(['M28', 'H338', 'H648', 'H648']);
  expect(svg).toContain('>CryptoPunks<');
});

it('a chart request reads only the prices that the chart shows, even long after the alert', async () => {
  const { ask, query } = await aFunction(NOON + HOUR);

  await ask(`${TOKEN}.png`);

  expect(query.mock.calls.length).toBe(2);
  for (const [{ pk, range }] of query.mock.calls) {
    expect(pk).toBe(`HISTORY#${PUNKS}`);
    expect(range.to <= 'floor#H#2026-11-21T12:00:00.000Z').toBe(true);
  }
});

it('a chart is cached no longer than its address is valid', async () => {
  const { ask } = await aFunction(NOON + 30 * DAY - HOUR);

  expect((await ask(TOKEN)).headers?.['Cache-Control']).toBe('public, max-age=3600');
});

it.each([
  { what: 'a forged address', name: `${TOKEN.slice(0, -4)}AAAA`, now: NOON, type: 'not_found' },
  { what: 'no address', name: '.png', now: NOON, type: 'not_found' },
  { what: 'an expired address', name: TOKEN, now: NOON + 30 * DAY, type: 'gone' },
])('a chart request with $what is refused without reading prices', async ({ name, now, type }) => {
  const { ask, query } = await aFunction(now);

  await expect(ask(name)).rejects.toMatchObject({ code: type });
  expect(query).not.toHaveBeenCalled();
});
