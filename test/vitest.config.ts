import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Long enough for a machine with much else to do: what hangs is to fail, not what is slow. */
const PATIENCE = 300_000;

const patience = {
  ...{ testTimeout: PATIENCE, hookTimeout: PATIENCE },
  // By itself it gives up after a second, which a page on a busy machine takes.
  expect: { poll: { timeout: PATIENCE / 5 } },
};

/** Real engines, bundles, synthesis with all its rules, faults, and all cases of what follows. */
const CONTRACT = 'test/contract/**/*.test.ts';
/** What spawns processes: the stack on one machine, and the commands. */
const E2E = 'test/e2e/**/*.test.ts';
/** The unit tests live through some of the cases of these; here are all. */
const SLICED = globSync('test/**/*.test.ts').filter((file) =>
  /\/support\/(extent|engines)\.ts|'fast-check'/.test(readFileSync(file, 'utf8')),
);

/** What takes minutes, most of them waiting: it begins first, so that nothing waits for it at the end. */
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
    sequence: { sequencer: LongestFirst },
    globalSetup: 'test/support/temporary-folder.ts',
    projects: [
      {
        test: {
          ...{ name: 'unit', ...patience, provide: { extent: 'slice', commit } },
          // Modules hold no state, so files share them: most of a file's time is loading them.
          isolate: false,
          setupFiles: 'test/support/fewer-runs.ts',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, CONTRACT, E2E],
        },
      },
      {
        test: {
          ...{ name: 'contract', ...patience, provide: { extent: 'whole', commit } },
          include: [CONTRACT, ...SLICED],
        },
      },
      {
        test: {
          ...{ name: 'e2e', ...patience, provide: { extent: 'whole', commit } },
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
