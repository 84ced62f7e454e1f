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
