import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createProviderShare } from '#shared/use-cases/daily-share.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';

const [tenant, other] = ['acme', 'umbrella'];

/** Polls reserve sixty of a hundred units, so each of two tenants may use twenty. */
function world(instances = 1) {
  const clock = { now: NOON };
  const limits = someLimits({
    ...{ budgetPerDay: 100, budgetPerMonth: 1e9, shares: { polling: 60, interface: 20 } },
    costs: { ...evenCosts(5), lowestprice: 1, price: 2 },
  });
  const usage = createUsageStore(createMemoryTable(), 'provider');
  const made = Array.from({ length: instances }, () =>
    createProviderShare({ now: () => clock.now, usage, limits }),
  );
  const [take = createProviderShare({ now: () => clock.now, usage, limits })] = made;
  return { clock, made, take };
}

const isRefused = async (taking: Promise<number | undefined>) => (await taking) !== undefined;

it("limits a tenant to half of the day's budget for requests, and leaves another tenant the other half", async () => {
  const { take } = world();

  for (let call = 0; call < 4; call += 1) await take(tenant, 'floor');

  // A quarter of the units is available again after a quarter of a day.
  expect(await take(tenant, 'traits')).toBe(6 * 3600);
  expect(await isRefused(take(other, 'floor'))).toBe(false);
});

it('refills the share of a tenant evenly over the day', async () => {
  const { take, clock } = world();
  for (let call = 0; call < 4; call += 1) await take(tenant, 'floor');

  clock.now += 6 * HOUR;

  expect(await isRefused(take(tenant, 'floor'))).toBe(false);
  expect(await isRefused(take(tenant, 'floor'))).toBe(true);
});

it('charges a request for its most expensive call', async () => {
  const { take } = world();

  for (let call = 0; call < 10; call += 1) await take(tenant, 'lowest');

  expect(await isRefused(take(tenant, 'lowest'))).toBe(true);
});

it("counts a tenant's calls from all instances together", async () => {
  const { made } = world(8);

  const refused = await Promise.all(made.map((take) => isRefused(take(tenant, 'floor'))));

  expect(refused.filter((is) => !is)).toHaveLength(4);
});
