import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkOut } from '#test/releases/last-release.ts';
import type { createCloud } from './cloud.ts';
import { eventually, step } from './steps.ts';

type Rollback = {
  readonly cloud: ReturnType<typeof createCloud>;
  readonly folder: string;
  /** The commit of the release before. */
  readonly release: string;
  /** The options of each command: which stage, and where its settings are. */
  readonly stage: readonly string[];
  /** Lets a rule of the list fire. */
  readonly cross: () => void;
  readonly nextAlert: () => Promise<{ readonly kind: string } | undefined>;
};

/** The release before is deployed over what today's code has written, and works with that. */
export async function rollBack(given: Rollback): Promise<void> {
  const { cloud, folder, release, stage, cross, nextAlert } = given;
  const checkout = join(folder, 'release');
  checkOut(release, checkout);
  const today = await cloud.codeOfFunctions();
  await step(`npm run setup of ${release} takes the stack back, and a rule fires`, async () => {
    await cloud.operate('setup/setup.ts', [...stage, '--yes'], checkout);
    assert.notDeepEqual(await cloud.codeOfFunctions(), today);
    cross();
    assert.equal((await eventually('an alert comes', nextAlert)).kind, 'fired');
  });
}
