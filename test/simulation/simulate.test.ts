import { describe, expect, it } from 'vitest';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { isWhole } from '#test/support/extent.ts';
import { readOptions } from './options.ts';
import { createTally, reportText } from './report.ts';
import { compared, liveThrough, liveThroughTogether } from './seeds.ts';
import { type Outcome, simulate } from './world.ts';

const SEEDS = { from: 1, seeds: 5, step: 1, minutes: 2, twice: false };

describe('the simulate command', () => {
  it.runIf(isWhole)(
    'the simulate command prints the same report, in the same order, with several workers as with one',
    async () => {
      const alone = await all(liveThrough(SEEDS));
      const together = await all(liveThroughTogether(SEEDS, 2));

      expect(alone.map(({ seed }) => seed)).toEqual([1, 2, 3, 4, 5]);
      expect(together).toEqual(alone);
    },
  );

  it('compared() reports the first event that differs when a seed is repeated', async () => {
    const outcome = await simulate(1, 1);
    const again = { outcome: { ...outcome, hash: 'other' }, trace: ['a', 'c'] };

    const { violations } = compared({ outcome, trace: ['a', 'b'] }, again);

    expect(violations).toMatchObject([{ what: '"b", then "c"' }]);
  });

  it.each([
    { args: ['--seeds', '0'], says: '--seeds: expected a whole number from 1' },
    { args: ['--from', '1e3'], says: '--from: expected a whole number from 0' },
    { args: ['--minutes', ''], says: '--minutes: expected a whole number from 1' },
    { args: ['--workers', '-1'], says: '--workers' },
    { args: ['--seed', '3'], says: "'--seed'" },
    { args: ['100'], says: 'got 1: 100' },
  ])('the simulate command rejects $args and names the reason', ({ args, says }) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(says);
  });

  it('the report contains the bound of lost alerts, the reasons for repetitions, and the healing time', async () => {
    const outcome = await simulate(1, 1);
    const tally = createTally(1);
    tally.add(worked(outcome, { alert: 100, delivery: 50, 'repeated message: crash': 2 }, 1));
    tally.add(worked(outcome, { alert: 200, delivery: 50, 'repeated message: zombie': 1 }, 3));

    const report = tally.report(1);

    expect(report).toMatchObject({
      alerts: 300,
      losses: 0,
      lossBound: 0.01,
      repeated: { crash: 2, zombie: 1 },
      healing: { median: 1, most: 3, longest: 3 },
    });
    expect(reportText(report)).toContain('under 1.000%');
    expect(reportText(report)).toMatch(/crash +2 \(2\.00%\)/);
  });
});

function worked(outcome: Outcome, met: Outcome['met'], minutes: number): Outcome {
  return { ...outcome, met, healing: { minutes, netMinutes: minutes } };
}

async function all(outcomes: AsyncIterable<Outcome>): Promise<readonly Outcome[]> {
  const reported: Outcome[] = [];
  for await (const outcome of outcomes) reported.push(outcome);
  return reported;
}
