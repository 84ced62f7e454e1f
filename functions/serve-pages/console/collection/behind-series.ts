import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts';

/** The chart and the series that a primitive is attached to. */
export type AttachedTo = SeriesAttachedParameter<Time>;

type Media = {
  readonly context: CanvasRenderingContext2D;
  readonly height: number;
  readonly width: number;
};

/** Draws shapes behind a series, and redraws them when they or their colours change. */
export function createBehindSeries<Shape, Colours>(
  colours: Colours,
  draw: (media: Media, attached: AttachedTo, shapes: readonly Shape[], colours: Colours) => void,
) {
  let attached: AttachedTo | undefined;
  let shapes: readonly Shape[] = [];
  let painted = colours;

  const renderer: IPrimitivePaneRenderer = {
    draw: () => {},
    drawBackground: (target) =>
      target.useMediaCoordinateSpace(({ context, mediaSize }) => {
        if (attached !== undefined) draw({ context, ...mediaSize }, attached, shapes, painted);
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
    show: (shown: readonly Shape[]) => {
      shapes = shown;
      attached?.requestUpdate();
    },
    paint: (next: Colours) => {
      painted = next;
      attached?.requestUpdate();
    },
  };
}
