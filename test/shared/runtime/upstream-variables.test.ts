import { expect, it } from 'vitest';
import * as z from 'zod';
import { limitsOf, upstreamLimitVariables } from '#shared/runtime/upstream-variables.ts';
import { evenCosts } from '#test/support/even-costs.ts';

const Variables = z.object(upstreamLimitVariables);
const COSTS = JSON.stringify(evenCosts(1));
const good = {
  UPSTREAM_PROVIDER: 'opensea',
  UPSTREAM_CALLS_PER_SECOND: '5',
  UPSTREAM_BUDGET_PER_HOUR: 'none',
  UPSTREAM_BUDGET_PER_DAY: '1000',
  UPSTREAM_BUDGET_PER_MONTH: '20000',
  UPSTREAM_COSTS: COSTS,
  UPSTREAM_SHARES: '{"polling":60,"interface":20}',
};

it("reads the provider's limits from the environment", () => {
  expect(limitsOf(Variables.parse(good))).toEqual({
    provider: 'opensea',
    callsPerSecond: 5,
    budgetPerHour: undefined,
    budgetPerDay: 1000,
    budgetPerMonth: 20_000,
    costs: evenCosts(1),
    shares: { polling: 60, interface: 20 },
  });
});

it.each([
  { UPSTREAM_CALLS_PER_SECOND: '0' },
  { UPSTREAM_CALLS_PER_SECOND: '0.5' },
  { UPSTREAM_PROVIDER: 'reservoir' },
  { UPSTREAM_BUDGET_PER_HOUR: '' },
  { UPSTREAM_BUDGET_PER_DAY: '-1' },
  { UPSTREAM_BUDGET_PER_MONTH: '' },
  { UPSTREAM_COSTS: 'cheap' },
  { UPSTREAM_COSTS: '{"floor":1}' },
  { UPSTREAM_COSTS: COSTS.replace('1', '-1') },
  { UPSTREAM_COSTS: COSTS.replace('"price"', '"prize"') },
  { UPSTREAM_SHARES: '{"polling":60}' },
  { UPSTREAM_SHARES: '{"polling":0,"interface":20}' },
  { UPSTREAM_SHARES: '{"polling":81,"interface":20}' },
  { UPSTREAM_SHARES: '{"polling":60,"interface":20,"others":1}' },
])('rejects the environment variables %o', (wrong) => {
  const issues = Variables.safeParse({ ...good, ...wrong }).error?.issues ?? [];

  expect(new Set(issues.map(({ path }) => path[0]))).toEqual(new Set(Object.keys(wrong)));
});
