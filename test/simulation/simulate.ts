import { HELP, type Options, OptionsError, readOptions } from './options.ts';
import { createProgress } from './progress.ts';
import { brokenSeedText, createTally, reportText } from './report.ts';
import { liveThrough, liveThroughTogether } from './seeds.ts';

/** Lives through seeds and reports what broke: `npm run simulate -- --help`. */
try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else process.exitCode = await run(options);
} catch (error) {
  if (!(error instanceof OptionsError)) throw error;
  process.stderr.write(`${error.message}\nSee npm run simulate -- --help\n`);
  process.exitCode = 2;
}

async function run({ workers, trace, first, json, ...range }: Options): Promise<number> {
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
    if (json) say(JSON.stringify(outcome));
    else if (isBroken) say(brokenSeedText(outcome));
    progress.reported(done, tally.broken.length);
    if (first && isBroken) break;
  }
  progress.clear();
  const report = tally.report((performance.now() - begun) / 1000);
  say(json ? JSON.stringify(report) : reportText(report));
  return report.broken.length === 0 ? 0 : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
