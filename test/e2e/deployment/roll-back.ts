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
  readonly floorIs: (price: string) => void;
  readonly nextAlert: () => Promise<{ readonly kind: string; readonly value: string } | undefined>;
};

/** The release before is deployed over what today's code has written, and today's over that. */
export async function rollBack(given: Rollback): Promise<void> {
  const { cloud, folder, release, stage, floorIs, nextAlert } = given;
  const before = join(folder, 'release');
  checkOut(release, before);
  const deployed = await cloud.codeOfFunctions();
  const deploy = async (checkout?: string) => {
    await cloud.operate('setup/setup.ts', [...stage, '--yes'], checkout);
    return await cloud.codeOfFunctions();
  };
  const next = async () => {
    const { kind, value } = await eventually('an alert comes', nextAlert);
    return { kind, value };
  };

  await step(
    `setup of ${release} takes the stack back, and its code ends the episode`,
    async () => {
      const rolledBack = await deploy(before);
      assert.notDeepEqual(rolledBack, deployed);
      floorIs('65');
      assert.deepEqual(await next(), { kind: 'recovered', value: '65' });
    },
  );
  await step("setup of today's code comes again, and the next episode begins", async () => {
    assert.deepEqual(await deploy(), deployed);
    floorIs('50');
    assert.deepEqual(await next(), { kind: 'fired', value: '50' });
  });
}
