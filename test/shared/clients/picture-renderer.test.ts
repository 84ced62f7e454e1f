import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { writeRenderer } from '#infra/stack/renderer-files.ts';
import { createPictureRenderer } from '#shared/clients/picture-renderer.ts';
import { drawPriceChart, type PriceChart } from '#shared/domain/charts/price-chart.ts';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { eth, NOON } from '#test/support/builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'floorwatch-renderer-'));
writeRenderer(folder);
afterAll(() => rmSync(folder, { recursive: true }));
const render = createPictureRenderer(() => ({
  wasm: readFileSync(join(folder, 'renderer.wasm')),
  font: readFileSync(join(folder, 'font.ttf')),
}));

const chart: PriceChart = {
  ...{ title: 'Bored Ape Yacht Club', subtitle: 'Floor price at or below 9.5 ETH' },
  ...{ value: '9.31 ETH', tone: 'critical', unit: 'eth', from: NOON - DAY, moment: NOON },
  points: Array.from({ length: 1440 }, (_, minute) => ({
    time: NOON - DAY + minute * MINUTE,
    price: eth((9.5 + Math.sin(minute / 90) / 2 + (minute % 11) / 100).toFixed(3)),
  })),
  gaps: [{ from: NOON - DAY / 4, to: NOON - DAY / 5 }],
  ...{ thresholds: [eth('9.5')], recover: eth('9.8'), episodeFrom: NOON - DAY / 3 },
};

/** One line of pixels of a PNG, each pixel as the hex digits of red, green and blue. */
function pixelsIn(png: Buffer, line: number): readonly string[] {
  const [width, length] = [png.readUInt32BE(16), png.readUInt32BE(33)];
  const lines = inflateSync(png.subarray(41, 41 + length));
  const start = line * (3 * width + 1) + 1;
  return Array.from({ length: width }, (_, x) =>
    lines.subarray(start + 3 * x, start + 3 * x + 3).toString('hex'),
  );
}

it('renders a PNG at twice the size of the drawing, and the file is small even with many details', async () => {
  const png = await render(drawPriceChart(chart));

  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1600, 840]);
  expect(png.length).toBeLessThan(60_000);
});

it('renders the shapes and texts of a drawing', async () => {
  const png = await render(drawPriceChart(chart));
  const without = await render(drawPriceChart({ ...chart, title: ' ', value: ' ' }));

  const background = '12161f';
  expect(pixelsIn(png, 2).every((pixel) => pixel === background)).toBe(true);
  // The line through the middle of the title and the value.
  const drawn = pixelsIn(png, 80).filter((pixel) => pixel !== background);
  expect(drawn.length).toBeGreaterThan(100);
  expect(drawn).toContain('f4f6fa');
  expect(drawn).toContain('ff6b6b');
  expect(new Set(pixelsIn(without, 80))).toEqual(new Set([background]));
});
