import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts';

/** A time that the chart shades: an episode, or one without prices. */
export type Span = {
  readonly from: number;
  readonly to: number;
  readonly kind: 'episode' | 'gap';
  /** What fired. */
  readonly title?: string;
};

type Colours = Readonly<Record<Span['kind'], string>>;
type Box = { readonly left: number; readonly right: number; readonly kind: Span['kind'] };

/** Draws spans of time behind the line: episodes shaded, gaps hatched. */
export function createSpans() {
  let attached: SeriesAttachedParameter<Time> | undefined;
  let spans: readonly Span[] = [];
  let colours: Colours = { episode: 'transparent', gap: 'transparent' };

  const boxes = (): readonly Box[] => {
    const axis = attached?.chart.timeScale();
    const placeOf = (time: number) => {
      const index = axis?.timeToIndex((time / 1000) as never, true) ?? null;
      return index === null ? null : (axis?.logicalToCoordinate(index as never) ?? null);
    };
    return spans.flatMap(({ from, to, kind }) => {
      const [left, right] = [placeOf(from), placeOf(to)];
      return left === null || right === null ? [] : [{ left, right, kind }];
    });
  };

  const renderer: IPrimitivePaneRenderer = {
    draw: () => {},
    drawBackground: (target) =>
      target.useMediaCoordinateSpace(({ context, mediaSize }) => {
        for (const { left, right, kind } of boxes()) {
          const width = Math.max(2, right - left);
          context.fillStyle = colours[kind];
          if (kind === 'episode') context.fillRect(left, 0, width, mediaSize.height);
          else hatch(context, left, width, mediaSize.height, colours.gap);
        }
      }),
  };
  const view: IPrimitivePaneView = { renderer: () => renderer, zOrder: () => 'bottom' };
  const primitive: ISeriesPrimitive<Time> = {
    attached: (parameters) => {
      attached = parameters;
    },
    detached: () => {
      attached = undefined;
    },
    paneViews: () => [view],
  };
  return {
    primitive,
    show: (shown: readonly Span[]) => {
      spans = shown;
      attached?.requestUpdate();
    },
    paint: (painted: Colours) => {
      colours = painted;
      attached?.requestUpdate();
    },
  };
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
