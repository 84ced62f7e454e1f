import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMetrics, METRICS } from '#shared/runtime/metrics.ts';
import { NOON } from '#test/support/builders.ts';

beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(NOON));
afterEach(() => vi.restoreAllMocks());

it('reports metrics in the embedded format of CloudWatch', () => {
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

it('sums counts, and keeps the maximum of other metrics', () => {
  const metrics = createMetrics('prod', Date.now);
  for (const value of [3, 1]) {
    metrics.measure('AlertsMade', value);
    metrics.measure('WorkOverdue', value);
  }

  expect(metrics.flush()).toMatchObject({ AlertsMade: 4, WorkOverdue: 3 });
});

it('reports a metric of zero, unlike one that was not measured', () => {
  const metrics = createMetrics('prod', Date.now);
  metrics.measure('UpstreamDenied', 0);

  expect(metrics.flush()).toMatchObject({ UpstreamDenied: 0 });
});

it('reports each metric once, and nothing without a measurement', () => {
  const metrics = createMetrics('prod', Date.now);
  metrics.measure('Ticks');
  metrics.flush();

  expect(metrics.flush()).toEqual({});
});

it('defines at most as many metrics as CloudWatch accepts', () => {
  // CloudWatch accepts a hundred metrics in one directive of the embedded format.
  expect(Object.keys(METRICS).length).toBeLessThanOrEqual(100);
});
