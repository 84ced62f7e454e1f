import { describe, expect, it } from 'vitest';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { openLiveMarket } from '#infra/local/live/live-market.ts';
import { RequestedWatch } from '#infra/local/live/requested-watch.ts';
import { lowestTrade } from '#infra/local/upstream/market-source.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { formatDecimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import {
  INSTANT_KEY,
  type OpenSeaDoubleOptions,
  startOpenSea,
} from '#test/support/opensea/opensea-double.ts';

const now = Date.now();
const source = createSimulatedMarket(1, now);
const [apes] = source.contracts();
if (apes === undefined) throw new Error('the market has no collection');

/** Opens a live market for the requested collections, with a fake OpenSea. */
async function open(
  texts: readonly string[],
  { given = {}, key }: { given?: Partial<OpenSeaDoubleOptions>; key?: string } = {},
  kept?: Parameters<typeof openLiveMarket>[1],
) {
  await using double = await startOpenSea({ source, now: () => now, ...given });
  const { url, issues, requests } = double;
  const choice = {
    kind: 'live',
    requests: texts.map((request) => RequestedWatch.parse(request)),
    url,
    key,
    others: [],
  } as const;
  const market = await openLiveMarket(choice, kept);
  return { market, issues: [...issues], requests: [...requests] };
}

describe('a requested collection', () => {
  it.each([
    ['boredapeyachtclub', { asked: 'boredapeyachtclub' }],
    ['Bored Ape below 9.5', { asked: 'Bored Ape', rule: { when: 'below', threshold: '9.5' } }],
    ['below deck above 3', { asked: 'below deck', rule: { when: 'above', threshold: '3' } }],
    ['Way below', { asked: 'Way below' }],
  ])('the argument "%s" is read as a collection and an optional threshold', (text, request) => {
    expect(RequestedWatch.parse(text)).toEqual(request);
  });

  it.each(['', ' ', 'azuki below three', 'azuki above 0', 'azuki above -1'])(
    'the argument "%s" is rejected as a collection',
    (text) => {
      expect(RequestedWatch.safeParse(text).success).toBe(false);
    },
  );
});

/** Arguments of `open` for this number of collections, which the fake OpenSea invents. */
function manyCollections(count: number): Parameters<typeof open> {
  const names = Array.from({ length: count }, (_, index) => `made-up-${index + 10}`);
  const instead = (path: string) => {
    const [, name = ''] = /^\/api\/v2\/collections\/(made-up-\d+)$/.exec(path) ?? [];
    const [, index] = /0x0+(\d\d)$/.exec(path) ?? [];
    if (name !== '') {
      const address = `0x${name.slice(-2).padStart(40, '0')}`;
      return { status: 200, body: { name, contracts: [{ address, chain: 'ethereum' }] } };
    }
    if (index !== undefined) {
      const collection = `made-up-${index}`;
      const body = { collection, name: collection, address: '', chain: '', contract_standard: '' };
      return { status: 200, body };
    }
    return path.includes('/events/')
      ? { status: 200, body: { asset_events: [] } }
      : path.includes('/floor_prices')
        ? { status: 200, body: { floor_prices: [] } }
        : path.includes('/stats')
          ? { status: 200, body: { intervals: [], total: TOTAL } }
          : undefined;
  };
  return [names, { given: { instead } }];
}

const TOTAL = {
  ...{ floor_price: 2.5, floor_price_symbol: 'ETH', volume: 0, volume_symbol: '' },
  ...{ sales: 0, num_owners: 0 },
};

describe('a live market', () => {
  it('a live market creates a key, finds the collection, and returns its prices', async () => {
    const { market, issues, requests } = await open(['moonlit-apes below 9.5']);

    const [floor] = source.floors(apes.contract, now - DAY, now);
    const sale = lowestTrade(source, apes.contract, now - 7 * DAY, now);
    expect(market.collections).toMatchObject([
      {
        ...{ name: apes.name, contract: apes.contract, unit: 'eth', lines: ['below 9.5'] },
        floor: formatDecimal(readDecimal(floor?.record.floor_price ?? '') ?? 0n),
        lowestSale: { price: formatDecimal(BigInt(sale?.record.price ?? 0)) },
      },
    ]);
    expect(market.upstreamKey).toBe(INSTANT_KEY);
    expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
    expect(issues).toEqual([]);
  });

  it.each([
    ['its name', 'Moonlit Apes'],
    ['its name in any case', 'moonlit apes'],
    ['its address', apes.contract],
    ['a link to it', 'https://opensea.io/collection/moonlit-apes/overview'],
    ['a link to a token', `https://opensea.io/item/ethereum/${apes.contract.slice(4)}/17`],
  ])('a live market finds a collection by %s', async (_how, request) => {
    const { market } = await open([request]);

    expect(market.collections?.map(({ contract }) => contract)).toEqual([apes.contract]);
  });

  it('a collection without a threshold is watched for moves of 5% in both directions', async () => {
    const { market } = await open(['moonlit-apes']);

    const [{ floor, lines } = { floor: null, lines: [] }] = market.collections ?? [];
    const [below, above] = lines.map((line) => Number(line.split(' ')[1]));
    expect((below ?? 0) / Number(floor)).toBeCloseTo(0.95, 2);
    expect((above ?? 0) / Number(floor)).toBeCloseTo(1.05, 2);
    expect(market.demo).toMatchObject([{ rules: [{ when: 'below' }, { when: 'above' }] }]);
  });

  it('a collection that is given twice is watched once, with both thresholds', async () => {
    const { market } = await open([
      'moonlit-apes below 3',
      'Moonlit Apes above 5.00000000000000001',
      'moonlit-cats',
    ]);

    const [list] = market.demo;
    const parsed = WatchlistBody.safeParse(list);
    expect(parsed.error?.issues ?? []).toEqual([]);
    expect(parsed.data?.contracts).toHaveLength(2);
    expect(market.collections?.map(({ lines }) => lines.length)).toEqual([2, 2]);
  });

  it.each([
    { name: `${'Very long '.repeat(12)}name`, shown: 50 },
    { name: 'Joined \u{1F468}\u200D\u{1F469} name\n', shown: 15 },
  ])('a live market creates a valid watchlist for a collection with any name', async ({ name }) => {
    const contracts = [{ address: apes.contract.slice(4), chain: 'ethereum' }];
    const instead = (path: string) =>
      path === '/api/v2/collections/moonlit-apes'
        ? { status: 200, body: { name, contracts } }
        : undefined;

    const { market } = await open(['moonlit-apes'], { given: { instead } });

    expect(WatchlistBody.safeParse(market.demo[0]).error?.issues ?? []).toEqual([]);
  });

  it('a live market creates a new key if OpenSea revoked the stored one', async () => {
    const kept = { key: 'ended early', endsAt: now + 5 * DAY, readsPerHour: 600 };

    const { market } = await open(['moonlit-apes'], {}, kept);

    expect(market.upstreamKey).toBe(INSTANT_KEY);
  });

  it.each([
    { collections: 1, cadence: 'every minute' },
    { collections: 7, cadence: 'every minute' },
    { collections: 8, cadence: 'every 2 minutes, and more often after a price change' },
    { collections: 20, cadence: 'every 3 minutes, and more often after a price change' },
  ])(
    '$collections collections are polled as often as the free key allows: $cadence',
    async ({ collections, cadence }) => {
      const { market } = await open(...manyCollections(collections));

      expect(market.label).toContain(
        `OpenSea in real time, polled ${cadence}, 600 calls an hour with`,
      );
    },
  );

  it('a stored key is used until its last day', async () => {
    const kept = { key: INSTANT_KEY, endsAt: now + 2 * DAY, readsPerHour: 600 };
    const late = { ...kept, endsAt: now + DAY / 2 };

    const [early, renewed] = await Promise.all([
      open(['moonlit-apes'], {}, kept),
      open(['moonlit-apes'], {}, late),
    ]);

    const keysMade = [early, renewed].map(
      ({ requests }) => requests.filter((request) => request.startsWith('POST')).length,
    );
    expect(keysMade).toEqual([0, 1]);
  });

  it('a live market creates no key if the environment contains one', async () => {
    const { market, requests } = await open(['moonlit-apes'], { key: INSTANT_KEY });

    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    expect(market.label).toContain('your key');
  });

  it.each([
    { request: 'no such collection', issue: 'OpenSea found no such collection' },
    { request: 'moonlit', issue: 'Moonlit Apes (moonlit-apes), Moonlit Cats' },
    { request: `linea:0x${'1'.repeat(40)}`, issue: 'no chain that both OpenSea' },
    { request: `eth:0x${'1'.repeat(40)}`, issue: 'OpenSea has no such collection' },
  ])('a live market rejects the collection "$request": $issue', async ({ request, issue }) => {
    await expect(open([request])).rejects.toThrow(UsageError);
    await expect(open([request])).rejects.toThrow(issue);
  });

  it.each([
    { path: '/api/v2/auth/keys', status: 429, issue: 'set OPENSEA_API_KEY' },
    { path: '/api/v2/auth/keys', status: 503, issue: 'OpenSea is not available (server error)' },
    { path: '/api/v2/collections/moonlit-apes', status: 500, issue: 'is not available' },
    { path: '/api/v2/collections/moonlit-apes/stats', status: 200, issue: '(garbage)' },
  ])(
    'a live market reports why it cannot start: $path returns $status',
    async ({ path, status, issue }) => {
      const instead = (asked: string) =>
        asked === path ? { status, body: { errors: ['no'] } } : undefined;

      await expect(open(['moonlit-apes'], { given: { instead } })).rejects.toThrow(issue);
    },
  );

  it('a live market returns null for a missing price of a collection', async () => {
    const instead = (asked: string) => {
      if (asked.endsWith('/stats')) {
        const total = {
          floor_price: 0,
          floor_price_symbol: '',
          volume: 0,
          sales: 0,
          num_owners: 0,
        };
        return { status: 200, body: { intervals: [], total: { ...total, volume_symbol: '' } } };
      }
      return asked.startsWith('/api/v2/events/')
        ? { status: 200, body: { asset_events: [] } }
        : undefined;
    };

    const { market } = await open(['moonlit-apes'], { given: { instead } });

    expect(market.collections).toMatchObject([
      { floor: null, day: null, lowestSale: null, lines: [] },
    ]);
  });
});
