import { amount } from '#console/words/amounts.ts';
import type { FarLine, Side } from './lines.ts';

type FarLinesProps = {
  readonly lines: readonly FarLine[];
  readonly unit: string;
  /** Extends the scale to the line. */
  readonly onShow: (id: string) => void;
};

const MOST = 3;
const ARROWS = { above: '↑', below: '↓' } as const;

/** Buttons at the edges of the scale for the lines outside it, the nearest first. */
export function FarLines({ lines, unit, onShow }: FarLinesProps) {
  return (
    <>
      {(['above', 'below'] as const).map((side) => (
        <Edge
          key={side}
          {...{ side, unit, onShow }}
          lines={lines.filter((one) => one.side === side)}
        />
      ))}
    </>
  );
}

function Edge({ side, lines, unit, onShow }: FarLinesProps & { readonly side: Side }) {
  if (lines.length === 0) return null;
  const others = lines.length - MOST;
  return (
    <fieldset class={`far-lines ${side}`}>
      <legend class="unseen">Lines {side} the chart</legend>
      {lines.slice(0, MOST).map(({ line: { id, title, price, kind } }) => (
        <button key={id} type="button" class={kind} onClick={() => onShow(id)}>
          <span aria-hidden="true">{ARROWS[side]}</span>
          <strong>{amount(price, unit)}</strong>
          <span class="far-name">{title}</span>
          <span class="unseen">is {side} the chart: show it</span>
        </button>
      ))}
      {others > 0 && <span class="quiet small">{`${others} more`}</span>}
    </fieldset>
  );
}
