import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MUTANTS, type Mutant } from './planted-bugs.ts';

/** Plants each bug into a copy of the code, and counts the seeds until the simulation finds it. */
const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '150' }, only: { type: 'string', default: '' } },
});
const chosen = MUTANTS.filter(({ name }) => name.includes(values.only));
const survivors = chosen.filter((mutant) => {
  const { seeds, invariant } = hunt(mutant);
  const end = invariant === undefined ? `survives ${values.seeds} seeds` : `${seeds}: ${invariant}`;
  process.stdout.write(`${mutant.name}: ${end}\n`);
  return invariant === undefined;
});
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} found\n`);
process.exitCode = survivors.length === 0 ? 0 : 1;

function hunt({ name, file, from, to }: Mutant) {
  const folder = mkdtempSync(join(tmpdir(), 'mutant-'));
  try {
    for (const part of ['functions', 'shared', 'test', 'package.json']) {
      cpSync(part, join(folder, part), { recursive: true });
    }
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const code = readFileSync(file, 'utf8');
    if (!code.includes(from)) throw new Error(`${name}: ${file} has no such place any more`);
    writeFileSync(join(folder, file), code.replace(from, to));
    const run = ['test/simulation/simulate.ts', '--json', '--first', '--seeds', values.seeds];
    const { stdout, stderr } = spawnSync(process.execPath, run, { cwd: folder, encoding: 'utf8' });
    const lines = stdout.trim().split('\n').slice(0, -1);
    if (lines.length === 0) throw new Error(stderr);
    const last = JSON.parse(lines.at(-1) ?? '{}') as { violations?: { invariant: string }[] };
    return { seeds: lines.length, invariant: last.violations?.[0]?.invariant };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
