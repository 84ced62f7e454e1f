import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { now } from '#console/interface/connection.ts';
import type { Answer } from '#console/interface/operations.ts';
import { amount, dollars, measuredAmount, shortAmount } from '#console/words/amounts.ts';
import { capitalized, priceWord } from '#console/words/collection-name.ts';
import { ago, moment, span } from '#console/words/times.ts';
import { candleWidth, groupIntoCandles, type Quote } from './candles.ts';
import type { ChartCanvas, Marker } from './chart-canvas.ts';
import { FarLines } from './far-lines.tsx';
import { Legend } from './legend.tsx';
import type { FarLine, Line } from './lines.ts';
import type { Drawn } from './points-on-screen.ts';
import type { Span } from './spans.ts';
import { type VolumeBars, volumeBars } from './volume-bars.ts';

type Prices = Answer<'GET /v1/contracts/{contract}/prices'>;

type Point = Prices['points'][number];

type PriceChartProps = {
  readonly name: string;
  readonly prices: Prices;
  /** The recorded lowest sales of a rolling window. Undefined for a chart without sales. */
  readonly sales?: Prices | undefined;
  /**
   * The recorded volumes of a rolling window, shown as bars. Undefined for a chart without bars.
   */
  readonly volume?: Prices | undefined;
  readonly inDollars: boolean;
  readonly asCandles?: boolean;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly Line[];
  readonly spans: readonly Span[];
  readonly markers: readonly Marker[];
  readonly onDrag: (id: string, price: string) => void;
  readonly onDrop: (id: string, price: string) => void;
  /** Escape was pressed during a drag. `price` is the price of the line before the drag. */
  readonly onCancel: (id: string, price: string) => void;
  /** The id of a line that the scale always includes. */
  readonly included?: string | undefined;
  /** A click on the price scale. */
  readonly onScale?: ((price: string) => void) | undefined;
  /** A click on the chart, which sets the threshold. Undefined if the threshold is already set. */
  readonly onPlace?: ((price: string) => void) | undefined;
};

/** A chart of prices. The chart library is loaded with the first chart. */
export function PriceChart({ sales: lowest, volume, ...given }: PriceChartProps) {
  const sales = useMemo(() => salesIn(lowest), [lowest]);
  const { prices, inDollars, asCandles = false, from, to, spans } = given;
  const quotes = useMemo(() => quotesIn(prices.points, inDollars), [prices, inDollars]);
  const candles = useMemo(
    () =>
      asCandles
        ? groupIntoCandles(
            quotes,
            spans.filter(({ kind }) => kind === 'gap'),
            from,
            to,
          )
        : undefined,
    [quotes, asCandles, from, Math.floor(to / MINUTE)],
  );
  const points = useMemo(() => quotes.map(drawn), [quotes]);
  const dots = useMemo(() => quotesIn(sales, inDollars).map(drawn), [sales, inDollars]);
  const bars = useMemo(() => barsOf(volume, from, to), [volume, from, Math.floor(to / MINUTE)]);
  const [shown, setShown] = useState<readonly string[]>([]);
  const [far, setFar] = useState<readonly FarLine[]>([]);
  const included = given.included === undefined ? shown : [...shown, given.included];
  const props: Charted = { ...given, sales, volume, bars, candles, points, dots, included };
  const element = useRef<HTMLDivElement>(null);
  const canvas = useRef<ChartCanvas>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [pointed, setPointed] = useState<number>();
  const [isLost, setLost] = useState(false);
  const word = wordFor(prices);

  const draw = () => {
    const { dots: sold, bars: traded, ...drawing } = latest.current;
    canvas.current?.draw({ ...drawing, sales: sold, volume: traded });
  };

  useEffect(() => {
    let isOver = false;
    import('./chart-canvas.ts').then(
      ({ createChartCanvas }) => {
        if (isOver || element.current === null) return;
        canvas.current = createChartCanvas(element.current, {
          onDrag: (id, price) => latest.current.onDrag(id, price),
          onDrop: (id, price) => latest.current.onDrop(id, price),
          onPoint: setPointed,
          onPlace: (price) => latest.current.onPlace?.(price),
          onCancel: (id, price) => latest.current.onCancel(id, price),
          onScale: (price) => latest.current.onScale?.(price),
          onFar: setFar,
        });
        draw();
      },
      () => setLost(true),
    );
    return () => {
      isOver = true;
      canvas.current?.destroy();
      canvas.current = undefined;
    };
  }, []);
  useEffect(draw);

  return (
    <figure class="chart">
      <figcaption class="quiet small">
        <span aria-hidden="true">{pointInWords(props, pointed)}</span>
      </figcaption>
      {props.onPlace !== undefined && (
        <p class="place-line">
          Click or tap the chart to place the line. Then drag the line to move it.
        </p>
      )}
      <div class="frame">
        <div
          ref={element}
          class="canvas"
          role="img"
          aria-label={`${capitalized(word)} of ${props.name}: ${inWords(props)}`}
        />
        <FarLines
          lines={far}
          unit={inDollars ? 'usd' : (prices.points.at(-1)?.currency ?? 'eth')}
          onShow={(id) => setShown([...shown, id])}
        />
        <fieldset class="zoom">
          <legend class="unseen">Zoom</legend>
          <button type="button" aria-label="Zoom out" onClick={() => canvas.current?.zoom(2)}>
            −
          </button>
          <button type="button" aria-label="Zoom in" onClick={() => canvas.current?.zoom(0.5)}>
            +
          </button>
          <button
            type="button"
            aria-label="Reset zoom"
            onClick={() => {
              setShown([]);
              canvas.current?.showAll();
            }}
          >
            ⤢
          </button>
        </fieldset>
      </div>
      {isLost && <p class="notice bad">The chart could not be loaded. Reload the page.</p>}
      <Legend
        lines={props.lines}
        spans={props.spans.filter(({ to }) => to >= props.from)}
        markers={props.markers.filter(({ time }) => time >= props.from)}
        hasSales={sales.some(({ time }) => isShown(time, props))}
        hasCandles={asCandles}
        what={word}
        volume={bars === undefined || volume === undefined ? undefined : wordFor(volume)}
      />
      <p class="small credit">
        <a href="https://www.tradingview.com/" rel="noreferrer">
          Charts by TradingView
        </a>
      </p>
    </figure>
  );
}

/** The props, with their data converted for drawing. */
type Charted = Omit<PriceChartProps, 'sales' | 'volume' | 'included'> & {
  /** The sales that are drawn as dots. */
  readonly sales: readonly Point[];
  readonly dots: readonly Drawn[];
  readonly volume: Prices | undefined;
  readonly bars: VolumeBars | undefined;
  readonly points: readonly Drawn[];
  readonly candles: ReturnType<typeof groupIntoCandles> | undefined;
  readonly included: readonly string[];
};

const MINUTE = 60_000;

/** Prices in the currency that is shown. */
function quotesIn(points: readonly Point[], inDollars: boolean): readonly Quote[] {
  return points.flatMap(({ time, price, usd }) => {
    const value = inDollars ? usd : price;
    return value === null ? [] : [{ time: Date.parse(time), price: value }];
  });
}

/** The bars of a recorded volume. Undefined if the visible time has none. */
function barsOf(volume: Prices | undefined, from: number, to: number): VolumeBars | undefined {
  if (volume === undefined) return undefined;
  const gaps = volume.gaps.map((gap) => ({
    from: Date.parse(gap.from),
    to: gap.to === null ? to : Date.parse(gap.to),
  }));
  const found = volumeBars(quotesIn(volume.points, false), gaps, from, to);
  return found.bars.length === 0 ? undefined : found;
}

/** The word for the values of a price series, such as `volume in 7 days`. */
function wordFor({ series, contract }: Prices): string {
  const [name = ''] = series.split('.');
  if (name === 'floor') return priceWord(contract);
  const words: Readonly<Record<string, string>> = { offer: 'best offer', lowest: 'lowest sale' };
  const days = series.match(/\d+/)?.[0];
  const span = days === undefined ? '' : ` in ${days === '1' ? '1 day' : `${days} days`}`;
  return `${words[name] ?? name}${span}`;
}

/** The name and the value of the volume at a time. Empty if no volume is known. */
function volumeAt(volume: Prices | undefined, at: number): string {
  const point = volume?.points.findLast(({ time }) => Date.parse(time) <= at);
  if (volume === undefined || point === undefined) return '';
  return `${wordFor(volume)} ${shortAmount(point.price, point.currency)}`;
}

function drawn({ time, price }: Quote): Drawn {
  return { time, value: Number(price) };
}

function isShown(time: string, { from, to }: Pick<PriceChartProps, 'from' | 'to'>): boolean {
  return Date.parse(time) >= from && Date.parse(time) <= to;
}

/** The text alternative of the chart. */
function inWords({ prices: { points }, sales, volume, inDollars, from, to }: Charted): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 'no prices in this period';
  const words = ({ price, currency, usd }: (typeof points)[number]) =>
    inDollars && usd !== null ? dollars(usd) : measuredAmount(price, currency);
  const count = sales.filter(({ time }) => isShown(time, { from, to })).length;
  const dots =
    count === 0
      ? ''
      : `, with ${count === 1 ? 'one low-priced sale' : `${count} low-priced sales`}`;
  const traded = volumeAt(volume, to);
  const bars = traded === '' ? '' : `, ${traded}`;
  return `from ${words(first)} on ${moment(first.time)} to ${words(last)} on ${moment(last.time)}${dots}${bars}`;
}

/** A pointer selects a dot if their distance is at most 1/200 of the chart's width. */
const REACH = 200;

/** The distinct sales in a series of lowest sales, each at the time of its trade. */
function salesIn(sales: Prices | undefined): readonly Point[] {
  const found = new Map(
    (sales?.points ?? []).flatMap((point): [string, Point][] =>
      point.tradedAt === null
        ? []
        : [[`${point.tradedAt} ${point.price}`, { ...point, time: point.tradedAt }]],
    ),
  );
  return [...found.values()];
}

/** Describes the price at a time: its age, its source, and any outlier, gap or dispute. */
function pointInWords(charted: Charted, at: number | undefined): string {
  const { prices, sales, volume, spans, from, to } = charted;
  const { points, gaps, disputes } = prices;
  const candle = at === undefined ? undefined : candleAt(charted, at);
  const point =
    at === undefined ? points.at(-1) : points.findLast(({ time }) => Date.parse(time) <= at);
  const traded = volumeAt(volume, at ?? to);
  if (candle !== undefined) return traded === '' ? candle : `${candle} · ${traded}`;
  if (point === undefined) return '';
  const isWithin = ({ from, to }: Prices['gaps'][number]) =>
    at !== undefined && Date.parse(from) <= at && (to === null || at <= Date.parse(to));
  const gap = gaps.find(isWithin);
  const dispute = disputes.find(isWithin);
  const reach = (to - from) / REACH;
  const sale = sales.find(
    ({ time }) => at !== undefined && Math.abs(Date.parse(time) - at) <= reach,
  );
  const fired = spans.find(
    (one) => one.kind === 'episode' && at !== undefined && one.from <= at && at <= one.to,
  );
  return [
    measuredAmount(point.price, point.currency),
    point.usd === null ? '' : dollars(point.usd),
    moment(point.time),
    ago(point.time, now()),
    point.source ?? '',
    traded,
    sale === undefined ? '' : `a sale at ${amount(sale.price, sale.currency)}`,
    fired?.title === undefined ? '' : `firing: ${fired.title}`,
    point.outlier ? 'an outlier that rules ignore' : '',
    gap === undefined ? '' : `no prices: ${gap.reason ?? 'not recorded'}`,
    dispute === undefined ? '' : `disputed: ${dispute.reason ?? 'providers disagree'}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Describes the candle at a time: its prices, its width and its age. */
function candleAt(
  { candles, prices, inDollars, from, to }: Charted,
  at: number,
): string | undefined {
  const candle = candles?.findLast(({ time }) => time <= at);
  if (candle === undefined || !('open' in candle)) return undefined;
  const { time, open, high, low, close } = candle;
  const unit = inDollars ? 'usd' : (prices.points.at(-1)?.currency ?? 'eth');
  const figures = [
    ['open', open],
    ['high', high],
    ['low', low],
    ['close', close],
  ] as const;
  const begun = new Date(time).toISOString();
  return [
    ...figures.map(([name, price]) => `${name} ${measuredAmount(price, unit)}`),
    `${span(candleWidth(from, to))} from ${moment(begun)}`,
    ago(begun, now()),
  ].join(' · ');
}
