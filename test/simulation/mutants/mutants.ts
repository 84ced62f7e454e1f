import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inspect, promisify } from 'node:util';
import { runCommand } from '#infra/command-line/run-command.ts';
import { type MutantOptions, readMutantOptions } from './options.ts';
import { MUTANTS, type Mutant } from './planted-bugs.ts';

/**
 * Maximum number of seeds for a bug that is listed as surviving: enough to notice if the simulation
 * finds it after all.
 */
const GLANCE = 40;

type Hunt = { readonly seeds: number; readonly invariant: string | undefined };

let found = 0;
const surprises: string[] = [];

await runCommand(readMutantOptions, huntAll, { inWords: inspect });

/** Plants the bugs: `npm run simulate:mutants -- --help`. */
async function huntAll(options: MutantOptions): Promise<void> {
  const waiting = MUTANTS.filter(({ name }) => name.includes(options.only ?? ''));
  const all = waiting.length;
  const hunters = Array.from({ length: options.workers }, async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      tell(mutant, await hunt(mutant, options));
    }
  });
  await Promise.all(hunters);
  say(`${found} of ${all} found`);
  for (const surprise of surprises) say(surprise);
  if (surprises.length > 0) process.exitCode = 1;
}

function tell({ name, survives }: Mutant, { seeds, invariant }: Hunt): void {
  if (invariant !== undefined) found += 1;
  if (invariant !== undefined && survives !== undefined) {
    surprises.push(`"${name}" is listed as surviving, but was found: remove its member "survives"`);
  }
  if (invariant === undefined && survives === undefined)
    surprises.push(`"${name}" survives: extend the simulation, or state the reason in "survives"`);
  const end = invariant === undefined ? `survives ${seeds} seeds` : `${seeds}: ${invariant}`;
  say(`${name}: ${end}${survives === undefined ? '' : ` (${survives})`}`);
}

async function hunt(
  { name, survives, also = [], ...first }: Mutant,
  { seeds, from: begin }: MutantOptions,
): Promise<Hunt> {
  const folder = mkdtempSync(join(tmpdir(), 'mutant-'));
  try {
    for (const part of ['functions', 'infra', 'shared', 'test', 'package.json']) {
      cpSync(part, join(folder, part), { recursive: true });
    }
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    for (const { file, from, to } of [first, ...also]) {
      const code = readFileSync(join(folder, file), 'utf8');
      if (!code.includes(from))
        throw new Error(`${name}: ${file} does not contain the lines to replace: update the bug`);
      writeFileSync(
        join(folder, file),
        code.replace(from, () => to),
      );
    }
    const most = survives === undefined ? seeds : Math.min(seeds, GLANCE);
    return await firstBroken(folder, most, begin);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs seeds until one of them violates an invariant. */
async function firstBroken(folder: string, most: number, from: number): Promise<Hunt> {
  const run = [
    'test/simulation/simulate.ts',
    '--json',
    '--first',
    '--workers',
    '1',
    '--seeds',
    `${most}`,
    '--from',
    `${from}`,
  ];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, run, {
    cwd: folder,
    maxBuffer: 256 * 1024 * 1024,
  }).catch((error: { stdout: string; stderr: string }) => error);
  const lines = stdout.trim().split('\n').slice(0, -1);
  if (lines.length === 0) throw new Error(stderr);
  const last = JSON.parse(lines.at(-1) ?? '{}') as { violations?: { invariant: string }[] };
  return { seeds: lines.length, invariant: last.violations?.[0]?.invariant };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
