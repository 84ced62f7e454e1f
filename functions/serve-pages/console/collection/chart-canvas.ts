import {
  AreaSeries,
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IPriceLine,
  LineSeries,
  LineStyle,
  LineType,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { createBands } from './bands.ts';
import type { Candle } from './candles.ts';
import { type FarLine, findBands, type Line, linesOffScale } from './lines.ts';
import { type Drawn, dotsOn, layOut } from './points-on-screen.ts';
import { snapped } from './price-tick.ts';
import { createSpans, type Span } from './spans.ts';
import { barsOn, type VolumeBars } from './volume-bars.ts';

export type Marker = { readonly time: number; readonly title: string; readonly kind: string };

export type Drawing = {
  readonly from: number;
  readonly to: number;
  readonly points: readonly Drawn[];
  readonly sales: readonly Drawn[];
  /** Bars below the prices, with their own scale. Undefined if no volume is recorded. */
  readonly volume: VolumeBars | undefined;
  /** Candles that replace the line. Undefined for a line. */
  readonly candles: readonly (Candle | { readonly time: number })[] | undefined;
  readonly lines: readonly Line[];
  /** The ids of lines that the price scale includes in addition to the prices. */
  readonly included: readonly string[];
  readonly spans: readonly Span[];
  readonly markers: readonly Marker[];
};

export type ChartEvents = {
  /** A dragged line has moved. */
  readonly onDrag: (id: string, price: string) => void;
  readonly onDrop: (id: string, price: string) => void;
  /**
   * A drag has ended without a drop: Escape was pressed, a second finger touched the chart, or the
   * browser took over the gesture. `price` is the price of the line before the drag.
   */
  readonly onCancel: (id: string, price: string) => void;
  /** A click that is not on a line. */
  readonly onPlace: (price: string) => void;
  /** A click on the price scale. */
  readonly onScale: (price: string) => void;
  /** The set of lines outside the scale has changed. */
  readonly onFar: (lines: readonly FarLine[]) => void;
  /** The time under the pointer. Undefined when the pointer leaves. */
  readonly onPoint: (time: number | undefined) => void;
};

export type ChartCanvas = {
  readonly draw: (drawing: Drawing) => void;
  /** Scales the visible time span around its middle. For example, 0.5 halves it. */
  readonly zoom: (part: number) => void;
  readonly showAll: () => void;
  readonly destroy: () => void;
};

/**
 * The empty fraction of the price scale above the prices. It is the same below them, unless bars
 * need more space there.
 */
const MARGIN = 0.12;
/** The fraction of the price scale below the prices that is reserved for the bars. */
const ABOVE_BARS = 0.24;
/**
 * Maximum distance in pixels at which a pointer selects a line. Touch is less exact, so its
 * distance is larger.
 */
const REACH = { mouse: 6, pen: 10, touch: 18 };
/** Maximum movement in pixels between press and release that still counts as a click. */
const CLICK = 5;

/**
 * Draws the chart and reports gestures. It does not depend on rules. The page also describes the
 * chart as text.
 */
export function createChartCanvas(element: HTMLElement, events: ChartEvents): ChartCanvas {
  const chart = createChart(element, {
    autoSize: true,
    // The logo needs a style that our content security policy blocks. The page has a link instead.
    layout: { attributionLogo: false, fontSize: 12 },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: MARGIN, bottom: MARGIN } },
    timeScale: {
      ...{ borderVisible: false, timeVisible: true, secondsVisible: false, minBarSpacing: 0.05 },
      ...{ fixLeftEdge: true, fixRightEdge: true },
    },
    crosshair: { mode: CrosshairMode.Normal },
    handleScroll: { vertTouchDrag: false },
    localization: { timeFormatter: (time: Time) => TIME.format(Number(time) * 1000) },
  });
  const series = chart.addSeries(AreaSeries, {
    ...{ lineType: LineType.WithSteps, lineWidth: 2, lastValueVisible: true },
    ...{ priceLineVisible: false, crosshairMarkerVisible: true },
    autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => withIncluded(original()),
  });
  const candles = chart.addSeries(CandlestickSeries, {
    ...{ lastValueVisible: false, priceLineVisible: false },
  });
  const dots = chart.addSeries(LineSeries, {
    ...{ lineVisible: false, pointMarkersVisible: true, pointMarkersRadius: 3 },
    ...{ lastValueVisible: false, priceLineVisible: false, crosshairMarkerVisible: false },
  });
  const bars = chart.addSeries(HistogramSeries, {
    ...{ priceScaleId: 'volume', lastValueVisible: false, priceLineVisible: false },
  });
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  const spans = createSpans();
  series.attachPrimitive(spans.primitive);
  const bands = createBands(() => reportFar());
  series.attachPrimitive(bands.primitive);
  const markers = createSeriesMarkers<Time>(series, []);
  let drawn: Drawing | undefined;
  let priceLines = new Map<string, IPriceLine>();
  let dragged: { readonly id: string; readonly from: string; price: string } | undefined;
  let pressed: { readonly x: number; readonly y: number } | undefined;
  let far: readonly FarLine[] = [];

  type AutoscaleInfo = { priceRange: { minValue: number; maxValue: number } | null };
  /**
   * Extends the scale to the included lines. For a dragged line, it uses the price before the drag,
   * so that the scale stays the same.
   */
  function withIncluded(info: AutoscaleInfo | null): AutoscaleInfo | null {
    const range = info?.priceRange;
    if (range === null || range === undefined || drawn === undefined) return info;
    const prices = drawn.lines
      .filter(({ id }) => drawn?.included.includes(id))
      .map(({ id, price }) => Number(dragged?.id === id ? dragged.from : price));
    return {
      priceRange: {
        minValue: Math.min(range.minValue, ...prices),
        maxValue: Math.max(range.maxValue, ...prices),
      },
    };
  }

  const heightOfPane = () => element.clientHeight - chart.timeScale().height();
  const reportFar = () => {
    const now = linesOffScale(
      drawn?.lines ?? [],
      (price) => series.priceToCoordinate(price),
      heightOfPane(),
    );
    if (JSON.stringify(now) === JSON.stringify(far)) return;
    far = now;
    queueMicrotask(() => events.onFar(now));
  };

  const paint = () => {
    const colour = coloursOf(element);
    chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: 'transparent' },
        textColor: colour('--quiet'),
        fontFamily: getComputedStyle(element).fontFamily,
      },
      grid: { vertLines: { color: colour('--line') }, horzLines: { color: colour('--line') } },
    });
    candles.applyOptions({
      ...{ upColor: colour('--accent'), wickUpColor: colour('--accent') },
      ...{ downColor: colour('--quiet'), wickDownColor: colour('--quiet'), borderVisible: false },
    });
    bands.paint(colour('--firing', 0.07));
    dots.applyOptions({ color: colour('--acknowledged') });
    // Bars overlap, so their colour is opaque.
    bars.applyOptions({ color: colour('--volume') });
    spans.paint({ episode: colour('--firing', 0.14), gap: colour('--quiet', 0.35) });
    if (drawn !== undefined) draw(drawn);
  };

  const draw = (drawing: Drawing) => {
    const before = drawn;
    drawn = drawing;
    const colour = coloursOf(element);
    const { from, to, points } = drawing;
    const isOther =
      before?.from !== from || (before.candles === undefined) !== (drawing.candles === undefined);
    const isNewer =
      before?.points !== points ||
      before.sales !== drawing.sales ||
      before.volume !== drawing.volume ||
      to - before.to > UNSEEN ||
      isOther;
    if (isNewer) fill(drawing);
    series.applyOptions({
      lineVisible: drawing.candles === undefined,
      lineColor: colour('--accent'),
      topColor: colour('--accent', drawing.candles === undefined ? 0.22 : 0),
      bottomColor: colour('--accent', 0),
    });
    for (const line of priceLines.values()) series.removePriceLine(line);
    priceLines = new Map(
      drawing.lines.map(({ id, price, title, kind }) => [
        id,
        series.createPriceLine({
          price: Number(dragged?.id === id ? dragged.price : price),
          title: shortened(title),
          color: kind === 'recover' ? colour('--ok') : colour('--firing'),
          lineWidth: kind === 'threshold' ? 2 : 1,
          lineStyle: kind === 'recover' ? LineStyle.Dashed : LineStyle.Solid,
          axisLabelVisible: true,
        }),
      ]),
    );
    markers.setMarkers(
      drawing.markers
        // A marker is placed on the price line, so it needs a recorded price at its time.
        .filter(({ time }) => time >= (points[0]?.time ?? to) && time <= to)
        .map(
          ({ time, kind }): SeriesMarker<Time> => ({
            time: seconds(time),
            position: 'aboveBar',
            shape: kind === 'recovered' ? 'circle' : 'arrowDown',
            color: kind === 'recovered' ? colour('--ok') : colour('--firing'),
          }),
        ),
    );
    spans.show(drawing.spans);
    bands.show(findBands(drawing.lines));
    if (isOther) chart.timeScale().fitContent();
  };

  /** Replaces the prices, candles, sales and volume. Keeps the zoom. */
  const fill = ({ from, to, points, sales, volume, candles: shown }: Drawing) => {
    const places =
      shown?.map((one) => ('close' in one ? { ...one, value: Number(one.close) } : one)) ??
      layOut(points, from, to);
    series.setData(
      places.map((place) =>
        'value' in place
          ? { time: seconds(place.time), value: place.value }
          : { time: seconds(place.time) },
      ),
    );
    candles.setData(
      (shown ?? []).map((one) =>
        'open' in one
          ? {
              time: seconds(one.time),
              ...{ open: Number(one.open), high: Number(one.high) },
              ...{ low: Number(one.low), close: Number(one.close) },
            }
          : { time: seconds(one.time) },
      ),
    );
    bars.setData(
      (volume === undefined ? [] : barsOn(volume, places)).map(({ time, value }) => ({
        time: seconds(time),
        value,
      })),
    );
    // Leaves space for the bars below the prices.
    chart.priceScale('right').applyOptions({
      scaleMargins: { top: MARGIN, bottom: volume === undefined ? MARGIN : ABOVE_BARS },
    });
    const dotted = dotsOn(sales, from, to);
    dots.setData(
      (shown === undefined ? dotted : dotsOnCandles(dotted, shown)).map(({ time, value }) => ({
        time: seconds(time),
        value,
      })),
    );
    const most = Math.max(...points.map(({ value }) => value), 0);
    for (const one of [series, candles, dots]) one.applyOptions({ priceFormat: formatFor(most) });
  };

  /** Truncates the name of a line, to fewer characters on a phone. */
  const shortened = (title: string) => {
    const most = element.clientWidth < 500 ? 18 : 40;
    return title.length > most ? `${title.slice(0, most - 1)}…` : title;
  };

  const lineAt = ({ clientY, pointerType }: PointerEvent): string | undefined => {
    const y = clientY - element.getBoundingClientRect().top;
    const reach = REACH[pointerType as keyof typeof REACH] ?? REACH.mouse;
    const near = (drawn?.lines ?? []).flatMap(({ id, price }) => {
      const at = series.priceToCoordinate(Number(price));
      return at === null || Math.abs(at - y) > reach ? [] : [{ id, distance: Math.abs(at - y) }];
    });
    return near.toSorted((one, other) => one.distance - other.distance)[0]?.id;
  };

  const onDown = (event: PointerEvent) => {
    if (!event.isPrimary) {
      // Two fingers zoom the chart, even if one of them is on a line.
      pressed = undefined;
      cancel();
      return;
    }
    pressed = { x: event.clientX, y: event.clientY };
    const id = lineAt(event);
    const line = drawn?.lines.find((one) => one.id === id);
    if (line === undefined) return;
    // Without this, the chart would scroll with the pointer.
    event.stopPropagation();
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    dragged = { id: line.id, from: line.price, price: line.price };
  };
  const onMove = (event: PointerEvent) => {
    if (dragged === undefined) {
      element.classList.toggle('on-line', lineAt(event) !== undefined);
      return;
    }
    event.stopPropagation();
    const y = event.clientY - element.getBoundingClientRect().top;
    const price = series.coordinateToPrice(y);
    if (price === null) return;
    dragged.price = snapped(price);
    priceLines.get(dragged.id)?.applyOptions({ price: Number(dragged.price) });
    events.onDrag(dragged.id, dragged.price);
  };
  const onUp = (event: PointerEvent) => {
    if (dragged === undefined) {
      clickScale(event);
      return;
    }
    event.stopPropagation();
    const { id, price } = dragged;
    dragged = undefined;
    events.onDrop(id, price);
  };
  const clickScale = ({ clientX, clientY }: PointerEvent) => {
    if (pressed === undefined) return;
    const { left, top, width } = element.getBoundingClientRect();
    const isClick = Math.hypot(clientX - pressed.x, clientY - pressed.y) < CLICK;
    pressed = undefined;
    const isOnScale = clientX - left > width - chart.priceScale('right').width();
    const price = series.coordinateToPrice(clientY - top);
    if (!isClick || !isOnScale || clientY - top > heightOfPane() || price === null) return;
    events.onScale(snapped(price));
  };
  const cancel = () => {
    if (dragged === undefined) return;
    const { id, from } = dragged;
    dragged = undefined;
    events.onCancel(id, from);
  };
  const onKey = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') cancel();
  };
  /** Without this, the browser would scroll the page when a finger drags a line. */
  const onTouch = (event: TouchEvent) => {
    if (dragged === undefined) return;
    event.stopPropagation();
    event.preventDefault();
  };
  const touching = { capture: true, passive: false };

  const theme = matchMedia('(prefers-color-scheme: dark)');
  element.addEventListener('pointerdown', onDown, true);
  element.addEventListener('pointermove', onMove, true);
  element.addEventListener('pointerup', onUp, true);
  element.addEventListener('pointercancel', cancel, true);
  element.addEventListener('touchstart', onTouch, touching);
  element.addEventListener('touchmove', onTouch, touching);
  window.addEventListener('keydown', onKey);
  theme.addEventListener('change', paint);
  chart.subscribeCrosshairMove(({ time }) => {
    events.onPoint(time === undefined ? undefined : Number(time) * 1000);
  });
  chart.subscribeClick(({ point }) => {
    const price = point === undefined ? null : series.coordinateToPrice(point.y);
    if (price !== null) events.onPlace(snapped(price));
  });
  paint();
  return {
    draw,
    zoom: (part) => {
      const shown = chart.timeScale().getVisibleLogicalRange();
      if (shown === null) return;
      const middle = (shown.from + shown.to) / 2;
      const reach = ((shown.to - shown.from) / 2) * part;
      chart.timeScale().setVisibleLogicalRange({ from: middle - reach, to: middle + reach });
    },
    showAll: () => {
      chart.timeScale().fitContent();
      chart.priceScale('right').setAutoScale(true);
    },
    destroy: () => {
      element.removeEventListener('pointerdown', onDown, true);
      element.removeEventListener('pointermove', onMove, true);
      element.removeEventListener('pointerup', onUp, true);
      element.removeEventListener('pointercancel', cancel, true);
      element.removeEventListener('touchstart', onTouch, touching);
      element.removeEventListener('touchmove', onTouch, touching);
      window.removeEventListener('keydown', onKey);
      theme.removeEventListener('change', paint);
      chart.remove();
    },
  };
}

const TIME = new Intl.DateTimeFormat(undefined, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});

/**
 * Milliseconds that the end of the line may lag behind, because a smaller step is less than a
 * pixel.
 */
const UNSEEN = 60_000;

/** Dots for the lowest sale in each candle, at the time of the candle. */
function dotsOnCandles(
  sales: readonly Drawn[],
  candles: readonly { readonly time: number }[],
): readonly Drawn[] {
  return candles.flatMap(({ time }, index) => {
    const end = candles[index + 1]?.time ?? Number.POSITIVE_INFINITY;
    const values = sales.filter((sale) => sale.time >= time && sale.time < end);
    return values.length === 0
      ? []
      : [{ time, value: Math.min(...values.map(({ value }) => value)) }];
  });
}

/** Converts milliseconds to seconds. Keeps the fraction, because two points must differ in time. */
function seconds(time: number): UTCTimestamp {
  return (time / 1000) as UTCTimestamp;
}

/** A number format with about four significant digits for prices of this size. */
function formatFor(price: number) {
  const digits = price <= 0 ? 2 : Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(price))));
  return { type: 'price', precision: digits, minMove: 10 ** -digits } as const;
}

/**
 * Returns a function that reads a colour of the style sheet in a format that the canvas supports.
 */
function coloursOf(element: HTMLElement) {
  const probe = document.createElement('span');
  element.append(probe);
  const known = new Map<string, string>();
  const read = (name: string, alpha: number) => {
    probe.style.color = `var(${name})`;
    const [red = 0, green = 0, blue = 0] = getComputedStyle(probe).color.match(/[\d.]+/g) ?? [];
    return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
  };
  queueMicrotask(() => probe.remove());
  return (name: string, alpha = 1): string => {
    const found = known.get(`${name} ${alpha}`) ?? read(name, alpha);
    known.set(`${name} ${alpha}`, found);
    return found;
  };
}
