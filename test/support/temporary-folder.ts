import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

/**
 * All temporary folders of tests and their processes are in this one, which is removed at the end.
 */
const folder = mkdtempSync(join(tmpdir(), 'floorwatch-tests-'));

export function setup(): void {
  env.TMPDIR = folder;
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
