import * as z from 'zod';

/** A price that the upstream did not return. */
export type Unanswered = {
  readonly contract: string;
  readonly series: string;
  /** The reason as text, e.g. `failed, network`. */
  readonly why: string;
};

/** Reads the log of the functions and reports missing prices, each reason once per contract. */
export function readUnanswered(tell: (unanswered: Unanswered) => void): (line: string) => void {
  const reported = new Set<string>();
  return (line) => {
    // A cheap test first: nearly all lines are about other events, and some are not JSON.
    if (!line.includes('"series_not_answered"')) return;
    const read = Line.safeParse(line);
    if (!read.success) return;
    const { contract, series, kind, reason } = read.data;
    const why = [kind.replaceAll('_', ' '), ...(reason === undefined ? [] : [reason])].join(', ');
    const key = `${contract} ${why}`;
    if (reported.has(key)) return;
    reported.add(key);
    tell({ contract, series, why });
  };
}

/** The number of polls in a log line about a pass; 0 for any other line. */
export function pollsIn(line: string): number {
  if (!line.includes('"prices_polled"')) return 0;
  return Polled.safeParse(line).data?.polls ?? 0;
}

const Json = z.string().transform((text, { addIssue }): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    addIssue('no JSON');
    return z.NEVER;
  }
});
const Line = Json.pipe(
  z.object({
    event: z.literal('series_not_answered'),
    contract: z.string(),
    series: z.string(),
    kind: z.string(),
    reason: z.string().optional(),
  }),
);
const Polled = Json.pipe(z.object({ event: z.literal('prices_polled'), polls: z.int() }));
