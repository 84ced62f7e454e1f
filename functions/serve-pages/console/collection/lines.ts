/**
 * A horizontal line on a chart: the threshold of a rule, its recovery threshold, or an edge of its
 * band.
 */
export type Line = {
  readonly id: string;
  /** The id of the rule, which is the same for both edges of a band. */
  readonly rule: string;
  readonly price: string;
  /** The name of the rule, shown next to the line. */
  readonly title: string;
  readonly kind: 'threshold' | 'recover' | 'low' | 'high';
};

export type Side = 'above' | 'below';

/** A line outside the visible scale, with the side on which it lies. */
export type FarLine = { readonly line: Line; readonly side: Side };

/** Returns the lines above or below the visible scale, the nearest first. */
export function linesOffScale(
  lines: readonly Line[],
  placeOf: (price: number) => number | null,
  height: number,
): readonly FarLine[] {
  return lines
    .flatMap((line) => {
      const place = placeOf(Number(line.price));
      if (place === null || (place >= 0 && place <= height)) return [];
      const side: Side = place < 0 ? 'above' : 'below';
      return [{ line, side, distance: side === 'above' ? -place : place - height }];
    })
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ line, side }) => ({ line, side }));
}

/** Finds the bands: each is the lower and the upper edge of one rule. */
export function findBands(lines: readonly Line[]) {
  return lines
    .filter(({ kind }) => kind === 'low')
    .flatMap((edge) => {
      const other = lines.find(({ rule, kind }) => rule === edge.rule && kind === 'high');
      return other === undefined ? [] : [{ low: Number(edge.price), high: Number(other.price) }];
    });
}
