import { expect, it } from 'vitest';
import type { HttpClient } from '#shared/clients/http-client.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { PROVIDER_LIMITS } from '#shared/domain/polling/provider-limits.ts';
import { createOthers } from '#shared/providers/create-others.ts';
import { NOON, PUNKS, someLimits } from '#test/support/builders.ts';

const { signal } = new AbortController();
const ofGold = { ...contractOf(PUNKS), traits: [['Fur', 'Solid Gold']] } as const;
const WHOLE = Provider.options.filter((provider) => provider !== 'opensea');

it.each(WHOLE)(
  'sends %s no request for a trait filter, which is reported as unsupported',
  async (provider) => {
    const http: HttpClient = {
      request: async () => {
        throw new Error('it is asked');
      },
    };
    const limits = someLimits({ ...PROVIDER_LIMITS[provider], provider });
    const settings = () => ({ http, now: () => NOON, apiKey: async () => 'a key' });
    const [other] = createOthers(
      [{ limits, url: 'https://provider.example', keyParameter: '/key' }],
      settings,
    );
    const poll = { askedAt: NOON, newest: undefined, reachesBack: false };

    const { floorHistory, lowestTrade, salesBetween } = other?.upstream ?? {};

    const answers = await Promise.all([
      floorHistory?.(ofGold, { interval: '1d', poll }, signal),
      lowestTrade?.(ofGold, 1, 'lowestprice', signal),
      salesBetween?.(ofGold, { from: NOON }, signal),
    ]);

    const given = answers.filter((answer) => answer !== undefined);
    expect(new Set(given.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set(['{"kind":"unsupported","reason":"traits"}']),
    );
  },
);
