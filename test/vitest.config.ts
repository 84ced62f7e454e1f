import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The timeout is long enough for a busy machine: only a test that hangs times out, not a slow one.
 */
const TIMEOUT = 300_000;

const timeouts = {
  ...{ testTimeout: TIMEOUT, hookTimeout: TIMEOUT },
  // The default is one second, which is too short for a page on a busy machine.
  expect: { poll: { timeout: TIMEOUT / 5 } },
};

/** Modules hold no state, so test files share them. Loading takes most of a file's time. */
const shared = { isolate: false };

/** Tests of real engines, of bundles, of the synthesis with all cdk-nag rules, and of faults. */
const CONTRACT = 'test/contract/**/*.test.ts';
/** Tests that spawn processes: the local stack and the commands. */
const E2E = 'test/e2e/**/*.test.ts';
/** Files of which the unit project runs some cases. The contract project runs all cases. */
const SLICED = globSync('test/**/*.test.ts').filter((file) =>
  /\/support\/(extent|engines)\.ts|'fast-check'/.test(readFileSync(file, 'utf8')),
);

/**
 * Tests that take minutes, mostly waiting. These tests start first, so that they do not end last.
 */
const LONGEST = [
  'several-providers',
  'replay',
  'kill-replay',
  'console/console',
  'rights/rights',
  'live',
  'demo',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((name) => moduleId.endsWith(`/e2e/${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** A number that changes with each commit; 0 without git. */
const commit = numberOfCommit();

export default defineConfig({
  test: {
    maxWorkers: 2,
    fsModuleCache: true,
    sequence: { sequencer: LongestFirst },
    globalSetup: 'test/support/temporary-folder.ts',
    projects: [
      {
        test: {
          ...{ name: 'unit', ...timeouts, ...shared, provide: { extent: 'slice', commit } },
          setupFiles: 'test/support/fewer-runs.ts',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, CONTRACT, E2E],
        },
      },
      {
        test: {
          ...{ name: 'contract', ...timeouts, ...shared, provide: { extent: 'whole', commit } },
          include: [CONTRACT, ...SLICED],
        },
      },
      {
        test: {
          ...{ name: 'e2e', ...timeouts, ...shared, provide: { extent: 'whole', commit } },
          include: [E2E],
        },
      },
    ],
  },
});

function numberOfCommit(): number {
  try {
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
    return Number.parseInt(head.slice(0, 7), 16);
  } catch {
    return 0;
  }
}
