import { describe, expect, it } from 'vitest';
import {
  CHART_SIZE,
  drawPriceChart,
  MOST_POINTS,
  type PriceChart,
} from '#shared/domain/charts/price-chart.ts';
import { textWidth } from '#shared/domain/charts/text-width.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { eth, NOON } from '#test/support/builders.ts';

/** The edges of every plot, and the x coordinate of the alert's time. */
const [LEFT, MOMENT, TOP, BOTTOM] = [28, 648, 118, 358];

function aChart(given: Partial<PriceChart> = {}): PriceChart {
  return {
    ...{ title: 'CryptoPunks', subtitle: 'Floor price at or below 60 ETH', value: '59.9 ETH' },
    ...{ tone: 'warning', unit: 'eth', from: NOON - DAY, moment: NOON, gaps: [] },
    points: [
      { time: NOON - 2 * DAY, price: eth('64') },
      { time: NOON - 12 * HOUR, price: eth('62') },
      { time: NOON, price: eth('59.9') },
    ],
    thresholds: [eth('60')],
    ...given,
  };
}

/** The lines of the price, each as a list of corners. */
function linesIn(svg: string) {
  return [...svg.matchAll(/<path d="([^"]+)" fill="none"/g)].map(([, path = '']) => {
    let [x, y] = [0, 0];
    return [...path.matchAll(/([MHV])([\d.-]+)(?: ([\d.-]+))?/g)].map(([, to, first, second]) => {
      if (to !== 'V') x = Number(first);
      if (to === 'V') y = Number(first);
      if (second !== undefined) y = Number(second);
      return [x, y] as const;
    });
  });
}

/** The y coordinates of the dashed lines: thresholds, then the recovery threshold. */
const dashedIn = (svg: string) =>
  [...svg.matchAll(/<path d="M28 ([\d.]+)H664"[^>]*dasharray="(\d+)/g)].map(([, y, dash]) => ({
    y: Number(y),
    isRecovery: dash === '3',
  }));

const textsIn = (svg: string) =>
  [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" font-size="(\d+)"([^>]*)>([^<]*)</g)].map(
    ([, x, y, size, rest = '', text = '']) => ({
      ...{ x: Number(x), y: Number(y), size: Number(size), text },
      anchor: /anchor="(\w+)"/.exec(rest)?.[1] ?? 'start',
    }),
  );

describe('the price line', () => {
  it("draws the price as steps, from the value before the range up to the alert's time", () => {
    const [line = [], ...others] = linesIn(drawPriceChart(aChart()));
    const middle = (LEFT + MOMENT) / 2;

    expect(others).toEqual([]);
    expect(line.map(([x]) => x)).toEqual([LEFT, middle, middle, MOMENT, MOMENT, MOMENT]);
    const heights = line.map(([, y]) => y);
    expect(heights[0]).toBe(heights[1]);
    expect(heights[2]).toBe(heights[3]);
    // The range of 4.1 ETH has margins of a tenth above and below it, so its highest price is a
    // twelfth of the height below the top.
    expect(heights[0]).toBeCloseTo(TOP + (BOTTOM - TOP) / 12, 1);
    expect(heights[2]).toBeCloseTo(TOP + ((BOTTOM - TOP) * 2.41) / 4.92, 1);
    expect(heights[5]).toBeCloseTo(BOTTOM - (BOTTOM - TOP) / 12, 1);
  });

  it("marks the price at the alert's time with a circle", () => {
    const svg = drawPriceChart(aChart());
    const [, y] = linesIn(svg)[0]?.at(-1) ?? [];

    expect(svg).toContain(`<circle cx="${MOMENT}" cy="${y}"`);
  });

  it("draws no prices after the alert's time", () => {
    const later = { time: NOON + HOUR, price: eth('10') };
    const chart = aChart();

    expect(drawPriceChart({ ...chart, points: [...chart.points, later] })).toBe(
      drawPriceChart(chart),
    );
  });

  it('interrupts the price line at a gap, and hatches the gap', () => {
    const gap = { from: NOON - 6 * HOUR, to: NOON };
    const svg = drawPriceChart(aChart({ gaps: [gap], points: aChart().points.slice(0, 2) }));
    const end = linesIn(svg)[0]?.at(-1)?.[0];
    const x = LEFT + ((MOMENT - LEFT) * 3) / 4;

    expect(end).toBe(x);
    expect(svg).toContain(
      `<rect x="${x}" y="${TOP}" width="${MOMENT - x}" height="${BOTTOM - TOP}" fill="url(#unknown)"`,
    );
    expect(svg).toContain(`<circle cx="${x}"`);
  });

  it('starts the line at the first known price, and hatches the time before it', () => {
    const svg = drawPriceChart(aChart({ points: aChart().points.slice(1) }));

    expect(linesIn(svg)[0]?.[0]?.[0]).toBe((LEFT + MOMENT) / 2);
    expect(svg).toContain(`<rect x="${LEFT}" y="${TOP}" width="310"`);
  });

  it('hatches the whole plot if no price is known', () => {
    const svg = drawPriceChart(aChart({ points: [] }));

    expect(linesIn(svg)).toEqual([]);
    expect(svg).toContain(`<rect x="${LEFT}" y="${TOP}" width="620"`);
    expect(svg).not.toContain('<circle');
  });

  it('draws a week of minutes as a line with few corners that keeps its extremes', () => {
    const points = Array.from({ length: 10_080 }, (_, minute) => ({
      time: NOON - 7 * DAY + minute * MINUTE,
      price: eth(`${60 + (minute % 7) / 10}`),
    })).with(4321, { time: NOON - 7 * DAY + 4321 * MINUTE, price: eth('51') });
    const [line = []] = linesIn(drawPriceChart(aChart({ from: NOON - 7 * DAY, points })));
    const lowest = line.reduce((low, corner) => (corner[1] > low[1] ? corner : low));

    expect(line.length).toBeLessThan(2 * MOST_POINTS);
    expect(lowest[0]).toBeCloseTo(LEFT + ((MOMENT - LEFT) * 4321) / 10_080, 1);
    expect(lowest[1]).toBeCloseTo(BOTTOM - (BOTTOM - TOP) / 12, 1);
  });
});

describe('the threshold lines', () => {
  it('draws the threshold and the recovery threshold at their prices', () => {
    const svg = drawPriceChart(aChart({ recover: eth('62') }));
    const [first = [], step = []] = [linesIn(svg)[0]?.[0], linesIn(svg)[0]?.[2]];

    const [threshold, recovery] = dashedIn(svg);
    expect(recovery).toEqual({ y: step[1], isRecovery: true });
    expect(threshold?.isRecovery).toBe(false);
    expect(threshold?.y).toBeGreaterThan(step[1] ?? 0);
    expect(first[1]).toBeLessThan(step[1] ?? 0);
  });

  it('leaves out a distant threshold, so that the price line is not flat', () => {
    const near = linesIn(drawPriceChart(aChart()));

    const svg = drawPriceChart(aChart({ recover: eth('90') }));

    expect(linesIn(svg)).toEqual(near);
    expect(dashedIn(svg).map(({ isRecovery }) => isRecovery)).toEqual([false]);
  });

  it('moves the labels of close thresholds apart', () => {
    const svg = drawPriceChart(aChart({ recover: eth('60.1') }));
    const labels = textsIn(svg).filter(({ x, y }) => x > 664 && y > TOP && y < 380);
    const apart = labels.flatMap(({ y }, index) =>
      labels.slice(index + 1).map((other) => Math.abs(other.y - y)),
    );

    expect(labels.map(({ text }) => text)).toEqual(expect.arrayContaining(['60', '60.1']));
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(24);
  });
});

it("shades the episode from its start to the alert's time", () => {
  const svg = drawPriceChart(aChart({ episodeFrom: NOON - 6 * HOUR }));

  expect(svg).toMatch(
    /<rect x="493" y="118" width="155" height="240" fill="#\w+" fill-opacity="0.16"/,
  );
  expect(drawPriceChart(aChart())).not.toContain('fill-opacity="0.16"');
});

it('colours a chart by its tone', () => {
  const colorOf = (tone: PriceChart['tone']) =>
    /<circle[^>]*r="9" fill="(#\w+)"/.exec(drawPriceChart(aChart({ tone })))?.[1];
  const colors = (['info', 'warning', 'critical', 'resolved'] as const).map(colorOf);

  expect(new Set(colors).size).toBe(4);
});

it('escapes names and subtitles in the SVG', () => {
  const svg = drawPriceChart(aChart({ title: '<b>&"', subtitle: '</svg>' }));

  expect(textsIn(svg).map(({ text }) => text)).toEqual(
    expect.arrayContaining(['&lt;b&gt;&amp;"', '&lt;/svg&gt;']),
  );
});

const LONG = 'W'.repeat(100);
it.each<Partial<PriceChart>>([
  {},
  { title: LONG, subtitle: LONG, value: LONG, unit: LONG },
  { thresholds: [eth('59.999999999999999999')], recover: eth('60.12345678901234567') },
  {
    unit: 'usd',
    thresholds: [eth('123456789.12')],
    points: [{ time: NOON, price: eth('98765432101.987') }],
  },
  { points: [{ time: NOON, price: eth('0.000000000000000001') }], thresholds: [0n] },
  { points: [{ time: NOON, price: 0n }], thresholds: [] },
  { points: [], thresholds: [] },
  { thresholds: [eth('55'), eth('66')], gaps: [{ from: NOON - 3 * HOUR, to: NOON - 2 * HOUR }] },
  { from: NOON - 7 * DAY, episodeFrom: NOON - 40 * DAY },
])('keeps every text and line of a chart within its edges: %o', (given) => {
  const svg = drawPriceChart(aChart(given));

  for (const { x, y, size, text, anchor } of textsIn(svg)) {
    const width = textWidth(text.replace(/&\w+;/g, '&'), size);
    const left = { start: x, middle: x - width / 2, end: x - width }[anchor] ?? Number.NaN;
    expect(left).toBeGreaterThanOrEqual(8);
    expect(left + width).toBeLessThanOrEqual(CHART_SIZE.width - 8);
    expect(y - size).toBeGreaterThan(0);
    expect(y).toBeLessThan(CHART_SIZE.height - 10);
    expect(size).toBeGreaterThanOrEqual(13);
  }
  for (const [x, y] of linesIn(svg).flat()) {
    expect(x).toBeGreaterThanOrEqual(LEFT);
    expect(x).toBeLessThanOrEqual(MOMENT);
    expect(y).toBeGreaterThanOrEqual(TOP);
    expect(y).toBeLessThanOrEqual(BOTTOM);
  }
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});

it.each([
  { unit: 'eth', words: ['ETH'] },
  { unit: 'ratio', words: [] },
])('shows the unit of a chart in $unit below the axis: $words', ({ unit, words }) => {
  const texts = textsIn(drawPriceChart(aChart({ unit, subtitle: '', value: '' })));

  expect(texts.filter(({ text }) => /^(eth|ratio)$/i.test(text)).map(({ text }) => text)).toEqual(
    words,
  );
});
