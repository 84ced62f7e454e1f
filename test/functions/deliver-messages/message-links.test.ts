import { describe, expect, it } from 'vitest';
import { createMessageLinks } from '#functions/deliver-messages/message-links.ts';
import { openActionToken } from '#shared/domain/alerting/alert-action.ts';
import { openChartToken } from '#shared/domain/charts/chart-token.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { anAlert, aRule, eth, NOON } from '#test/support/builders.ts';

const KEY = 'the key of links';
const PUBLIC_URL = 'https://api.example.com/prod/v1/';
const OPERATORS = { rule: undefined, channel: undefined };
const expired = anAlert({ kind: 'expired', open: null, episode: null });
const { signal } = new AbortController();

function aSigner(readKey: () => Promise<string> = async () => KEY) {
  const missing: unknown[] = [];
  const waits: number[] = [];
  const messageLinks = createMessageLinks({
    now: () => NOON,
    // A sleep ends at once, but after the callbacks of settled promises.
    sleepUntil: async (instant) => {
      waits.push(instant - NOON);
      await new Promise((resolve) => setImmediate(resolve));
    },
    readKey,
    publicUrl: PUBLIC_URL,
    onMissing: (error) => missing.push(error),
  });
  return { messageLinks, missing, waits };
}

describe('the link to the actions of an alert', () => {
  const tokenIn = (address = '') => address.slice(`${PUBLIC_URL}actions/`.length);

  it.each(['desk', undefined])(
    'the link to actions identifies the alert and its channel (%s), and expires after a week',
    async (channel) => {
      const { messageLinks } = aSigner();

      const { actions } = await messageLinks(anAlert(), { rule: undefined, channel }, signal);

      const { tenant, watchlist, at, id } = anAlert();
      expect(actions).toMatch(/^https:\/\/api\.example\.com\/prod\/v1\/actions\/[\w-]+\.[\w-]+$/);
      expect(openActionToken(KEY, tokenIn(actions), NOON)).toEqual({
        ...{ kind: 'opened', content: { tenant, watchlist, at, id, channel } },
        endsAt: Date.parse(at) + 7 * DAY,
      });
    },
  );

  it.each([
    { what: 'its episode is over', given: { open: false } },
    { what: 'it has no episode', given: { open: null, episode: null } },
    { what: 'its watch never had a value', given: { kind: 'stale' as const, episode: 0 } },
  ])('a message has no link to actions if $what', async ({ given }) => {
    const { messageLinks } = aSigner();

    expect(await messageLinks(anAlert(given), OPERATORS, signal)).toMatchObject({
      ...{ chart: expect.any(String), actions: undefined },
    });
  });
});

describe('the link to a chart', () => {
  it('the link to a chart is signed, and expires thirty days after the alert', async () => {
    const { messageLinks } = aSigner();
    const rule = aRule({ threshold: '60', recover: '65' });

    const about = { rule, channel: 'desk' };
    const { chart: address = '' } = await messageLinks(anAlert(), about, signal);
    const token = address.slice(`${PUBLIC_URL}charts/`.length).replace(/\.png$/, '');

    expect(address).toMatch(/^https:\/\/api\.example\.com\/prod\/v1\/charts\/[\w-]+\.[\w-]+\.png$/);
    expect(openChartToken(KEY, token, NOON + DAY)).toMatchObject({
      kind: 'opened',
      content: { title: 'CryptoPunks', recover: eth('65') },
      endsAt: Date.parse(anAlert().at) + 30 * DAY,
    });
  });

  it('an alert without a price has no chart link, and the signing key is not read', async () => {
    const { messageLinks } = aSigner(async () => {
      throw new Error('it was asked for');
    });

    expect(await messageLinks(expired, OPERATORS, signal)).toEqual({});
  });

  it.each([
    { what: 'cannot be read', readKey: () => Promise.reject(new Error('missing')) },
    { what: 'is not read', readKey: () => new Promise<never>(() => {}) },
  ])(
    'a message has neither links nor a chart if the signing key $what within five seconds',
    async (given) => {
      const { messageLinks, missing, waits } = aSigner(given.readKey);

      expect(await messageLinks(anAlert(), OPERATORS, signal)).toEqual({});
      expect(missing).toHaveLength(1);
      expect(waits).toEqual([5000]);
    },
  );
});
