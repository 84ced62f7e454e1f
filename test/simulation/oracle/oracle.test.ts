import { describe, expect, it } from 'vitest';
import { oracleRule } from '#test/simulation/invariants/documents.ts';
import type { Fact, Forecast } from './facts.ts';
import { newModelState } from './model.ts';
import { predict } from './oracle.ts';
import { withoutOutliers } from './outliers.ts';

const at = (minute: number) => minute * 60_000;
const floor = (minute: number, tenths: bigint, given: Partial<Fact> = {}): Fact => ({
  ...{ number: 0, poll: 0, part: 'floor', time: at(minute), currency: 'eth', usd: undefined },
  ...{ price: tenths * 10n ** 17n },
  ...given,
});
const observed = (number: number, fact: Fact): Fact => ({ ...fact, number, poll: number });

const fallen = oracleRule({
  ...{ id: 'rule', since: 1, on: '*', enabled: true, severity: 'warning', arm: 'level' },
  ...{ outliers: 'confirm', notifyRecovery: true, repeat: 'every', noData: 'keep' },
  ...{ metric: 'floor_drawdown_pct.1h', when: 'above', threshold: '2' },
});

describe('a floor that was held back, until a day later another follows', () => {
  const before = [floor(-38, 573n), floor(-36, 569n), floor(0, 560n, { hadToWait: false })];
  const facts = withoutOutliers([
    observed(1, floor(0, 560n)),
    observed(2, floor(3, 3105n)),
    observed(3, floor(2100, 621n)),
  ]);
  const firing = {
    ...newModelState(at(-90)),
    ...{ state: 'firing', isWaiting: false, stateSince: at(-10), firedAt: at(-10), episodes: 1 },
    ...{ alerts: 1, evaluated: 2, windowsExpiredTo: at(10), movedAt: at(-10) },
  };
  const recoveredAt = (forecast: Partial<Forecast>) => {
    const known = { upTo: 3, answered: { floor: at(2100) }, past: before, ...forecast };
    return predict(fallen, { modelState: firing, said: [] }, facts, known).said.map(
      ({ kind, time }) => `${time / at(1)} ${kind}`,
    );
  };

  it('was none where that is nearer to the one before', () => {
    const past = [...before, floor(3, 3105n, { hadToWait: true })];

    expect(recoveredAt({ past })).toEqual(['84 recovered']);
    expect(recoveredAt({})).toEqual(['84 recovered']);
  });

  it('is what was recorded of its time since', () => {
    const past = [...before, floor(3, 621n)];

    expect(recoveredAt({ past })).toEqual(['82 recovered']);
    expect(recoveredAt({ past, isRecordedLate: true })).toEqual(['84 recovered']);
  });
});
