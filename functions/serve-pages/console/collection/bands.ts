import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts';

/** The prices between the two edges of a rule. */
export type Band = { readonly low: number; readonly high: number };

/** Draws the bands of rules behind the price, and reports each painting of the chart. */
export function createBands(onPaint: () => void) {
  let attached: SeriesAttachedParameter<Time> | undefined;
  let bands: readonly Band[] = [];
  let colour = 'transparent';

  const renderer: IPrimitivePaneRenderer = {
    draw: () => {},
    drawBackground: (target) =>
      target.useMediaCoordinateSpace(({ context, mediaSize }) => {
        context.fillStyle = colour;
        for (const { low, high } of bands) {
          const top = attached?.series.priceToCoordinate(high) ?? null;
          const bottom = attached?.series.priceToCoordinate(low) ?? null;
          if (top === null || bottom === null) continue;
          context.fillRect(0, top, mediaSize.width, bottom - top);
        }
        onPaint();
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
    show: (shown: readonly Band[]) => {
      bands = shown;
      attached?.requestUpdate();
    },
    paint: (painted: string) => {
      colour = painted;
      attached?.requestUpdate();
    },
  };
}
