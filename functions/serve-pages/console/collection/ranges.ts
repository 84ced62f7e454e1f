export const DAY = 86_400_000;

export type Range = {
  readonly name: string;
  /** Duration in milliseconds. Undefined for all recorded prices. */
  readonly span: number | undefined;
};

export const WEEK: Range = { name: '7d', span: 7 * DAY };
export const ALL: Range = { name: 'All', span: undefined };

/** Time ranges of the chart. */
export const RANGES: readonly Range[] = [
  { name: '1d', span: DAY },
  WEEK,
  { name: '30d', span: 30 * DAY },
  { name: '1y', span: 365 * DAY },
  ALL,
];
