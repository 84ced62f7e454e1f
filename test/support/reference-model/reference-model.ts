import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { History } from './random-history.ts';

const LAW = '../shared/design/law.py';
const DRIVER = join(import.meta.dirname, 'driver.py');
const OUTPUT_BYTES = 1024 ** 3;

/** The results of the reference model for one history; times are in minutes. */
export type ReferenceResult = {
  /** The kind, the data time, and the value in units of 10^-18. */
  readonly alerts: readonly (readonly [kind: string, time: number, value: string | null])[];
  /** The time of each step, and the series that it changes. */
  readonly steps: readonly (readonly [at: number, changed: readonly string[]])[];
  /** The state of the watch after each answered poll. */
  readonly states: readonly string[];
};

/** Looks for the reference model next to the project; prints a warning if it is missing. */
export function hasReferenceModel(): boolean {
  const isFound = existsSync(LAW);
  if (!isFound) process.stderr.write(`SKIPPED: the reference model is not at ${LAW}\n`);
  return isFound;
}

/** Runs all histories in one Python process. */
export function runReferenceModel(histories: readonly History[]): readonly ReferenceResult[] {
  const output = execFileSync('python3', ['-B', DRIVER, LAW], {
    ...{ encoding: 'utf8', maxBuffer: OUTPUT_BYTES },
    input: JSON.stringify(histories),
  });
  return JSON.parse(output);
}
