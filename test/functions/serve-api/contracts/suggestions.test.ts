import { describe, expect, it } from 'vitest';
import { HOUR } from '#shared/domain/market/instant.ts';
import { aPrice, aWatchlist, NOON, PUNKS } from '#test/support/builders.ts';
import { world } from './world.ts';

const SUGGESTIONS = 'POST /v1/rules/suggestions';
const PREVIEW = 'POST /v1/rules/preview';
const below = { id: 'low', metric: 'floor_price', when: 'below', threshold: '1' };

/** A floor of 60 that falls to 45 and later to 50. SMALL_FALLS adds ten short falls to 58. */
const PAST = { 80: '60', 70: '45', 69: '60', 60: '50', 59: '60' } as const;
const SMALL_FALLS = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [
    [50 - 2 * index, '58'],
    [49 - 2 * index, '60'],
  ]).flat(),
);

async function recorded(prices: Readonly<Record<number, string>>) {
  const fixture = world();
  await fixture.watchlists.put(aWatchlist());
  const points = Object.entries(prices)
    .map(([hours, price]) => aPrice(price, { time: NOON - Number(hours) * HOUR }))
    .toSorted((one, other) => one.time - other.time);
  await fixture.history.record(PUNKS, 'floor', points);
  return fixture;
}

async function suggestedIn({ ask }: ReturnType<typeof world>, rule: object) {
  const body = { rule, contracts: [PUNKS], days: 4 };
  const { status, body: answered } = await ask(SUGGESTIONS, { scopes: 'read', body });
  expect(status, JSON.stringify(answered)).toBe(200);
  return answered.contracts[0];
}

describe('suggested thresholds', () => {
  it('a suggested threshold sends one to three alerts, exactly those of its preview', async () => {
    const fixture = await recorded({ ...PAST, ...SMALL_FALLS });

    const { lines, notTested } = await suggestedIn(fixture, below);

    expect(notTested).toBeNull();
    expect(lines.length).toBeGreaterThan(0);
    for (const { threshold, alerts } of lines) {
      const body = { rule: { ...below, threshold }, contracts: [PUNKS], days: 4 };
      const { body: previewed } = await fixture.ask(PREVIEW, { scopes: 'read', body });
      expect(alerts).toEqual(previewed.contracts[0].alerts);
      expect(alerts.length).toBeGreaterThanOrEqual(1);
      expect(alerts.length).toBeLessThanOrEqual(3);
    }
  });

  it('suggested thresholds for a rule on a gain are relative to the cost in the request', async () => {
    const { ask } = await recorded({ ...PAST, ...SMALL_FALLS });
    const rule = { id: 'loss', metric: 'gain', when: 'below', threshold: '0' };
    const contracts = [{ contract: PUNKS, amount: 2, cost: { price: '50' } }];

    const { body } = await ask(SUGGESTIONS, { scopes: 'read', body: { rule, contracts, days: 4 } });

    const [{ lines }] = body.contracts;
    const thresholds = lines.map(({ threshold }: { threshold: string }) => threshold);
    expect(thresholds).toEqual(['-5', '-10']);
  });

  it('suggested thresholds are those nearest to the present price that would have sent at most three alerts', async () => {
    const { lines } = await suggestedIn(await recorded({ ...PAST, ...SMALL_FALLS }), below);

    // With a threshold of 50 each of the two deep falls would have sent two alerts, four in total.
    const thresholds = lines.map(({ threshold }: { threshold: string }) => threshold);
    expect(thresholds).toEqual(['48', '46', '45']);
  });

  it('suggested thresholds keep the distance between the threshold and the recovery line of the rule', async () => {
    const fixture = await recorded({ ...PAST, ...SMALL_FALLS });

    const { lines } = await suggestedIn(fixture, { ...below, recover: '13' });

    expect(lines.length).toBeGreaterThan(0);
    for (const { alerts, threshold } of lines) {
      const rule = { ...below, threshold, recover: String(Number(threshold) + 12) };
      const body = { rule, contracts: [PUNKS], days: 4 };
      const { body: previewed } = await fixture.ask(PREVIEW, { scopes: 'read', body });
      expect(alerts).toEqual(previewed.contracts[0].alerts);
    }
    // With a threshold above 48 the recovery line is above 60, so a price of 60 never recovers.
    expect(lines.map(({ alerts }: { alerts: readonly unknown[] }) => alerts.length)).toContain(1);
  });

  it('no threshold is suggested for a price that never fell', async () => {
    const { lines, notTested } = await suggestedIn(await recorded({ 80: '60', 2: '60' }), below);

    expect([lines, notTested]).toEqual([[], null]);
  });

  it('suggestions report "not tested" if no floors are recorded', async () => {
    const { notTested } = await suggestedIn(await recorded({}), below);

    expect(notTested).toBe('not tested: no floors recorded');
  });

  it.each([
    ['a band', { metric: 'floor_price', when: 'outside', low: '1', high: '2' }],
    ['the age of data', { metric: 'data_age_minutes', when: 'above', threshold: '5' }],
    [
      'several conditions',
      {
        all: [
          { metric: 'floor_price', when: 'below', threshold: '1' },
          { metric: 'floor_price', when: 'above', threshold: '0.5' },
        ],
      },
    ],
  ])('no threshold is suggested for %s, and the response gives the reason', async (_, rule) => {
    const fixture = await recorded(PAST);

    const { lines, notTested } = await suggestedIn(fixture, { id: 'one', ...rule });

    expect(lines).toEqual([]);
    expect(notTested).toContain('thresholds are suggested only for rules with one condition');
  });
});
