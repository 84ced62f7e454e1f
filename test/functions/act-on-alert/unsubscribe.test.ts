import { describe, expect, it } from 'vitest';
import { composeActOnAlert } from '#functions/act-on-alert/compose.ts';
import { actOnAlert } from '#functions/act-on-alert/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { addressOf, type Channel } from '#shared/channels/channel.ts';
import {
  configured,
  newChannelRecord,
  subscribed,
} from '#shared/domain/channels/channel-record.ts';
import { channelStatus } from '#shared/domain/channels/channel-status.ts';
import { unsubscribeToken } from '#shared/domain/channels/unsubscribe-link.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { anHttpRequest, aWatchlist, NOON } from '#test/support/builders.ts';
import { anOutside } from '#test/support/outside.ts';

const KEY = 'the key of links';
const DESK = 'acme#punks#desk';
const desk = { id: 'desk', kind: 'email', to: 'desk@example.com' } as const;
const night = { ...desk, id: 'night', to: 'night@example.com' } as const;
const LINK = { destinationId: DESK, to: desk.to } as const;

/** A list with a confirmed email channel, and the unsubscribe link of its messages. */
async function aList(channels: readonly Channel[] = [desk, night]) {
  const table = createMemoryTable();
  const state = { now: NOON };
  await createWatchlistStore(table).put(aWatchlist({ channels }));
  const records = createChannelStore(table);
  for (const { destinationId, channel } of [
    { destinationId: DESK, channel: desk },
    { destinationId: 'acme#punks#night', channel: night },
  ] as const) {
    const record = configured(newChannelRecord(destinationId, NOON), addressOf(channel));
    await records.put(subscribed(record, 'confirmed', NOON));
  }
  const composed = composeActOnAlert(anOutside({ table: () => table, now: () => state.now }));
  const ports = { ...composed.ports, readKey: async () => KEY };
  const episode = async (channel: typeof desk | typeof night = desk) =>
    channelStatus(channel, await records.get(`acme#punks#${channel.id}`));
  const token = unsubscribeToken(KEY, LINK, NOON) ?? '';
  const ask = async (
    method: 'GET' | 'POST',
    given: { token?: string; type?: string; body?: string } = {},
  ) => {
    const request = anHttpRequest(`${method} /v1/subscriptions/{subscription}`, {
      path: { subscription: given.token ?? token },
    });
    const headers = given.type === undefined ? {} : { 'Content-Type': given.type };
    return await actOnAlert(ports, { ...request, headers, body: given.body ?? null });
  };
  return { table, state, ask, episode, jobs: createJobStore(table) };
}

describe('the unsubscribe link of an email', () => {
  it('opening an unsubscribe link only shows a button, because mail scanners open links', async () => {
    const { ask, table } = await aList();
    const before = table.items();

    const { statusCode, body } = await ask('GET');

    expect(statusCode).toBe(200);
    expect(body).toContain(
      'Alerts for channel desk of watchlist punks are sent to desk@example.com',
    );
    expect(body).toContain('<form method="post">');
    expect(table.items()).toEqual(before);
  });

  it.each([
    { by: 'the button on its page', type: 'application/x-www-form-urlencoded', body: '' },
    {
      by: 'a mail program',
      type: 'application/x-www-form-urlencoded',
      body: 'List-Unsubscribe=One-Click',
    },
    {
      by: 'a mail program that sends multipart form data',
      type: 'multipart/form-data; boundary=x',
      body: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    },
  ])(
    'an unsubscribe link unsubscribes its email channel immediately when used by $by',
    async ({ type, body }) => {
      const { ask, episode, jobs } = await aList();

      const answer = await ask('POST', { type, body });

      expect([answer.statusCode, answer.headers?.Location]).toEqual([200, undefined]);
      expect(await episode()).toEqual({
        ...{ state: 'gone', reason: 'the recipient has unsubscribed', since: NOON },
      });
      expect(await episode(night)).toEqual({ state: 'working' });
      const job = await jobs.get({ tenant: 'acme', id: 'punks' }, { kind: 'topic' });
      expect(job?.dueAt).toBe(NOON);
    },
  );

  it('an unsubscribe link works for a year, and may be used more than once', async () => {
    const { ask, episode, state } = await aList();
    await ask('POST');
    state.now = NOON + 364 * DAY;

    expect((await ask('POST')).statusCode).toBe(200);
    expect(await episode()).toMatchObject({ since: NOON });
    state.now = NOON + 365 * DAY;
    expect((await ask('POST')).statusCode).toBe(410);
  });

  it.each([
    { what: 'has a new address', channels: [{ ...desk, to: 'other@example.com' }] },
    { what: 'was removed', channels: [] },
  ])('an unsubscribe link has no effect if its channel $what', async ({ channels }) => {
    const { ask, table } = await aList(channels);
    const before = table.items();

    expect((await ask('POST')).statusCode).toBe(410);
    expect(table.items()).toEqual(before);
  });

  it('an unsubscribe link with a forged signature returns 404', async () => {
    const { ask, state } = await aList();
    state.now = NOON + HOUR;

    const forged = unsubscribeToken('another key', LINK, NOON) ?? '';
    expect((await ask('POST', { token: forged })).statusCode).toBe(404);
    expect((await ask('GET', { token: forged })).statusCode).toBe(404);
  });

  it('an unsubscribe link does not contain the email address', () => {
    const [body = ''] = (unsubscribeToken(KEY, LINK, NOON) ?? '').split('.');

    expect(Buffer.from(body, 'base64url').toString()).not.toContain('example');
  });
});
