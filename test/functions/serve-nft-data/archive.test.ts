import { describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { FloorLine, floorIn } from '#shared/domain/archive/import-line.ts';
import { cursorTo } from '#shared/domain/archive/place.ts';
import { type Token, type Trait, traitKey, traitsOf } from '#shared/domain/archive/token.ts';
import type { Trade } from '#shared/domain/archive/trade.ts';
import { CHAINS } from '#shared/domain/market/chains.ts';
import { contractKey, contractOf } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import { createFloorArchive, createHistoryStore } from '#shared/stores/history-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import { aSale, aToken } from '#test/support/archive.ts';
import { aPrice, NOON, PUNKS } from '#test/support/builders.ts';
import { aFloorLine } from '#test/support/market-files.ts';
import { FLOORS, idsOf, LOWEST, serveArchive, TRAITS } from '#test/support/nft-archive.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const { address: ADDRESS } = contractOf(PUNKS);

type Given = {
  readonly tokens?: readonly Token[];
  readonly trades?: readonly Trade[];
  readonly floors?: readonly { readonly time: number; readonly price: string }[];
};

/** The v2.2 API that serves an archive with these contents. */
async function world(given: Given = {}) {
  const table = createMemoryTable();
  const archive = createTokenArchive(table);
  const putTokens = async (tokens: readonly Token[]) => {
    await archive.putTokens(tokens, 'a file');
    await archive.settleCounts(new Set(tokens.map(({ contract }) => contract)), 'a file');
  };
  await putTokens(given.tokens ?? []);
  await createTradeArchive(table).putTrades(given.trades ?? []);
  const floors = (given.floors ?? []).map(({ time, price }) => aPrice(price, { time }));
  await createHistoryStore(table).record(PUNKS, 'floor', floors);

  return { ...serveArchive(table), putTokens, table };
}

it('the traits search finds tokens with all given traits, page by page', async () => {
  const tokens = Array.from({ length: 30 }, (_, id) =>
    aToken(id, [
      ['hat', id % 2 === 0 ? 'cap' : 'crown'],
      ['hat', 'feather'],
      ['__proto__', id % 3 === 0 ? 'x' : 'y'],
    ]),
  );
  const { ask } = await world({ tokens });
  const body = '{"traits":{"hat":"cap","__proto__":"x"}}';

  const first = await ask(TRAITS, { body, query: { limit: '3' } });
  const second = await ask(TRAITS, { body, query: { cursor: first.body.cursor } });
  const forged = await ask(TRAITS, {
    body: '{"traits":{"hat":"cap"}}',
    query: { cursor: first.body.cursor },
  });

  const ids = [first, second].flatMap(({ body: page }) =>
    page.result.map((token: { token_id: string }) => token.token_id),
  );
  expect(ids).toEqual(['0', '6', '12', '18', '24']);
  expect([first.body.page, second.body.page, second.body.cursor]).toEqual(['1', '2', '']);
  expect([forged.status, forged.body.errors[0].pointer]).toEqual([400, '?cursor']);
});

it('the traits search compares numbers of any length exactly', async () => {
  const numbers = ['12345678901234567889', '12345678901234567890', '12345678901234567999', '1.50'];
  const tokens = numbers.map((number, id) => ({
    ...aToken(id, []),
    record: { metadata: `{"attributes":[{"trait_type":"DNA","value":${number}}]}` },
  }));
  const { ask } = await world({ tokens });
  const found = async (value: string) => {
    const answer = await ask(TRAITS, {
      body: `{"traits":{"DNA":${value}}}`,
      query: { normalizeMetadata: 'true' },
    });
    return answer.body.result.map(
      (token: { token_id: string; normalized_metadata: { attributes: { value: unknown }[] } }) => [
        token.token_id,
        token.normalized_metadata.attributes[0]?.value,
      ],
    );
  };

  const exact = ['1', '12345678901234567890'];
  expect(await found('12345678901234567890')).toEqual([exact]);
  expect(await found('"12345678901234567890"')).toEqual([exact]);
  expect(await found('1.2345678901234567890e19')).toEqual([exact]);
  expect(await found('12345678901234567891')).toEqual([]);
  expect(await found('12345678901234567000')).toEqual([]);
  expect(await found('1.5')).toEqual([['3', 1.5]]);
});

it('the archive reports the lowest trade of the requested days, and the earliest of several equal ones', async () => {
  const trades = [
    aSale(5, NOON - DAY - 1),
    aSale(9, NOON - HOUR),
    aSale(7, NOON - 3 * HOUR),
    aSale(7, NOON - 2 * HOUR),
    aSale(1, NOON + 1),
  ];
  const { ask } = await world({ trades });

  const day = await ask(LOWEST, { query: { days: '1' } });
  const week = await ask(LOWEST);
  const elsewhere = await ask(LOWEST, { query: { marketplace: 'opensea' } });

  expect([day.body.price, day.body.block_timestamp]).toEqual(['7', '2026-11-21T09:00:00.000']);
  expect(week.body.price).toBe('5');
  expect([elsewhere.status, elsewhere.body.type]).toEqual([404, 'urn:floorwatch:problem:no_trade']);
});

it('the archive reports floors newest first, and for a long interval only the last floor of each day', async () => {
  const floors = Array.from({ length: 24 * 40 }, (_, hours) => ({
    time: NOON - hours * HOUR,
    price: `${1 + hours}`,
  }));
  const { ask } = await world({ floors });

  const day = await ask(FLOORS, { query: { interval: '1d' } });
  const sixtyDays = await ask(FLOORS, { query: { interval: '60d' } });
  const month = await ask(FLOORS, { query: { interval: '30d' } });
  const next = await ask(FLOORS, { query: { interval: '30d', cursor: month.body.cursor } });

  expect(day.body.result).toHaveLength(25);
  expect(day.body.result[0]).toEqual({
    floor_price: '1',
    floor_price_usd: null,
    currency: 'eth',
    marketplace: [],
    timestamp: formatInstant(NOON),
  });
  expect(sixtyDays.body.result).toHaveLength(41);
  expect(next.body.result[0].floor_price).toBe('101');
});

describe('the traits search', () => {
  const CAP: Trait = ['hat', 'cap'];
  const LASER: Trait = ['eyes', 'laser'];

  it.each([1, 2, 3, 7, 49, 50, 51, 100])(
    'the traits search returns every match once, in pages of %i',
    async (limit) => {
      const tokens = Array.from({ length: 150 }, (_, id) =>
        aToken(id, id % 3 === 0 ? [CAP] : [LASER]),
      );
      const { searchAll } = await world({ tokens });

      const pages = await searchAll({ hat: 'cap' }, { limit: `${limit}` });

      expect(idsOf(...pages)).toEqual(Array.from({ length: 50 }, (_, index) => `${index * 3}`));
      expect(pages).toHaveLength(Math.ceil(50 / limit));
      expect(pages.map(({ body }) => [body.page, body.page_size])).toEqual(
        pages.map((_, index) => [`${index + 1}`, `${limit}`]),
      );
    },
  );

  it('the traits search returns the same tokens as a naive search', async () => {
    const random = createSeededRandom(3);
    const names = ['constructor', '__proto__', 'two words', '🐵', 'hat'];
    const traits = () =>
      Array.from(
        { length: random.below(5) },
        (): Trait => [random.pick(names), `${random.below(3)}`],
      );
    const tokens = Array.from({ length: 300 }, (_, id) => aToken(id, traits()));
    const { ask } = await world({ tokens });

    for (let round = 0; round < 100; round += 1) {
      const wanted = new Map([...traits(), [random.pick(names), '1'] as const]);
      const expected = tokens.filter(({ record }) =>
        [...wanted].every(([name, value]) =>
          traitsOf(record).some((trait) => trait[0] === name && trait[1] === value),
        ),
      );
      // Written as text, because a JavaScript object would not keep a member called __proto__.
      const members = [...wanted].map(([name, value]) => `${JSON.stringify(name)}:"${value}"`);
      const found = await ask(TRAITS, { body: `{"traits":{${members.join(',')}}}` });

      expect(idsOf(found)).toEqual(expected.slice(0, 100).map(({ id }) => `${id}`));
    }
  });

  it('a search for several traits reads only the postings of the rarest one, and the tokens of the page', async () => {
    const tokens = Array.from({ length: 10_000 }, (_, id) =>
      aToken(id, [
        ['common', 'yes'],
        ['rare', id % 100 === 0 ? 'yes' : 'no'],
        ['some', id % 200 === 0 ? 'yes' : 'no'],
      ]),
    );
    const { search, searchAll, read } = await world({ tokens });

    const { body } = await search({ common: 'yes', rare: 'yes', some: 'yes' }, { limit: '20' });

    expect(body.result).toHaveLength(20);
    // The search reads three counts, 50 postings and 20 tokens.
    expect(read.items).toBeLessThanOrEqual(3 + 50 + 20);
    expect(read.requests).toBe(1 + 1 + 1);

    read.items = 0;
    expect(idsOf(...(await searchAll({ rare: 'no' }, { limit: '100' })))).toHaveLength(9900);
    expect(read.items).toBeLessThanOrEqual(2 * 9900 + 99);
  });

  it('a search does not read more items after some tokens are imported again', async () => {
    const tokens = Array.from({ length: 1000 }, (_, id) =>
      aToken(id, [
        ['common', 'yes'],
        ['rare', id % 100 === 0 ? 'yes' : 'no'],
      ]),
    );
    const { search, putTokens, read } = await world({ tokens });

    await putTokens(tokens.slice(1, 3));
    await putTokens(
      tokens.slice(3, 5).map((token) => ({ ...token, record: { ...token.record, name: 'new' } })),
    );
    const { body } = await search({ common: 'yes', rare: 'yes' });

    expect(body.result).toHaveLength(10);
    // The search reads two counts, ten postings and ten tokens.
    expect(read.items).toBeLessThanOrEqual(2 + 10 + 10);
  });

  it('a search continues after its last token, even if tokens are added in between', async () => {
    const ids = [10, 20, 30, 40, 50];
    const { search, putTokens } = await world({ tokens: ids.map((id) => aToken(id, [CAP])) });
    const first = await search({ hat: 'cap' }, { limit: '2' });

    await putTokens([5, 15, 25, 45, 60].map((id) => aToken(id, [CAP])));
    const second = await search({ hat: 'cap' }, { cursor: first.body.cursor });
    const third = await search({ hat: 'cap' }, { cursor: second.body.cursor });
    const last = await search({ hat: 'cap' }, { cursor: third.body.cursor });

    expect(idsOf(first, second, third, last)).toEqual([
      '10',
      '20',
      '25',
      '30',
      '40',
      '45',
      '50',
      '60',
    ]);
    expect(last.body.cursor).toBe('');
  });

  it('a search skips outdated postings, because it reads the traits of the tokens themselves', async () => {
    const { search, table } = await world({
      tokens: [aToken(1, [CAP]), aToken(2, [CAP]), aToken(3, [LASER])],
    });
    const posting = await table.get({
      pk: `TRAIT#${PUNKS}#${traitKey(CAP)}`,
      sk: (1).toString(16).padStart(64, '0'),
    });
    for (const id of [3, 4]) {
      await table.put({ ...posting, pk: posting?.pk ?? '', sk: `${id}`.padStart(64, '0') });
    }

    expect(idsOf(await search({ hat: 'cap' }))).toEqual(['1', '2']);
  });

  it('a search without matches returns an empty page', async () => {
    const { search, ask } = await world({ tokens: [aToken(1, [CAP])] });
    const nothing = { page: '1', page_size: '100', cursor: '', result: [] };

    expect(await search({ hat: 'Cap' })).toMatchObject({ status: 200, body: nothing });
    expect(await search({ hat: 'cap', eyes: 'laser' })).toMatchObject({
      status: 200,
      body: nothing,
    });
    const elsewhere = { body: { traits: { hat: 'cap' } }, query: { chain: 'base' } };
    expect(await ask(TRAITS, elsewhere)).toMatchObject({ status: 200, body: nothing });
  });

  it('a search returns ids, metadata and media in the requested format', async () => {
    const { search } = await world({ tokens: [aToken(255, [CAP])] });
    const query = { format: 'hex', normalizeMetadata: 'true', media_items: 'true' };

    const { body: asked } = await search({ hat: 'cap' }, query);
    const { body: plain } = await search({ hat: 'cap' });

    expect(asked.result[0]).toMatchObject({
      token_id: '0xff',
      normalized_metadata: { name: '#255', attributes: [{ trait_type: 'hat', value: 'cap' }] },
      media: { status: 'host_unavailable' },
    });
    expect(plain.result[0]).toMatchObject({
      token_id: '255',
      token_address: ADDRESS,
      normalized_metadata: null,
      media: null,
    });
  });

  it('a page that is too large for one response is shortened, and its cursor continues after the last token', async () => {
    const text = '"'.repeat(100_000);
    const tokens = Array.from({ length: 40 }, (_, id) => aToken(id, [CAP], { text }));
    const { searchAll } = await world({ tokens });

    const pages = await searchAll({ hat: 'cap' });

    expect(pages.length).toBeGreaterThan(1);
    expect(idsOf(...pages)).toEqual(tokens.map(({ id }) => `${id}`));
    for (const { bytes } of pages) expect(bytes).toBeLessThan(6 * 1024 * 1024);
  });

  it('a page ends after a bounded number of reads, and its cursor continues', async () => {
    const tokens = Array.from({ length: 12_000 }, (_, id) =>
      aToken(id, id < 11_990 ? [CAP] : [CAP, LASER]),
    );
    const { search, searchAll, table } = await world({ tokens });
    // An outdated count makes the common trait look rare, so the search reads its postings.
    const key = { pk: `TOKENS#${PUNKS}`, sk: `#COUNT#${traitKey(CAP)}` };
    await table.put({ ...key, count: 1 });

    const first = await search({ hat: 'cap', eyes: 'laser' });
    const pages = await searchAll({ hat: 'cap', eyes: 'laser' });

    expect(first.body.result).toEqual([]);
    expect(idsOf(...pages)).toHaveLength(10);
  });

  const asked = (traits: readonly Trait[]) =>
    JSON.stringify(['traits', PUNKS, traits.map(traitKey).toSorted()]);
  const forged = (after: string) => cursorTo({ after, page: 2, limit: 10 }, asked([CAP]));

  it.each([
    ['truncated', (cursor: string) => cursor.slice(0, -1)],
    ['changed', (cursor: string) => `${cursor.slice(0, 10)}_${cursor.slice(11)}`],
    ['from the upstream', () => 'eyJhbGciOiJIUzI1NiJ9.x.y'],
    ['from another search', () => cursorTo({ after: '1', page: 2, limit: 10 }, asked([LASER]))],
    ['forged with a malformed id', () => forged('x')],
    ['forged with a negative id', () => forged('-1')],
    ['forged with an id above the maximum', () => forged(`${2n ** 256n}`)],
    ['forged with an id far above the maximum', () => forged('9'.repeat(2000))],
  ])('the traits search returns 400 for a cursor that is %s', async (_what, damage) => {
    const { search } = await world({ tokens: [1, 2, 3].map((id) => aToken(id, [CAP])) });
    const { body } = await search({ hat: 'cap' }, { limit: '1' });

    const { status, body: problem } = await search({ hat: 'cap' }, { cursor: damage(body.cursor) });

    expect([status, problem.errors[0].pointer]).toEqual([400, '?cursor']);
  });

  it('the traits search accepts a cursor to the largest id', async () => {
    const { search } = await world({ tokens: [aToken(1, [CAP])] });

    expect(await search({ hat: 'cap' }, { cursor: forged(`${2n ** 256n - 1n}`) })).toMatchObject({
      status: 200,
      body: { result: [], cursor: '' },
    });
  });
});

it.each(CHAINS)('the archive accepts the name and the hex id of the chain $name', async (chain) => {
  const contract = contractKey({ chain, address: ADDRESS });
  const { ask } = await world({
    tokens: [{ ...aToken(1, [['hat', 'cap']]), contract }],
    trades: [{ ...aSale(7, NOON), contract }],
  });

  for (const word of [chain.name, chain.hex, chain.hex.toUpperCase()]) {
    const query = { chain: word };
    const found = await ask(TRAITS, { body: { traits: { hat: 'cap' } }, query });
    const lowest = await ask(LOWEST, { query });
    const floors = await ask(FLOORS, { query: { ...query, interval: '1d' } });

    expect([idsOf(found), lowest.body.price]).toEqual([['1'], '7']);
    expect(floors.status).toBe(chain.operations.includes('floor') ? 200 : 400);
  }
});

describe('the floor history', () => {
  const hourly = (hours: number) =>
    Array.from({ length: hours }, (_, hour) => ({
      time: NOON - hour * HOUR,
      price: `${1 + hour}`,
    }));

  it.each([
    ['1d', 25],
    ['7d', 7 * 24 + 1],
    ['30d', 30 * 24 + 1],
    ['60d', 61],
    ['90d', 91],
    ['1y', 101],
    ['all', 101],
  ])(
    'the floor history of %s contains every floor once, newest first: %i points',
    async (interval, count) => {
      const { ask } = await world({ floors: hourly(24 * 100 + 13) });
      const pages = [await ask(FLOORS, { query: { interval } })];
      for (let cursor = pages[0]?.body.cursor; cursor !== ''; cursor = pages.at(-1)?.body.cursor) {
        pages.push(await ask(FLOORS, { query: { interval, cursor } }));
      }

      const times = pages.flatMap(({ body }) =>
        body.result.map(({ timestamp }: { timestamp: string }) => timestamp),
      );
      expect(times).toHaveLength(count);
      expect(times).toEqual([...new Set(times)].toSorted().toReversed());
      expect(times[0]).toBe(formatInstant(NOON));
      expect(pages.map(({ body }) => body.page)).toEqual(pages.map((_, index) => index + 1));
    },
  );

  it('the floor history returns the marketplaces of an imported floor with their logos, even if a name contains a comma', async () => {
    const { ask, table } = await world();
    const marketplace = [
      { name: 'Sales, Ltd.', logo: 'https://example.com/a.png' },
      { name: 'b', logo: '' },
    ];
    const line = FloorLine.parse(aFloorLine(formatInstant(NOON), '5', { marketplace }));
    await createFloorArchive(table).putFloors([{ contract: PUNKS, point: floorIn(line) }], NOON);

    const { body } = await ask(FLOORS, { query: { interval: '1d' } });

    expect(body.result[0].marketplace).toEqual(marketplace);
  });

  it('the floor history returns an empty last page if its interval has moved past the requested page', async () => {
    const { ask, clock } = await world({ floors: hourly(24 * 8) });
    const first = await ask(FLOORS, { query: { interval: '7d' } });

    clock.now = NOON + 6 * DAY;
    const { cursor } = first.body;
    const later = await ask(FLOORS, { query: { interval: '7d', cursor } });

    expect(later).toMatchObject({ status: 200, body: { page: 2, cursor: '', result: [] } });
  });

  it('the floor history contains no floors from the future', async () => {
    const { ask } = await world({ floors: [{ time: NOON + 1, price: '5' }] });

    const reported = await ask(FLOORS, { query: { interval: 'all' } });
    const asked = JSON.stringify(['floor', PUNKS, 'all']);
    const forged = cursorTo({ after: '2999-01-01T00:00:00Z', page: 2, limit: 100 }, asked);
    const foreseen = await ask(FLOORS, { query: { interval: 'all', cursor: forged } });

    expect([reported.body.result, foreseen.body.result]).toEqual([[], []]);
  });

  it('the floor history returns 400 for a cursor of another interval, or with a malformed time', async () => {
    const { ask } = await world({ floors: hourly(24 * 8) });
    const { body } = await ask(FLOORS, { query: { interval: '7d' } });
    const nonsense = cursorTo(
      { after: 'noon', page: 2, limit: 100 },
      JSON.stringify(['floor', PUNKS, '7d']),
    );

    const other = await ask(FLOORS, { query: { interval: '30d', cursor: body.cursor } });
    const none = await ask(FLOORS, { query: { interval: '7d', cursor: nonsense } });

    expect([other.status, none.status]).toEqual([400, 400]);
  });
});
