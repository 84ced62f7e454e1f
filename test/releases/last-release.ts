import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { folderOf, frozenReleases } from './goldens.ts';
import { tags } from './tags.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * The commit of the last release: that of its tag or, in a copy without tags, the last that changed
 * what was frozen of it. `ROLLBACK_TO` names any other. Undefined where neither is there.
 */
export function lastRelease(): string | undefined {
  const { ROLLBACK_TO: given } = env;
  return given ?? tags().at(-1) ?? frozenIn();
}

function frozenIn(): string | undefined {
  const last = frozenReleases().at(-1);
  if (last === undefined) return undefined;
  const log = ['log', '-1', '--format=%h', '--', folderOf(last.version)];
  try {
    const commit = execFileSync('git', log, { cwd: ROOT, encoding: 'utf8' }).trim();
    return commit === '' ? undefined : commit;
  } catch {
    return undefined;
  }
}

/** A commit's files in a new folder, with the packages that its code asks for. */
export function checkOut(commit: string, folder: string): void {
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(ROOT)) {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  } else {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  }
}
