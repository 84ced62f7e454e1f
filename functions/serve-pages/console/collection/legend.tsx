import type { Marker } from './chart-canvas.ts';
import type { Line } from './lines.ts';
import type { Span } from './spans.ts';

type LegendProps = {
  readonly lines: readonly Line[];
  readonly spans: readonly Span[];
  readonly markers: readonly Marker[];
  /** Whether sales are shown as dots. */
  readonly hasSales: boolean;
  readonly hasCandles: boolean;
  /** The name of the price that the chart shows. */
  readonly what: string;
  /** The name of the volume that is shown as bars. Undefined without bars. */
  readonly volume: string | undefined;
};

/** Explains the symbols and colours of a chart. */
export function Legend(props: LegendProps) {
  const { lines, spans, markers, hasSales, hasCandles, what, volume } = props;
  const shown = [
    ['rise', `the ${what} rose`, hasCandles],
    ['fall', `the ${what} fell`, hasCandles],
    ['threshold', 'rule threshold', lines.some(({ kind }) => kind === 'threshold')],
    ['band', 'rule band', lines.some(({ kind }) => kind === 'low')],
    ['recover', 'recovery threshold', lines.some(({ kind }) => kind === 'recover')],
    ['alert', 'alert', markers.some(({ kind }) => kind !== 'recovered')],
    ['resolved', 'resolved', markers.some(({ kind }) => kind === 'recovered')],
    ['episode', 'firing', spans.some(({ kind }) => kind === 'episode')],
    ['gap', 'no prices recorded', spans.some(({ kind }) => kind === 'gap')],
    ['sale', 'lowest sale of a period', hasSales],
    ['volume', volume, volume !== undefined],
  ] as const;
  const present = shown.filter(([, , isShown]) => isShown);
  if (present.length === 0) return null;
  return (
    <ul class="row legend quiet small" aria-label="Legend">
      {present.map(([sign, words]) => (
        <li key={sign}>
          <span class={`sign sign-${sign}`} aria-hidden="true" /> {words}
        </li>
      ))}
    </ul>
  );
}
