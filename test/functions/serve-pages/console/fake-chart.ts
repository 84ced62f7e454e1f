import { vi } from 'vitest';

type Point = { readonly x: number; readonly y: number };
type Hand = (event: { readonly time?: number; readonly point?: Point }) => void;

/** The vertical pixel of a price. */
const placeOf = (price: number) => 1000 - 10 * price;

/** Replaces the chart library by a linear scale of ten pixels for each unit of price. */
export function fakeChart() {
  const clicks: Hand[] = [];
  const moves: Hand[] = [];
  const nothing = () => undefined;
  const series = () => ({
    ...{ applyOptions: nothing, attachPrimitive: nothing, setData: nothing },
    ...{ createPriceLine: () => ({ applyOptions: nothing }), removePriceLine: nothing },
    priceToCoordinate: placeOf,
    coordinateToPrice: (y: number) => (1000 - y) / 10,
  });
  vi.doMock('lightweight-charts', () => ({
    ...{ AreaSeries: 'area', LineSeries: 'line', ColorType: {}, CrosshairMode: {} },
    ...{ LineStyle: {}, LineType: {} },
    createSeriesMarkers: () => ({ setMarkers: nothing }),
    createChart: () => ({
      ...{ addSeries: series, applyOptions: nothing, remove: nothing },
      timeScale: () => ({ fitContent: nothing }),
      subscribeClick: (hand: Hand) => clicks.push(hand),
      subscribeCrosshairMove: (hand: Hand) => moves.push(hand),
    }),
  }));
  return {
    /** Clicks at a price. */
    click: (price: number) => {
      for (const hand of clicks) hand({ point: { x: 0, y: placeOf(price) } });
    },
    /** Moves the pointer to a time. */
    pointAt: (time: string) => {
      for (const hand of moves) hand({ time: Date.parse(time) / 1000 });
    },
  };
}

/** Drags from one price to another. */
export function drag(window: Window & typeof globalThis, from: number, to: number): void {
  const canvas = window.document.querySelector<HTMLElement>('.canvas');
  if (canvas === null) throw new Error('there is no chart');
  canvas.setPointerCapture = () => undefined;
  const moves = [
    ['pointerdown', from],
    ['pointermove', (from + to) / 2],
    ['pointermove', to],
    ['pointerup', to],
  ] as const;
  for (const [type, price] of moves) {
    canvas.dispatchEvent(
      new window.PointerEvent(type, { clientY: placeOf(price), pointerType: 'mouse' }),
    );
  }
}
