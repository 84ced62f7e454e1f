import { expect, it } from 'vitest';
import { delayedSince } from '#shared/domain/channels/alert-record.ts';
import { HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { eth, NOON, PUNKS } from '#test/support/builders.ts';
import { DESK, deliveryWorld, numbered } from '#test/support/delivery-world.ts';
import { createWorld } from '#test/support/world.ts';

it('the delay of an alert counts from the poll that received its price, not from a late evaluation', async () => {
  const world = createWorld({ cadenceMinutes: 1 });
  let price = '75';
  world.answers.floor = (_contract, time) => ({
    kind: 'ok',
    value: [{ time, price: eth(price), currency: 'eth', marketplaces: [] }],
  });
  await world.putList({
    ...{ id: 'mine', name: 'Mine', contracts: [PUNKS] },
    rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '70' }],
  });
  await world.tick();
  await world.tick();
  price = '69';
  await world.dispatch();
  const polledAt = world.now();

  world.pass(40 * SECOND);
  await world.drain();

  const { entries } = await world.stores.alerts.ofList(
    { tenant: 'acme', id: 'mine' },
    { limit: 9, after: undefined },
  );
  const [fired] = entries;
  expect(entries.map(({ alert }) => alert.kind)).toEqual(['fired']);
  // The poll requested the price less than a second before the poll ended.
  expect(fired && polledAt - delayedSince(fired, undefined)).toBeLessThan(SECOND);
  expect(fired && Date.parse(fired.alert.at)).toBe(polledAt + 40 * SECOND);
});

it('the delay of an alert held by quiet hours counts from their end', async () => {
  const { deliveryOf, deliver, comeDue, ports } = await deliveryWorld({
    quiet: [{ from: '11:00', to: '14:00' }],
  });
  await postAlerts(ports, [numbered(0), numbered(1)], [DESK]);
  await deliver();

  await comeDue();

  const heldUntil = NOON + 2 * HOUR;
  expect(await deliveryOf(0)).toEqual({ state: 'sent', at: heldUntil, heldUntil });
  expect(await deliveryOf(1)).toEqual({ state: 'sent', at: heldUntil, heldUntil });
});

it('the delay of an `expired` alert counts from the time at which it was posted', async () => {
  const alert = { ...numbered(0), kind: 'expired' } as const;
  const posted = { alert, postedAt: NOON + MINUTE };

  expect(delayedSince(posted, undefined)).toBe(NOON + MINUTE);
  expect(delayedSince({ ...posted, alert: numbered(0) }, undefined)).toBe(NOON);
});
