import { expect, it } from 'vitest';
import { collectGauges } from '#functions/poll-prices/gauges.ts';
import type { PassSummary } from '#functions/poll-prices/poll-prices.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { NOON } from '#test/support/builders.ts';

const IDLE: PassSummary = {
  ...{ at: NOON, minute: NOON / MINUTE, contracts: 0, polls: 0, evaluations: 0 },
  ...{ cadenceMinutes: 5, unreadable: [], deniedSince: undefined },
  budgetUsed: { inDay: 0, inMonth: 0 },
  dataAge: { watched: 0, silent: 0, freshest: undefined, oldest: undefined },
};
const measured = (summary: Partial<PassSummary>, keyEndsAt?: number) =>
  Object.fromEntries(collectGauges({ ...IDLE, ...summary }, { cadenceMinutes: 5, keyEndsAt }));

it('a stack without watches writes only the metric of its ticks', () => {
  expect(measured({})).toEqual({ Ticks: 1 });
});

it('a healthy stack measures its contracts, its used budget and the age of its newest data', () => {
  const well = {
    budgetUsed: { inDay: 3, inMonth: 7 },
    dataAge: { ...IDLE.dataAge, watched: 20, freshest: NOON - HOUR },
  };

  expect(measured(well)).toEqual({
    ...{ Ticks: 1, ContractsWatched: 20, BudgetUsed: 7, FreshestDataAge: 3600 },
  });
});

it('problems are measured only while they exist', () => {
  const trouble = {
    ...{ cadenceMinutes: 12, deniedSince: NOON - 1 },
    unreadable: ['a', 'b'],
    dataAge: { ...IDLE.dataAge, watched: 20, silent: 5 },
  };

  expect(measured(trouble, NOON + HOUR)).toMatchObject({
    ...{ Cadence: 12, UpstreamDenied: 1, BrokenItems: 2 },
    ...{ ContractsSilent: 25, UpstreamKeyLeft: 3600 },
  });
});
