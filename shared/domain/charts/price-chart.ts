import type { Tone } from '#shared/domain/alerting/notification.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { RATIO_UNIT } from '#shared/domain/market/floor-ratio.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { type PriceRange, priceLabel, priceRange, priceTicks } from './price-axis.ts';
import { fitText, textWidth } from './text-width.ts';
import { type PricedAt, thinOut } from './thin-out.ts';
import { momentLabel, timeTicks } from './time-axis.ts';

/** The content of a chart: the prices before a time, and the texts of an alert. */
export type PriceChart = {
  readonly title: string;
  /** The rule in words. */
  readonly subtitle: string;
  /** The reported value; empty if there is none. */
  readonly value: string;
  readonly tone: Tone;
  /** The currency of all prices, or the unit of ratios. */
  readonly unit: string;
  readonly from: Instant;
  /** The time of the alert, at which the chart ends. */
  readonly moment: Instant;
  /** Sorted by time. The first point may be before `from`. */
  readonly points: readonly PricedAt[];
  /** The spans without known prices. */
  readonly gaps: readonly Span[];
  readonly thresholds: readonly Decimal[];
  readonly recover?: Decimal | undefined;
  /** The start of the episode; undefined without an episode, or if it starts with this alert. */
  readonly episodeFrom?: Instant | undefined;
};

type Span = { readonly from: Instant; readonly to: Instant };

/** The size of the SVG's `viewBox`. On a phone two or three units share one CSS pixel. */
export const CHART_SIZE = { width: 800, height: 420 } as const;
const EDGE = 28;
const PLOT = { left: EDGE, right: 664, top: 118, bottom: 358 } as const;
/** Space to the right of the alert's time, for its mark. */
const AFTER = 16;
const AXIS = { left: PLOT.right + 14, right: CHART_SIZE.width - 16 } as const;
const PILL = 32;
/** More points than this cannot be distinguished. */
export const MOST_POINTS = 600;

/** The chart has its own background, so that it is legible on white and on dark pages. */
const COLORS = {
  panel: '#12161f',
  unknown: '#2c3443',
  grid: '#252c3a',
  text: '#f4f6fa',
  muted: '#a3aec2',
  line: '#dfe7f5',
} as const;
const TONES: Readonly<Record<Tone, string>> = {
  info: '#6cb2ff',
  warning: '#ffb84d',
  critical: '#ff6b6b',
  resolved: '#4fd68c',
};

/** Draws a chart as SVG. */
export function drawPriceChart(chart: PriceChart): string {
  const { points, thresholds, recover, moment } = chart;
  const shown = thinOut(visible(points, chart), MOST_POINTS);
  const besides = [...thresholds, ...(recover === undefined ? [] : [recover])];
  const range = priceRange(
    shown.map(({ price }) => price),
    besides,
  );
  const scale = scaleOf(chart, range);
  const stretches = knownStretches(shown, chart);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CHART_SIZE.width} ${CHART_SIZE.height}" font-family="Inter, sans-serif">`,
    `<defs><pattern id="unknown" width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="4" height="12" fill="${COLORS.unknown}"/></pattern></defs>`,
    `<rect width="${CHART_SIZE.width}" height="${CHART_SIZE.height}" fill="${COLORS.panel}"/>`,
    ...header(chart),
    ...grid(chart, range, scale),
    ...unknown(chart, stretches, scale),
    ...episode(chart, scale),
    ...stretches.flatMap((stretch) => priceLine(stretch, scale)),
    ...lines(chart, range, scale),
    ...mark(chart, shown, scale),
    '</svg>',
    '',
  ].join('\n');

  function visible(all: readonly PricedAt[], { from }: PriceChart): readonly PricedAt[] {
    const before = all.findLast(({ time }) => time <= from);
    const since = all.filter(({ time }) => time > from && time <= moment);
    return before === undefined ? since : [{ ...before, time: from }, ...since];
  }
}

type Scale = { readonly x: (time: Instant) => number; readonly y: (price: Decimal) => number };

/** The coordinates of a time and a price, rounded to hundredths. */
function scaleOf({ from, moment }: PriceChart, { low, high }: PriceRange): Scale {
  const width = PLOT.right - AFTER - PLOT.left;
  const height = BigInt((PLOT.bottom - PLOT.top) * 100);
  return {
    x: (time) => rounded(PLOT.left + (width * (time - from)) / (moment - from)),
    y: (price) => PLOT.top + Number(((high - price) * height) / (high - low)) / 100,
  };
}

type Stretch = Span & { readonly points: readonly PricedAt[] };

/** The runs of prices between gaps, each with the time until which its last price was valid. */
function knownStretches(points: readonly PricedAt[], { gaps, moment }: PriceChart) {
  const ends = [...gaps, { from: moment, to: moment }].toSorted((a, b) => a.from - b.from);
  return ends.flatMap((gap, index): readonly Stretch[] => {
    const start = ends[index - 1]?.to ?? Number.NEGATIVE_INFINITY;
    const within = points.filter(({ time }) => time >= start && time <= gap.from);
    const from = within[0]?.time;
    return from === undefined ? [] : [{ from, to: gap.from, points: within }];
  });
}

/** Draws the collection and the rule on the left, the value and the time on the right. */
function header({ title, subtitle, value, tone, moment }: PriceChart): readonly string[] {
  const { width } = CHART_SIZE;
  const room = width - 2 * EDGE;
  const amount = fitText(value, room / 2, { most: 34, least: 22 });
  const when = momentLabel(moment);
  const named = fitText(title, room - textWidth(amount.text, amount.size) - 20, {
    ...{ most: 34, least: 26 },
  });
  const ruled = fitText(subtitle, room - textWidth(when, 21) - 20, { most: 24, least: 19 });
  const right = { x: width - EDGE, anchor: 'end' } as const;
  return [
    written(named.text, { x: EDGE, y: 52, size: named.size, fill: COLORS.text }),
    written(amount.text, { ...right, y: 52, size: amount.size, fill: TONES[tone] }),
    written(ruled.text, { x: EDGE, y: 88, size: ruled.size, fill: COLORS.muted }),
    written(when, { ...right, y: 88, size: 21, fill: COLORS.muted }),
  ];
}

function grid(chart: PriceChart, range: PriceRange, { x, y }: Scale): readonly string[] {
  const { from, moment, unit } = chart;
  const taken = pillsOf(chart, range, y).map((pill) => pill.y);
  const prices = priceTicks(range).flatMap((price) => {
    const at = y(price);
    const isFree = taken.every((other) => Math.abs(other - at) >= PILL);
    return [
      `<path d="M${PLOT.left} ${at}H${PLOT.right}" stroke="${COLORS.grid}" stroke-width="2"/>`,
      ...(isFree ? [axisLabel(axisText(priceLabel(price, unit)), at, COLORS.muted)] : []),
    ];
  });
  const times = timeTicks(from, moment).flatMap(({ time, label }) => {
    const at = x(time);
    const half = textWidth(label, 22) / 2;
    if (at - half < EDGE / 2 || at + half > AXIS.left) return [];
    return [written(label, { x: at, y: 394, size: 22, fill: COLORS.muted, anchor: 'middle' })];
  });
  return [...prices, ...times, ...currency(unit)];
}

/** The currency below the axis; omitted for ratios. */
function currency(unit: string): readonly string[] {
  if (unit === RATIO_UNIT) return [];
  const money = fitText(unit.toUpperCase(), AXIS.right - AXIS.left, { most: 22, least: 14 });
  return [written(money.text, { x: AXIS.left, y: 394, size: money.size, fill: COLORS.muted })];
}

/** Hatches the spans without known prices. */
function unknown(
  { from, moment }: PriceChart,
  stretches: readonly Stretch[],
  { x }: Scale,
): readonly string[] {
  const begins = [...stretches.map((stretch) => stretch.from), moment];
  const ends = [from, ...stretches.map(({ to }) => to)];
  return begins.flatMap((to, index) => {
    const [left, right] = [x(ends[index] ?? from), x(to)];
    if (left >= right) return [];
    const hatched = column(left, right, 'url(#unknown)');
    return right - left < NO_DATA.width + 16 ? [hatched] : [hatched, noData((left + right) / 2)];
  });
}

const NO_DATA = { width: 100, height: 34 } as const;

function noData(x: number): string {
  const y = (PLOT.top + PLOT.bottom) / 2;
  const { width, height } = NO_DATA;
  return [
    `<rect x="${rounded(x - width / 2)}" y="${y - height / 2}" width="${width}" height="${height}" rx="8" fill="${COLORS.panel}"/>`,
    written('no data', { x: rounded(x), y: y + 7, size: 21, fill: COLORS.muted, anchor: 'middle' }),
  ].join('');
}

/** Shades the episode in the colour of its severity, even after its end. */
function episode({ episodeFrom, from, moment, tone }: PriceChart, { x }: Scale): readonly string[] {
  if (episodeFrom === undefined) return [];
  const shade = TONES[tone === 'resolved' ? 'warning' : tone];
  const left = x(Math.max(from, episodeFrom));
  return [
    column(left, x(moment), shade, 0.16),
    ...(episodeFrom > from
      ? [
          `<path d="M${left} ${PLOT.top}V${PLOT.bottom}" stroke="${shade}" stroke-width="2" stroke-opacity="0.5"/>`,
        ]
      : []),
  ];
}

function column(left: number, right: number, fill: string, opacity = 1): string {
  const width = rounded(right - left);
  return `<rect x="${left}" y="${PLOT.top}" width="${width}" height="${PLOT.bottom - PLOT.top}" fill="${fill}" fill-opacity="${opacity}"/>`;
}

/** Draws prices as steps, because a price holds until the next one. */
function priceLine({ points, from, to }: Stretch, { x, y }: Scale): readonly string[] {
  const [first, ...others] = points;
  if (first === undefined) return [];
  const steps = others.map(({ time, price }) => `H${x(time)}V${y(price)}`).join('');
  const line = `M${x(from)} ${y(first.price)}${steps}H${x(to)}`;
  return [
    `<path d="${line}V${PLOT.bottom}H${x(from)}Z" fill="${COLORS.line}" fill-opacity="0.1"/>`,
    `<path d="${line}" fill="none" stroke="${COLORS.line}" stroke-width="4" stroke-linejoin="round" stroke-linecap="round"/>`,
  ];
}

type Pill = { readonly y: number; readonly price: Decimal; readonly isRecovery: boolean };

/** The threshold lines within the chart, with labels on the axis that do not overlap. */
function pillsOf(
  { thresholds, recover }: PriceChart,
  { low, high }: PriceRange,
  y: Scale['y'],
): readonly Pill[] {
  const all = [
    ...thresholds.map((price) => ({ price, isRecovery: false })),
    ...(recover === undefined ? [] : [{ price: recover, isRecovery: true }]),
  ];
  const placed: Pill[] = [];
  for (const { price, isRecovery } of all) {
    if (price < low || price > high) continue;
    const at = y(price);
    const near = placed.find((other) => Math.abs(other.y - at) < PILL);
    const side = near !== undefined && near.price > price ? 1 : -1;
    placed.push({ price, isRecovery, y: near === undefined ? at : near.y + side * (PILL + 2) });
  }
  return placed;
}

function lines(chart: PriceChart, range: PriceRange, { y }: Scale): readonly string[] {
  return pillsOf(chart, range, y).flatMap(({ price, isRecovery, y: at }) => {
    const color = isRecovery
      ? TONES.resolved
      : TONES[chart.tone === 'resolved' ? 'warning' : chart.tone];
    const dashes = isRecovery ? '3 9' : '14 8';
    const label = axisText(priceLabel(price, chart.unit));
    const width = Math.ceil(textWidth(label.text, label.size)) + 16;
    return [
      `<path d="M${PLOT.left} ${y(price)}H${PLOT.right}" stroke="${color}" stroke-width="3" stroke-dasharray="${dashes}" stroke-linecap="round"/>`,
      `<rect x="${AXIS.left - 8}" y="${rounded(at - PILL / 2)}" width="${width}" height="${PILL}" rx="8" fill="${isRecovery ? COLORS.panel : color}" stroke="${color}" stroke-width="2"/>`,
      axisLabel(label, at, isRecovery ? color : COLORS.panel),
    ];
  });
}

/** Marks the point of the alert. */
function mark(
  { moment, tone, gaps }: PriceChart,
  points: readonly PricedAt[],
  { x, y }: Scale,
): readonly string[] {
  const last = points.at(-1);
  if (last === undefined) return [];
  const known = gaps.find(({ from, to }) => from >= last.time && to >= moment)?.from ?? moment;
  const at = `cx="${x(known)}" cy="${y(last.price)}"`;
  return [
    `<circle ${at} r="16" fill="${TONES[tone]}" fill-opacity="0.3"/>`,
    `<circle ${at} r="9" fill="${TONES[tone]}" stroke="${COLORS.panel}" stroke-width="3"/>`,
  ];
}

type Fitted = ReturnType<typeof fitText>;

function axisText(text: string): Fitted {
  return fitText(text, AXIS.right - AXIS.left, { most: 24, least: 13 });
}

function axisLabel({ text, size }: Fitted, y: number, fill: string): string {
  return written(text, { x: AXIS.left, y: rounded(y + size * 0.36), size, fill });
}

type Place = {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly fill: string;
  readonly anchor?: 'middle' | 'end';
};

function written(text: string, { x, y, size, fill, anchor }: Place): string {
  const anchored = anchor === undefined ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}"${anchored}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function rounded(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
