import { describe, expect, it } from 'vitest';
import { createChartAddress } from '#functions/deliver-messages/chart-address.ts';
import { openChartToken } from '#shared/domain/charts/chart-token.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { anAlert, aRule, eth, NOON } from '#test/support/builders.ts';

const KEY = 'the key of links';
const PUBLIC_URL = 'https://api.example.com/prod/v1/';
const { signal } = new AbortController();

function aSigner(readKey: () => Promise<string> = async () => KEY) {
  const missing: unknown[] = [];
  const waits: number[] = [];
  const chartAddress = createChartAddress({
    now: () => NOON,
    // Time passes at once, but after all that is known already.
    sleepUntil: async (instant) => {
      waits.push(instant - NOON);
      await new Promise((resolve) => setImmediate(resolve));
    },
    readKey,
    publicUrl: PUBLIC_URL,
    onMissing: (error) => missing.push(error),
  });
  return { chartAddress, missing, waits };
}

describe('the address of a chart', () => {
  it('is one of the interface, signed, and works for thirty days from the alert on', async () => {
    const { chartAddress } = aSigner();
    const rule = aRule({ threshold: '60', recover: '65' });

    const address = (await chartAddress(anAlert(), rule, signal)) ?? '';
    const token = address.slice(`${PUBLIC_URL}charts/`.length).replace(/\.png$/, '');

    expect(address).toMatch(/^https:\/\/api\.example\.com\/prod\/v1\/charts\/[\w-]+\.[\w-]+\.png$/);
    expect(openChartToken(KEY, token, NOON + DAY)).toMatchObject({
      kind: 'opened',
      content: { title: 'CryptoPunks', recover: eth('65') },
      endsAt: Date.parse(anAlert().at) + 30 * DAY,
    });
  });

  it('is left out for an alert about no price, whose key is not asked for', async () => {
    const { chartAddress } = aSigner(async () => {
      throw new Error('it was asked for');
    });

    expect(await chartAddress(anAlert({ kind: 'expired' }), undefined, signal)).toBeUndefined();
  });

  it.each([
    { what: 'is missing', readKey: () => Promise.reject(new Error('missing')) },
    { what: 'does not come', readKey: () => new Promise<never>(() => {}) },
  ])('is left out where its key $what: the alert waits half a second at most', async (given) => {
    const { chartAddress, missing, waits } = aSigner(given.readKey);

    expect(await chartAddress(anAlert(), undefined, signal)).toBeUndefined();
    expect(missing).toHaveLength(1);
    expect(waits).toEqual([500]);
  });
});
