import { type AttachedTo, createBehindSeries } from './behind-series.ts';

/** A period that the chart marks: an episode or a gap in the prices. */
export type Span = {
  readonly from: number;
  readonly to: number;
  readonly kind: 'episode' | 'gap';
  /** The title of the episode. */
  readonly title?: string;
};

type Colours = Readonly<Record<Span['kind'], string>>;

/** Draws spans behind the price line. Episodes are shaded, and gaps are hatched. */
export function createSpans() {
  return createBehindSeries<Span, Colours>(
    { episode: 'transparent', gap: 'transparent' },
    ({ context, height }, attached, spans, colours) => {
      for (const { from, to, kind } of spans) {
        const [left, right] = [placeOf(attached, from), placeOf(attached, to)];
        if (left === null || right === null) continue;
        const width = Math.max(2, right - left);
        context.fillStyle = colours[kind];
        if (kind === 'episode') context.fillRect(left, 0, width, height);
        else hatch(context, left, width, height, colours.gap);
      }
    },
  );
}

function placeOf({ chart }: AttachedTo, time: number): number | null {
  const axis = chart.timeScale();
  const index = axis.timeToIndex((time / 1000) as never, true);
  return index === null ? null : axis.logicalToCoordinate(index as never);
}

const STEP = 8;

function hatch(
  context: CanvasRenderingContext2D,
  left: number,
  width: number,
  height: number,
  colour: string,
): void {
  context.save();
  context.beginPath();
  context.rect(left, 0, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - height; x < left + width; x += STEP) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.stroke();
  context.restore();
}
