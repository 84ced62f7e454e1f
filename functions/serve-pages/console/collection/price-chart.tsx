import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Answer } from '#console/interface/operations.ts';
import { amount, dollars } from '#console/words/amounts.ts';
import { moment } from '#console/words/times.ts';
import type { ChartCanvas, Line, Marker } from './chart-canvas.ts';
import { Legend } from './legend.tsx';
import type { Span } from './spans.ts';

type Prices = Answer<'GET /v1/contracts/{contract}/prices'>;

type Point = Prices['points'][number];

type PriceChartProps = {
  readonly name: string;
  readonly prices: Prices;
  /** The lowest sales of some days, each as it came; undefined where none are shown. */
  readonly sales?: Prices | undefined;
  readonly inDollars: boolean;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly Line[];
  readonly spans: readonly Span[];
  readonly markers: readonly Marker[];
  readonly onDrag: (id: string, price: string) => void;
  readonly onDrop: (id: string, price: string) => void;
  /** A line that is still to be placed, by a click; undefined where none is. */
  readonly onPlace?: ((price: string) => void) | undefined;
};

/** The floor over time. The chart library is loaded when a chart is first shown. */
export function PriceChart({ sales: lowest, ...given }: PriceChartProps) {
  const sales = useMemo(() => salesIn(lowest), [lowest]);
  const props: Charted = { ...given, sales };
  const element = useRef<HTMLDivElement>(null);
  const canvas = useRef<ChartCanvas>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [pointed, setPointed] = useState<number>();
  const [isLost, setLost] = useState(false);

  const draw = () => {
    const { prices, sales: sold, inDollars, from, to, lines, spans, markers } = latest.current;
    const drawn = ({ time, price, usd }: Pick<Point, 'time' | 'price' | 'usd'>) => {
      const value = inDollars ? usd : price;
      return value === null ? [] : [{ time: Date.parse(time), value: Number(value) }];
    };
    const points = prices.points.flatMap(drawn);
    canvas.current?.draw({ from, to, points, sales: sold.flatMap(drawn), lines, spans, markers });
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
      {props.onPlace !== undefined && (
        <p class="place-line">Click on the chart to place the line, then drag it.</p>
      )}
      <div
        ref={element}
        class="canvas"
        role="img"
        aria-label={`Floor of ${props.name}: ${inWords(props)}`}
      />
      {isLost && <p class="notice bad">The chart could not be loaded. Reload the page.</p>}
      <figcaption class="row spread quiet small">
        <span aria-hidden="true">{told(props, pointed)}</span>
        <a href="https://www.tradingview.com/" rel="noreferrer">
          Charts by TradingView
        </a>
      </figcaption>
      <Legend
        lines={props.lines}
        spans={props.spans.filter(({ to }) => to >= props.from)}
        markers={props.markers.filter(({ time }) => time >= props.from)}
        hasSales={sales.some(({ time }) => isShown(time, props))}
      />
    </figure>
  );
}

/** With the sales that are drawn as dots. */
type Charted = Omit<PriceChartProps, 'sales'> & { readonly sales: readonly Point[] };

function isShown(time: string, { from, to }: Pick<PriceChartProps, 'from' | 'to'>): boolean {
  return Date.parse(time) >= from && Date.parse(time) <= to;
}

/** The chart for people who do not see it. */
function inWords({ prices: { points }, sales, inDollars, from, to }: Charted): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 'no prices in this time';
  const words = ({ price, currency, usd }: (typeof points)[number]) =>
    inDollars && usd !== null ? dollars(usd) : amount(price, currency);
  const count = sales.filter(({ time }) => isShown(time, { from, to })).length;
  const dots = count === 0 ? '' : `, with ${count === 1 ? 'one low sale' : `${count} low sales`}`;
  return `from ${words(first)} on ${moment(first.time)} to ${words(last)} on ${moment(last.time)}${dots}`;
}

/** So near to a dot it is meant. */
const REACH = 200;

/** The sales among the lowest ones that were recorded, each once, at the time of its trade. */
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

/** The price at a time, its source, and what is known against it. */
function told({ prices, sales, from, to }: Charted, at: number | undefined): string {
  const { points, gaps, disputes } = prices;
  const point =
    at === undefined ? points.at(-1) : points.findLast(({ time }) => Date.parse(time) <= at);
  if (point === undefined) return '';
  const isWithin = ({ from, to }: Prices['gaps'][number]) =>
    at !== undefined && Date.parse(from) <= at && (to === null || at <= Date.parse(to));
  const gap = gaps.find(isWithin);
  const dispute = disputes.find(isWithin);
  const reach = (to - from) / REACH;
  const sale = sales.find(
    ({ time }) => at !== undefined && Math.abs(Date.parse(time) - at) <= reach,
  );
  return [
    amount(point.price, point.currency),
    point.usd === null ? '' : dollars(point.usd),
    moment(point.time),
    point.source ?? '',
    sale === undefined ? '' : `a sale at ${amount(sale.price, sale.currency)}`,
    point.outlier ? 'an outlier that rules ignore' : '',
    gap === undefined ? '' : `no prices: ${gap.reason ?? 'not recorded'}`,
    dispute === undefined ? '' : `disputed: ${dispute.reason ?? 'providers contradict each other'}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
