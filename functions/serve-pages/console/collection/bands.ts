import { createBehindSeries } from './behind-series.ts';

/** The prices between the two edges of a rule's band. */
export type Band = { readonly low: number; readonly high: number };

/** Draws the bands of rules behind the price, and reports each repaint of the chart. */
export function createBands(onPaint: () => void) {
  return createBehindSeries<Band, string>(
    'transparent',
    ({ context, width }, { series }, bands, colour) => {
      context.fillStyle = colour;
      for (const { low, high } of bands) {
        const top = series.priceToCoordinate(high);
        const bottom = series.priceToCoordinate(low);
        if (top === null || bottom === null) continue;
        context.fillRect(0, top, width, bottom - top);
      }
      onPaint();
    },
  );
}
