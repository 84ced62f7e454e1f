import { execFileSync } from 'node:child_process';

/** The tags of releases such as `v0.3.0`, the newest last; empty in a copy without tags. */
export function tags(): readonly string[] {
  const sorted = ['tag', '--list', 'v*', '--sort=version:refname'];
  try {
    const text = execFileSync('git', sorted, { cwd: import.meta.dirname, encoding: 'utf8' });
    return text.split('\n').filter((name) => /^v\d+\.\d+\.\d+$/.test(name));
  } catch {
    return [];
  }
}
