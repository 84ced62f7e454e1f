import { describe, expect, it } from 'vitest';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const DESTINATION = channelDestinationId({ tenant: 'acme', id: 'mine' }, 'bot');
const HERE = 'http://127.0.0.1:9/here';
const NO = { kind: 'failed', reason: 'the response does not repeat the challenge' } as const;

function floorIs(world: World, price: string): void {
  const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
  world.answers.floor = () => ({ kind: 'ok', value: [point] });
}

async function putWebhook(world: World, url = HERE, name = 'Mine'): Promise<void> {
  const secrets = [`whsec_${Buffer.alloc(24, 'a').toString('base64')}`];
  const low = { id: 'low', metric: 'floor_price', when: 'below', threshold: '60' } as const;
  await world.putList({
    ...{ id: 'mine', name, contracts: [PUNKS], rules: [low] },
    channels: [{ id: 'bot', kind: 'webhook', url, secrets }],
  });
}

async function minutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
}

const challenges = (world: World) => world.log.calls.filter((call) => call === 'prove.bot').length;
const got = (world: World) =>
  world.published.filter(({ destinationId }) => destinationId === 'bot').length;

describe('a webhook', () => {
  it('a webhook receives a challenge when it is added to a list, and not again', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    floorIs(world, '70');

    await putWebhook(world);
    await minutes(world, 3);
    const first = challenges(world);
    floorIs(world, '59');
    await minutes(world, 3);

    expect([first, challenges(world), got(world)]).toEqual([1, 1, 1]);
  });

  it('a webhook receives no alert before it passes its challenge, and every alert afterwards', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    world.answers.proof = () => NO;
    await putWebhook(world);
    floorIs(world, '59');
    await minutes(world, 10);
    const before = [got(world), (await world.stores.channels.get(DESTINATION))?.failure?.reason];
    world.answers.proof = () => ({ kind: 'sent' });

    await minutes(world, 70);

    expect(before).toEqual([0, NO.reason]);
    expect(got(world)).toBe(1);
  });

  it('a webhook that fails its challenge is challenged again only if an alert waits for the webhook', async () => {
    const world = createWorld({ cadenceMinutes: 60 });
    world.answers.proof = () => NO;
    floorIs(world, '70');

    await putWebhook(world);
    await minutes(world, (3 * HOUR) / 60_000);

    expect(challenges(world)).toBe(1);
    expect((await world.stores.channels.get(DESTINATION))?.dueAt).toBeUndefined();
  });

  it('the record of a webhook keeps the time of its first proof, and the records of other channels have no such time', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    floorIs(world, '70');
    await putWebhook(world);
    await minutes(world, 2);
    const first = await world.stores.channels.get(DESTINATION);
    floorIs(world, '59');
    await minutes(world, 2);

    const again = await world.stores.channels.get(DESTINATION);
    expect(first?.provenAt).toBeDefined();
    expect(again?.provenAt).toBe(first?.provenAt);
    expect((await world.stores.channels.get('stack-topic'))?.provenAt).toBeUndefined();
  });

  it('a webhook is challenged again after a new address, but not after other changes', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    floorIs(world, '70');
    await putWebhook(world);
    await minutes(world, 2);

    await putWebhook(world, HERE, 'Ours');
    await minutes(world, 2);
    const renamed = challenges(world);
    await putWebhook(world, 'http://127.0.0.1:9/there');
    await minutes(world, 2);

    expect([renamed, challenges(world)]).toEqual([1, 2]);
  });

  it('a webhook that answers its challenge with 410 is switched off', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    world.answers.proof = () => ({ kind: 'gone', reason: 'HTTP 410 Gone' });
    floorIs(world, '59');

    await putWebhook(world);
    await minutes(world, 3);

    expect((await world.stores.channels.get(DESTINATION))?.off?.reason).toBe('HTTP 410 Gone');
    expect(got(world)).toBe(0);
  });
});
