import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMetrics, METRICS } from '#shared/runtime/metrics.ts';
import { NOON } from '#test/support/builders.ts';

beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(NOON));
afterEach(() => vi.restoreAllMocks());

it('reports what was measured in the format that CloudWatch finds in a log', () => {
  const metrics = createMetrics('prod', Date.now);
  metrics.measure('Ticks');
  metrics.measure('BudgetUsed', 17);

  expect(metrics.flush()).toEqual({
    _aws: {
      Timestamp: NOON,
      CloudWatchMetrics: [
        {
          Namespace: 'floorwatch',
          Dimensions: [['Stage']],
          Metrics: [
            { Name: 'Ticks', Unit: 'Count' },
            { Name: 'BudgetUsed', Unit: 'Percent' },
          ],
        },
      ],
    },
    Stage: 'prod',
    Ticks: 1,
    BudgetUsed: 17,
  });
});

it('adds counts up, and keeps the greatest of anything else', () => {
  const metrics = createMetrics('prod', Date.now);
  for (const value of [3, 1]) {
    metrics.measure('AlertsMade', value);
    metrics.measure('WorkOverdue', value);
  }

  expect(metrics.flush()).toMatchObject({ AlertsMade: 4, WorkOverdue: 3 });
});

it('reports that there is none of a thing, which is not the same as telling nothing', () => {
  const metrics = createMetrics('prod', Date.now);
  metrics.measure('UpstreamDenied', 0);

  expect(metrics.flush()).toMatchObject({ UpstreamDenied: 0 });
});

it('reports nothing twice, and nothing of nothing', () => {
  const metrics = createMetrics('prod', Date.now);
  metrics.measure('Ticks');
  metrics.flush();

  expect(metrics.flush()).toEqual({});
});

it('reports a name for everything that CloudWatch takes', () => {
  // A directive may name a hundred metrics.
  expect(Object.keys(METRICS).length).toBeLessThanOrEqual(100);
});
