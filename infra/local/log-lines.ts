import * as z from 'zod';

/** A price that the upstream was asked for and did not tell. */
export type Unanswered = {
  readonly contract: string;
  readonly part: string;
  /** In words, e.g. `failed, network`. */
  readonly why: string;
};

/**
 * Reads the functions' log and reports what was not answered: for each contract each reason once.
 */
export function readUnanswered(tell: (unanswered: Unanswered) => void): (line: string) => void {
  const reported = new Set<string>();
  return (line) => {
    // Nearly all lines are of something else, and not every line is JSON.
    if (!line.includes('"part_not_answered"')) return;
    const read = Line.safeParse(line);
    if (!read.success) return;
    const { contract, part, kind, reason } = read.data;
    const why = [kind.replaceAll('_', ' '), ...(reason === undefined ? [] : [reason])].join(', ');
    const key = `${contract} ${why}`;
    if (reported.has(key)) return;
    reported.add(key);
    tell({ contract, part, why });
  };
}

/** The polls of the pass that a line of the log reports; 0 for any other line. */
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
    event: z.literal('part_not_answered'),
    contract: z.string(),
    part: z.string(),
    kind: z.string(),
    reason: z.string().optional(),
  }),
);
const Polled = Json.pipe(z.object({ event: z.literal('prices_polled'), polls: z.int() }));
