import { expect, it } from 'vitest';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const RULE = { id: 'low', metric: 'floor_price', when: 'below', threshold: '60' } as const;

/** The alert of a list whose contract has these names. */
async function alertOf(given: { readonly provider?: string; readonly list?: string }) {
  const world: World = createWorld({ cadenceMinutes: 1 });
  const { provider, list } = given;
  if (provider !== undefined) {
    await createCollectionStore(world.table).put(PUNKS, { name: provider, slug: 'cryptopunks' });
  }
  world.answers.floor = () => ({
    kind: 'ok',
    value: [{ time: world.now(), price: 59n * 10n ** 18n, currency: 'eth', marketplaces: [] }],
  });
  await world.putList({
    id: 'mine',
    name: 'Mine',
    contracts: [{ contract: PUNKS, ...(list === undefined ? {} : { name: list }) }],
    rules: [RULE],
  });
  await world.tick();
  await world.tick();
  const [sent] = world.published;
  return sent?.alert;
}

it.each([
  { given: { provider: 'CryptoPunks' }, name: 'CryptoPunks', title: 'CryptoPunks below 60 ETH' },
  { given: { provider: 'CryptoPunks', list: 'Punks' }, name: 'Punks', title: 'Punks below' },
  { given: {}, name: null, title: 'eth:0xb47e3c…3bbb below' },
])(
  'an alert names its contract as the list does, or else as the provider does: $given',
  async (one) => {
    const alert = await alertOf(one.given);

    expect(alert?.name).toBe(one.name);
    expect(alert?.title).toMatch(new RegExp(`^${one.title}`));
  },
);

it('a name from the provider is escaped in texts', async () => {
  const alert = await alertOf({ provider: '[critical] https://evil.example' });

  expect(alert?.title).toMatch(/^\(critical\) https\[:\]\/\/evil\[\.\]example below 60 ETH/);
});
