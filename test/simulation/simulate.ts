import { inspect } from 'node:util';
import type { Printer } from '#infra/command-line/printer.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { type Options, readOptions } from './options.ts';
import { createProgress } from './progress.ts';
import { brokenSeedText, createTally, reportText } from './report.ts';
import { liveThrough, liveThroughTogether } from './seeds.ts';

await runCommand(readOptions, run, { inWords: inspect });

/** Runs seeds and reports violations: `npm run simulate -- --help`. */
async function run({ workers, trace, first, json, ...range }: Options, { line, write }: Printer) {
  const say = (text: string) => write(`${text}\n`);
  const seeds = { ...range, step: 1 };
  const outcomes =
    workers === 1
      ? liveThrough(seeds, trace ? say : undefined)
      : liveThroughTogether(seeds, workers);
  const begun = performance.now();
  const progress = createProgress(process.stderr, range.seeds, () => performance.now());
  const tally = createTally(range.minutes);
  let done = 0;
  for await (const outcome of outcomes) {
    done += 1;
    tally.add(outcome);
    const isBroken = outcome.violations.length > 0;
    if (isBroken || json) progress.clear();
    if (json) line(outcome);
    else if (isBroken) say(brokenSeedText(outcome));
    progress.reported(done, tally.broken.length);
    if (first && isBroken) break;
  }
  progress.clear();
  const report = tally.report((performance.now() - begun) / 1000);
  if (json) line(report);
  else say(reportText(report));
  if (report.broken.length > 0) process.exitCode = 1;
}
