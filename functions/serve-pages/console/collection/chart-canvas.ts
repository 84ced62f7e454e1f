import {
  AreaSeries,
  ColorType,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  type IPriceLine,
  LineSeries,
  LineStyle,
  LineType,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { type Drawn, dotsOn, layOut } from './points-on-screen.ts';
import { snapped } from './price-tick.ts';
import { createSpans, type Span } from './spans.ts';

/** A line of a rule. */
export type Line = {
  readonly id: string;
  readonly price: string;
  readonly title: string;
  readonly kind: 'threshold' | 'recover';
};

export type Marker = { readonly time: number; readonly title: string; readonly kind: string };

export type Drawing = {
  readonly from: number;
  readonly to: number;
  readonly points: readonly Drawn[];
  readonly sales: readonly Drawn[];
  readonly lines: readonly Line[];
  readonly spans: readonly Span[];
  readonly markers: readonly Marker[];
};

export type ChartEvents = {
  /** A line is on its way. */
  readonly onDrag: (id: string, price: string) => void;
  readonly onDrop: (id: string, price: string) => void;
  /** A click beside all lines. */
  readonly onPlace: (price: string) => void;
  /** What the pointer is over; undefined when it leaves. */
  readonly onPoint: (time: number | undefined) => void;
};

export type ChartCanvas = {
  readonly draw: (drawing: Drawing) => void;
  readonly destroy: () => void;
};

/** So near to a line it is meant: a finger is less exact than a mouse. */
const REACH = { mouse: 6, pen: 10, touch: 18 };

/** The chart. It knows pixels and no rules; the page beside it says everything in words too. */
export function createChartCanvas(element: HTMLElement, events: ChartEvents): ChartCanvas {
  const chart = createChart(element, {
    autoSize: true,
    // Its logo brings a style that our content security policy refuses; the page has the link.
    layout: { attributionLogo: false, fontSize: 12 },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.12, bottom: 0.12 } },
    timeScale: {
      ...{ borderVisible: false, timeVisible: true, secondsVisible: false, minBarSpacing: 0.05 },
      ...{ fixLeftEdge: true, fixRightEdge: true },
    },
    crosshair: { mode: CrosshairMode.Magnet },
    handleScroll: { vertTouchDrag: false },
    localization: { timeFormatter: (time: Time) => TIME.format(Number(time) * 1000) },
  });
  const series = chart.addSeries(AreaSeries, {
    ...{ lineType: LineType.WithSteps, lineWidth: 2, lastValueVisible: true },
    ...{ priceLineVisible: false, crosshairMarkerVisible: true },
    autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => withLines(original()),
  });
  const dots = chart.addSeries(LineSeries, {
    ...{ lineVisible: false, pointMarkersVisible: true, pointMarkersRadius: 3 },
    ...{ lastValueVisible: false, priceLineVisible: false, crosshairMarkerVisible: false },
  });
  const spans = createSpans();
  series.attachPrimitive(spans.primitive);
  const markers = createSeriesMarkers<Time>(series, []);
  let drawn: Drawing | undefined;
  let priceLines = new Map<string, IPriceLine>();
  let dragged: { readonly id: string; price: string } | undefined;

  type AutoscaleInfo = { priceRange: { minValue: number; maxValue: number } | null };
  /** Lines are to be seen, however far from the prices they are. */
  function withLines(info: AutoscaleInfo | null): AutoscaleInfo | null {
    const range = info?.priceRange;
    if (range === null || range === undefined || drawn === undefined) return info;
    const prices = drawn.lines.map(({ price }) => Number(price));
    return {
      priceRange: {
        minValue: Math.min(range.minValue, ...prices),
        maxValue: Math.max(range.maxValue, ...prices),
      },
    };
  }

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
    series.applyOptions({
      lineColor: colour('--accent'),
      topColor: colour('--accent', 0.22),
      bottomColor: colour('--accent', 0),
    });
    dots.applyOptions({ color: colour('--acknowledged') });
    spans.paint({ episode: colour('--firing', 0.14), gap: colour('--quiet', 0.35) });
    if (drawn !== undefined) draw(drawn);
  };

  const draw = (drawing: Drawing) => {
    const isOther = drawn?.from !== drawing.from || drawn.to !== drawing.to;
    drawn = drawing;
    const colour = coloursOf(element);
    const { from, to, points } = drawing;
    series.setData(
      layOut(points, from, to).map(({ time, ...slot }) => ({ time: seconds(time), ...slot })),
    );
    dots.setData(
      dotsOn(drawing.sales, from, to).map(({ time, value }) => ({ time: seconds(time), value })),
    );
    const most = Math.max(...points.map(({ value }) => value), 0);
    series.applyOptions({ priceFormat: formatFor(most) });
    dots.applyOptions({ priceFormat: formatFor(most) });
    for (const line of priceLines.values()) series.removePriceLine(line);
    priceLines = new Map(
      drawing.lines.map(({ id, price, title, kind }) => [
        id,
        series.createPriceLine({
          price: Number(dragged?.id === id ? dragged.price : price),
          title,
          color: kind === 'threshold' ? colour('--firing') : colour('--ok'),
          lineWidth: kind === 'threshold' ? 2 : 1,
          lineStyle: kind === 'threshold' ? LineStyle.Solid : LineStyle.Dashed,
          axisLabelVisible: true,
        }),
      ]),
    );
    markers.setMarkers(
      drawing.markers
        // A marker stands on the line, so none is where no price was recorded.
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
    if (isOther) chart.timeScale().fitContent();
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
    const id = lineAt(event);
    const line = drawn?.lines.find((one) => one.id === id);
    if (line === undefined) return;
    // The chart must not be moved along.
    event.stopPropagation();
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    dragged = { id: line.id, price: line.price };
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
    if (dragged === undefined) return;
    event.stopPropagation();
    const { id, price } = dragged;
    dragged = undefined;
    events.onDrop(id, price);
  };
  /** A finger on a line moves the line; without this the browser would scroll the page instead. */
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
  element.addEventListener('pointercancel', onUp, true);
  element.addEventListener('touchstart', onTouch, touching);
  element.addEventListener('touchmove', onTouch, touching);
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
    destroy: () => {
      element.removeEventListener('pointerdown', onDown, true);
      element.removeEventListener('pointermove', onMove, true);
      element.removeEventListener('pointerup', onUp, true);
      element.removeEventListener('pointercancel', onUp, true);
      element.removeEventListener('touchstart', onTouch, touching);
      element.removeEventListener('touchmove', onTouch, touching);
      theme.removeEventListener('change', paint);
      chart.remove();
    },
  };
}

const TIME = new Intl.DateTimeFormat(undefined, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});

/** Times of the axis are whole in the chart, and each is another: it takes fractions of seconds. */
function seconds(time: number): UTCTimestamp {
  return (time / 1000) as UTCTimestamp;
}

/** As many digits as the prices have that matter. */
function formatFor(price: number) {
  const digits = price <= 0 ? 2 : Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(price))));
  return { type: 'price', precision: digits, minMove: 10 ** -digits } as const;
}

/** Colours of the style sheet as the canvas takes them. */
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
