import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '#console/interface/operations.ts';
import { amount, dollars } from '#console/words/amounts.ts';
import { moment } from '#console/words/times.ts';
import type { ChartCanvas, Line, Marker } from './chart-canvas.ts';
import type { Span } from './spans.ts';

type Prices = Answer<'GET /v1/contracts/{contract}/prices'>;

type PriceChartProps = {
  readonly name: string;
  readonly prices: Prices;
  readonly inDollars: boolean;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly Line[];
  readonly spans: readonly Span[];
  readonly markers: readonly Marker[];
  readonly onDrag: (id: string, price: string) => void;
  readonly onDrop: (id: string, price: string) => void;
};

/** The floor over time. The chart library is loaded when a chart is first shown. */
export function PriceChart(props: PriceChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const canvas = useRef<ChartCanvas>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [pointed, setPointed] = useState<number>();
  const [isLost, setLost] = useState(false);

  const draw = () => {
    const { prices, inDollars, from, to, lines, spans, markers } = latest.current;
    const points = prices.points.flatMap(({ time, price, usd }) => {
      const value = inDollars ? usd : price;
      return value === null ? [] : [{ time: Date.parse(time), value: Number(value) }];
    });
    canvas.current?.draw({ from, to, points, lines, spans, markers });
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
      <div
        ref={element}
        class="canvas"
        role="img"
        aria-label={`Floor of ${props.name}: ${inWords(props)}`}
      />
      {isLost && <p class="notice bad">The chart could not be loaded. Reload the page.</p>}
      <figcaption class="row spread quiet small">
        <span aria-hidden="true">{told(props.prices, pointed)}</span>
        <a href="https://www.tradingview.com/" rel="noreferrer">
          Charts by TradingView
        </a>
      </figcaption>
    </figure>
  );
}

/** The chart for people who do not see it. */
function inWords({ prices: { points }, inDollars }: PriceChartProps): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 'no prices in this time';
  const words = ({ price, currency, usd }: (typeof points)[number]) =>
    inDollars && usd !== null ? dollars(usd) : amount(price, currency);
  return `from ${words(first)} on ${moment(first.time)} to ${words(last)} on ${moment(last.time)}`;
}

/** The price at a time, its source, and what is known against it. */
function told({ points, gaps, disputes }: Prices, at: number | undefined): string {
  const point =
    at === undefined ? points.at(-1) : points.findLast(({ time }) => Date.parse(time) <= at);
  if (point === undefined) return '';
  const isWithin = ({ from, to }: Prices['gaps'][number]) =>
    at !== undefined && Date.parse(from) <= at && (to === null || at <= Date.parse(to));
  const gap = gaps.find(isWithin);
  const dispute = disputes.find(isWithin);
  return [
    amount(point.price, point.currency),
    point.usd === null ? '' : dollars(point.usd),
    moment(point.time),
    point.source ?? '',
    point.outlier ? 'an outlier that rules ignore' : '',
    gap === undefined ? '' : `no prices: ${gap.reason ?? 'not recorded'}`,
    dispute === undefined ? '' : `disputed: ${dispute.reason ?? 'providers contradict each other'}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
