import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

/** All folders that tests and what they start make for a while lie in one, which goes with them. */
const folder = mkdtempSync(join(tmpdir(), 'floorwatch-tests-'));

export function setup(): void {
  env.TMPDIR = folder;
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
