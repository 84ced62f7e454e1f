import type { OverviewRow } from './overview-page.tsx';

const WIDTH = 120;
const HEIGHT = 36;
const MARGIN = 3;

/**
 * A step chart of the floor in the last day, with the nearest line. Screen readers skip it, because
 * the row states both as text.
 */
export function Sparkline({ row }: { readonly row: OverviewRow }) {
  const points = row.sparkline.map(([time, price]) => [Date.parse(time), Number(price)] as const);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined)
    return <svg class="sparkline" aria-hidden="true" />;
  const isOfFloor =
    ['floor_price', 'floor_ratio', 'list_value'].includes(row.nearest?.metric ?? '') &&
    row.nearest?.unit === row.floor?.unit;
  const line = isOfFloor && row.nearest !== null ? Number(row.nearest.line) : undefined;
  const prices = points.map(([, price]) => price);
  const [low, high] = rangeOf(line === undefined ? prices : withNear(prices, line));
  const span = Math.max(1, last[0] - first[0]);
  const x = (time: number) => ((time - first[0]) / span) * WIDTH;
  const y = (price: number) =>
    HEIGHT - MARGIN - ((price - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  const steps = points
    .map(([time, price], index) =>
      index === 0 ? `M0 ${y(price).toFixed(1)}` : `H${x(time).toFixed(1)}V${y(price).toFixed(1)}`,
    )
    .join('');
  const isSeen = line !== undefined && line >= low && line <= high;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {isSeen && <path class="line" d={`M0 ${y(line).toFixed(1)}H${WIDTH}`} />}
      <path class="floor" d={`${steps}H${WIDTH}`} />
    </svg>
  );
}

/**
 * The prices, and the line if it is so near that the scale can include it without flattening the
 * prices.
 */
function withNear(prices: readonly number[], line: number): readonly number[] {
  const [low, high] = rangeOf(prices);
  const reach = 2 * (high - low);
  return line > low - reach && line < high + reach ? [...prices, line] : prices;
}

function rangeOf(values: readonly number[]): readonly [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? [low * 0.999 - 1e-12, high * 1.001 + 1e-12] : [low, high];
}
