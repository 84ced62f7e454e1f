import { vi } from 'vitest';

type Point = { readonly x: number; readonly y: number };
type Hand = (event: { readonly time?: number; readonly point?: Point }) => void;

/** The vertical pixel at which the chart shows a price. */
const placeOf = (price: number) => 1000 - 10 * price;

/** The price scale begins right of this horizontal pixel. */
const SCALE = 60;

type Range = { readonly minValue: number; readonly maxValue: number };
type SeriesOptions = {
  readonly autoscaleInfoProvider?: (original: () => { readonly priceRange: Range }) => {
    readonly priceRange: Range;
  };
};
type PriceLine = { readonly price: number; readonly title: string };
type Slot = {
  readonly time: number;
  readonly open?: number;
  readonly close?: number;
  readonly value?: number;
};

/** Replaces the chart library by a linear scale of ten pixels for each unit of price. */
export function fakeChart() {
  const clicks: Hand[] = [];
  const moves: Hand[] = [];
  const nothing = () => undefined;
  const lines = new Set<PriceLine>();
  const candles: (readonly Slot[])[] = [];
  const bars: (readonly Slot[])[] = [];
  const scalers: NonNullable<SeriesOptions['autoscaleInfoProvider']>[] = [];
  let fitted = 0;
  const series = (kind: string, { autoscaleInfoProvider }: SeriesOptions) => {
    if (autoscaleInfoProvider !== undefined) scalers.push(autoscaleInfoProvider);
    return {
      ...{ applyOptions: nothing, attachPrimitive: nothing },
      setData: (slots: readonly Slot[]) => {
        if (kind === 'candles') candles.push(slots);
        if (kind === 'bars') bars.push(slots);
      },
      createPriceLine: (line: PriceLine) => {
        lines.add(line);
        return { applyOptions: nothing, line };
      },
      removePriceLine: ({ line }: { readonly line: PriceLine }) => lines.delete(line),
      priceToCoordinate: placeOf,
      coordinateToPrice: (y: number) => (1000 - y) / 10,
    };
  };
  vi.doMock('lightweight-charts', () => ({
    ...{
      AreaSeries: 'area',
      LineSeries: 'line',
      CandlestickSeries: 'candles',
      HistogramSeries: 'bars',
    },
    ...{ ColorType: {}, CrosshairMode: {} },
    ...{ LineStyle: {}, LineType: {} },
    createSeriesMarkers: () => ({ setMarkers: nothing }),
    createChart: () => ({
      ...{ addSeries: series, applyOptions: nothing, remove: () => lines.clear() },
      timeScale: () => ({
        fitContent: () => {
          fitted += 1;
        },
        // The height of a canvas is 0 in jsdom, so this makes the pane 1000 pixels high.
        height: () => -1000,
      }),
      // The canvas of jsdom has no width either.
      priceScale: () => ({ width: () => -SCALE, applyOptions: nothing }),
      subscribeClick: (hand: Hand) => clicks.push(hand),
      subscribeCrosshairMove: (hand: Hand) => moves.push(hand),
    }),
  }));
  return {
    /** Clicks on the chart at a price. */
    click: (price: number) => {
      for (const hand of clicks) hand({ point: { x: 0, y: placeOf(price) } });
    },
    /** Moves the pointer to a time. */
    pointAt: (time: string) => {
      for (const hand of moves) hand({ time: Date.parse(time) / 1000 });
    },
    /** The price and title of each line on the chart. */
    lines: () => [...lines].map(({ price, title }) => ({ price, title })),
    /** The scale of a chart whose prices are in a range. */
    scaleOf: (priceRange: Range) => scalers.at(-1)?.(() => ({ priceRange })).priceRange,
    /** The candles that were drawn last, without empty ones. */
    candles: () => (candles.at(-1) ?? []).filter(({ open }) => open !== undefined),
    /** The distinct heights of the bars that were drawn last. */
    bars: () => [...new Set((bars.at(-1) ?? []).map(({ value }) => value))],
    /** The number of times that the chart was zoomed out to its whole time range. */
    fitted: () => fitted,
  };
}

/** Presses and releases the pointer at a price, on the price scale or left of it. */
export function clickAt(
  window: Window & typeof globalThis,
  price: number,
  where: 'scale' | 'pane',
): void {
  const clientX = where === 'scale' ? SCALE + 1 : SCALE - 1;
  for (const type of ['pointerdown', 'pointerup']) point(window, type, price, { clientX });
}

/** Dispatches a pointer event at a price. */
export function point(
  window: Window & typeof globalThis,
  type: string,
  price: number,
  changes: PointerEventInit = {},
): void {
  const canvas = window.document.querySelector<HTMLElement>('.canvas');
  if (canvas === null) throw new Error('there is no chart');
  canvas.setPointerCapture = () => undefined;
  canvas.dispatchEvent(
    new window.PointerEvent(type, {
      ...{ clientY: placeOf(price), pointerType: 'mouse', isPrimary: true },
      ...changes,
    }),
  );
}

/** Drags from one price to another. */
export function drag(window: Window & typeof globalThis, from: number, to: number): void {
  point(window, 'pointerdown', from);
  point(window, 'pointermove', (from + to) / 2);
  point(window, 'pointermove', to);
  point(window, 'pointerup', to);
}
