import { env } from 'node:process';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { traitsOf } from '#shared/domain/archive/token.ts';
import { startLocalStack } from '#test/support/local-stack.ts';
import { startOpenSea } from '#test/support/opensea/opensea-double.ts';

/** The current floor of a collection of the fake, in OpenSea's format. */
const statsOf = (floor: string) => ({
  status: 200,
  body: `{"intervals":[],"total":{"volume":0,"volume_symbol":"","sales":0,"num_owners":0,"floor_price":${floor},"floor_price_symbol":"ETH"}}`,
});

/** Takes two minutes, because real prices arrive in real time. */
it('npm start -- --live shows real prices immediately, watches them, and returns them in the v2.2 API', async () => {
  let floor = '10.000000000000000007';
  const now = Date.now();
  const source = createSimulatedMarket(1, now);
  await using openSea = await startOpenSea({
    source,
    now: Date.now,
    instead: (path) => (path.endsWith('/moonlit-apes/stats') ? statsOf(floor) : undefined),
  });
  await using stack = startLocalStack(
    ['--live', 'moonlit-apes below 9.5', '--for', '6m'],
    'shown',
    { ...env, OPENSEA_URL: openSea.url },
  );
  const seen: string[] = [];
  const titles: string[] = [];
  let [url, ofTraits] = ['', ''];
  let headers = {};

  for await (const line of stack.events) {
    if (line.event === 'collection') {
      seen.push(`${line.name} ${line.floor}, alerts ${line.lines.join()}`);
    }
    if (line.event === 'ready') {
      const [collection] = source.contracts();
      if (collection === undefined) break;
      const { contract } = collection;
      const path = `/api/v2.2/nft/${contract.slice('eth:'.length)}`;
      headers = { 'X-API-Key': line.apiKey };
      url = line.url;
      const ask = async (way: string, body?: object) => {
        const method = body === undefined ? 'GET' : 'POST';
        const request = body === undefined ? {} : { body: JSON.stringify(body) };
        return (await fetch(`${url}${path}/${way}`, { method, headers, ...request })).status;
      };
      seen.push(
        `${await ask('floor-price/historical?interval=7d')}`,
        `${await ask('lowestprice?days=1')}`,
        `${await ask('nfts-by-traits', { traits: { Fur: 'Gold' } })}`,
      );
      const [type = '', value = ''] = traitsOf(source.tokens(contract)[0] ?? NO_TOKEN)[0] ?? [];
      const body = JSON.stringify({
        ...{ id: 'traits', name: 'Traits' },
        contracts: [{ contract: 'moonlit-apes', traits: { [type]: `${value}` } }],
        rules: [{ id: 'floor', metric: 'floor_price', when: 'above', threshold: '1' }],
      });
      const made = await fetch(`${url}/v1/watchlists`, { method: 'POST', headers, body });
      seen.push(`${made.status}`);
      ofTraits = `Moonlit Apes (${type}: ${value}) above 1 ETH`;
      // From the second poll on, the floor is past the threshold.
      await pollsOf(openSea.requests, 2);
      floor = '9.500000000000000000';
    }
    if (line.event !== 'alert') continue;
    if (line.alert.watchlist === 'traits') titles.push(line.alert.title);
    else {
      seen.push(`${line.alert.kind} at ${line.alert.value}`);
      const watched = await (await fetch(`${url}/v1/contracts`, { headers })).json();
      seen.push(`each ${Watched.parse(watched).contracts[0]?.cadenceMinutes} minutes`);
    }
    // Both rules may fire in the same minute, in any order.
    if (titles.length > 0 && seen.some((one) => one.startsWith('fired'))) break;
  }

  expect(seen).toEqual([
    'Moonlit Apes 10.000000000000000007, alerts below 9.5',
    ...['200', '200', '200', '201'],
    'fired at 9.5',
    'each 1 minutes',
  ]);
  expect(titles).toEqual([expect.stringContaining(ofTraits)]);
  expect(openSea.issues).toEqual([]);
});

const NO_TOKEN = { metadata: null };

const Watched = z.object({ contracts: z.array(z.object({ cadenceMinutes: z.number() })) });

/** Waits until the floor of a collection has been requested this number of times. */
async function pollsOf(requests: readonly string[], times: number): Promise<void> {
  const asked = () => requests.filter((request) => request.endsWith('/stats')).length;
  while (asked() < times) await new Promise((resolve) => setTimeout(resolve, 200));
}
