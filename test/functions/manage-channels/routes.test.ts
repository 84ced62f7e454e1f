import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { composeManageChannels } from '#functions/manage-channels/compose.ts';
import type { ManageChannelsPorts } from '#functions/manage-channels/ports.ts';
import { manageChannels } from '#functions/manage-channels/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { addressOf, type Channel } from '#shared/channels/channel.ts';
import {
  type ChannelRecord,
  configured,
  failed,
  newChannelRecord,
  subscribed,
  succeeded,
  turnedOff,
} from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { noContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { anHttpRequest, aWatchlist, NOON } from '#test/support/builders.ts';
import { documented } from '#test/support/documented.ts';
import { anOutside } from '#test/support/outside.ts';

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:floorwatch-test-abc';
const SECRET = { sealed: 'v1.k.x', hash: '0123abcd' };
const email: Channel = { id: 'desk', kind: 'email', to: 'desk@example.com' };
const slack: Channel = { id: 'chat', kind: 'slack', url: SECRET };
const webhook: Channel = {
  ...{ id: 'hook', kind: 'webhook', url: 'https://example.com/hook' },
  secrets: [SECRET],
};

/** The channels API for one list, with an in-memory table. */
async function world(channels: readonly Channel[], given: Partial<ManageChannelsPorts> = {}) {
  const table = createMemoryTable();
  const alerts = createAlertStore(table);
  const records = createChannelStore(table);
  const inbox = createInboxStore(table);
  const watchlists = createWatchlistStore(table);
  await watchlists.put(aWatchlist({ channels }));
  const sent: Outgoing<ChannelMessage>[] = [];
  const tokens: string[] = [];
  const ports: ManageChannelsPorts = {
    ...composeManageChannels(anOutside({ table: () => table, uniqueNumber: () => 7 })).ports,
    topicOf: () => TOPIC,
    confirm: async (_list, _endpoint, token) => {
      tokens.push(token);
      return token === 'good' ? { state: 'confirmed' } : undefined;
    },
    sendToChannels: async (messages) => void sent.push(...messages),
    ...given,
  };
  const handler = documented(
    middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(answersProblems({ info: () => undefined, error: () => undefined }))
      .handler((event) => manageChannels(ports, event)),
  );

  const ask = async (request: string, about: Parameters<typeof anHttpRequest>[1] = {}) => {
    const [method = '', channel, action] = request.split(/[ /]/);
    const named = channel === undefined ? '' : '/{channel}';
    const below = action === undefined ? named : `${named}/${action}`;
    const route = `${method} /v1/watchlists/{watchlist}/channels${below}`;
    const path = { watchlist: 'punks', ...(channel === undefined ? {} : { channel }) };
    const event = anHttpRequest(route, { path, ...about });
    const { statusCode: status, headers = {}, body } = await handler(event, {} as Context);
    return { status, headers, body: JSON.parse(body) };
  };
  /** Author, kind and subject of each change. */
  const auditLog = async () => {
    const { entries } = await createChangeStore(table).ofTenant('acme', NOON, 10, undefined);
    return entries.map(({ by, kind, watchlist, subject }) => [by.name, kind, watchlist, subject]);
  };
  const put = async (channel: Channel, to: (record: ChannelRecord) => ChannelRecord) => {
    const destinationId = channelDestinationId({ tenant: 'acme', id: 'punks' }, channel.id);
    return await records.put(
      to(configured(newChannelRecord(destinationId, NOON), addressOf(channel))),
    );
  };
  return { ask, put, records, alerts, inbox, sent, tokens, table, auditLog, watchlists };
}

describe('the channels of a list', () => {
  it('the channels of a list are returned with their states, and without secrets', async () => {
    const { ask, put } = await world([email, slack, webhook]);
    await put(slack, (record) => succeeded(record, 'sent', NOON));

    const { status, body } = await ask('GET');

    expect(status).toBe(200);
    expect(body.channels).toEqual([
      {
        ...email,
        ...{ state: 'pending', reason: 'the subscription is not confirmed yet', since: null },
        ...{ lastSuccess: null, waiting: 0 },
      },
      {
        ...{ id: 'chat', kind: 'slack', url: 'kept:0123abcd', state: 'working', reason: null },
        ...{ since: null, lastSuccess: formatInstant(NOON), waiting: 0 },
      },
      expect.objectContaining({
        ...{ id: 'hook', state: 'pending', secrets: ['kept:0123abcd'] },
        reason: 'the webhook has not responded to its challenge yet',
      }),
    ]);
    expect(body.undeliverable).toBe(false);
  });

  it('a single channel is returned with the revision of its list', async () => {
    const { ask, put } = await world([email, slack, webhook]);
    await put(slack, (record) => failed(record, '503', NOON));

    const { status, headers, body } = await ask('GET chat');
    const missing = await ask('GET nothing');

    expect([status, headers.ETag]).toEqual([200, expect.stringMatching(/^"1\.[\w-]{16}"$/)]);
    expect(body).toMatchObject({
      channel: { id: 'chat', url: 'kept:0123abcd', state: 'failing', reason: '503', waiting: 0 },
      ...{ revision: 1, pendingChanges: 0 },
    });
    expect(missing.status).toBe(404);
  });

  it.each<{
    what: string;
    channel: Channel;
    to: (record: ChannelRecord) => ChannelRecord;
    status: object;
    undeliverable: boolean;
  }>([
    {
      what: 'that is failing',
      channel: slack,
      to: (record) => failed(record, '503', NOON),
      status: { state: 'failing', reason: '503', since: formatInstant(NOON) },
      undeliverable: true,
    },
    {
      what: 'that is off',
      channel: webhook,
      to: (record) => turnedOff(record, 'HTTP 410 Gone', NOON),
      status: { state: 'off', reason: 'HTTP 410 Gone' },
      undeliverable: true,
    },
    {
      what: 'whose subscription is gone',
      channel: email,
      to: (record) => subscribed(record, 'gone', NOON),
      status: { state: 'gone', since: formatInstant(NOON) },
      undeliverable: true,
    },
    {
      what: 'that is confirmed',
      channel: email,
      to: (record) => subscribed(record, 'confirmed', NOON),
      status: { state: 'working', reason: null },
      undeliverable: false,
    },
    {
      what: 'that is confirmed by its link, so anybody can end the subscription',
      channel: email,
      to: (record) => subscribed(record, 'confirmed-unprotected', NOON),
      status: { state: 'working', reason: expect.stringContaining('can end the subscription') },
      undeliverable: false,
    },
    {
      what: 'whose record is about another address',
      channel: slack,
      to: (record) => {
        const other = configured(record, 'slack kept:00000000');
        return failed(succeeded(other, 'sent', NOON), '503', NOON);
      },
      status: { state: 'working', lastSuccess: null },
      undeliverable: false,
    },
  ])(
    'the channels of a list include a channel $what',
    async ({ channel, to, status, undeliverable }) => {
      const { ask, put } = await world([channel]);
      await put(channel, to);

      const { body } = await ask('GET');

      expect(body.channels[0]).toMatchObject(status);
      expect(body.undeliverable).toBe(undeliverable);
    },
  );

  it('the channels of a list include only the contact points that it uses', async () => {
    const { ask, watchlists } = await world([slack]);
    const spare: Channel = { ...email, id: 'spare' };
    const list = aWatchlist({ channels: [slack] });
    await watchlists.put({ ...noContactPoints('acme'), revision: 1, channels: [email, spare] });
    await watchlists.put({ ...list, contactPoints: ['desk'], revision: list.revision + 1 });

    const { body } = await ask('GET');

    expect(body.channels.map(({ id }: Channel) => id)).toEqual(['desk', 'chat']);
  });

  it('a list without channels is reported as undeliverable', async () => {
    const { ask } = await world([]);

    expect((await ask('GET')).body).toEqual({
      channels: [],
      undeliverable: true,
      unreadable: [],
    });
  });
});

describe('a test of a channel', () => {
  it('a test of a channel posts a labelled sample to this channel only, and returns its location', async () => {
    const { ask, inbox, alerts, sent, auditLog } = await world([email, slack]);

    const { status, headers, body } = await ask('POST chat/test');

    const entries = await inbox.oldest('acme#punks#chat', 10);
    const record = entries[0] && (await alerts.get(entries[0].alert));
    expect(status).toBe(202);
    expect(body).toEqual({ id: record?.alert.id, self: headers.Location });
    expect(body.self).toBe(
      `/test/v1/watchlists/punks/alerts/${record?.alert.at}~${record?.alert.id}`,
    );
    expect(record).toMatchObject({
      alert: { kind: 'test', rule: null, value: '59.9' },
      deliveries: { 'acme#punks#chat': { state: 'pending' } },
    });
    expect(record?.alert.facts[0]?.value).toContain('with sample prices');
    expect(await inbox.oldest('acme#punks#desk', 10)).toEqual([]);
    expect(sent.map(({ message }) => message)).toMatchObject([
      { destinationId: 'acme#punks#chat' },
    ]);
    expect(await auditLog()).toEqual([['the script', 'channel_tested', 'punks', 'chat']]);
  });

  it('a test of a channel retries a failed channel immediately', async () => {
    const { ask, put, records } = await world([slack]);
    await put(slack, (record) => failed(record, '503', NOON, NOON + 50 * MINUTE));

    await ask('POST chat/test');

    expect((await records.get('acme#punks#chat'))?.notBefore).toBe(NOON);
  });

  it('a channel test is in the inbox only once if its queue message cannot be sent and the request is repeated', async () => {
    let [now, isCut] = [NOON, true];
    const { ask, inbox } = await world([slack], {
      now: () => now,
      sendToChannels: async () => {
        if (isCut) throw new Error('cut short');
      },
    });
    const headers = { 'Idempotency-Key': '"once"' };

    const first = await ask('POST chat/test', { headers });
    [now, isCut] = [NOON + 20 * MINUTE, false];
    const again = [
      await ask('POST chat/test', { headers }),
      await ask('POST chat/test', { headers }),
    ];

    const waiting = await inbox.oldest('acme#punks#chat', 10);
    expect([first.status, ...again.map(({ status }) => status)]).toEqual([202, 202, 202]);
    expect(again).toEqual([first, first]);
    expect(waiting.map(({ alert }) => `${alert.at}~${alert.id}`)).toEqual([
      again[0]?.body.self.split('/').at(-1),
    ]);
    expect(waiting[0]?.alert.at).toBe(formatInstant(NOON));
  });

  it.each([
    { what: 'for an unknown channel', request: 'POST fax/test', status: 404 },
    {
      what: 'for a key with the scope read',
      request: 'POST chat/test',
      scopes: 'read',
      status: 403,
    },
    { what: 'for another tenant', request: 'POST chat/test', tenant: 'umbrella', status: 404 },
  ])(
    'a test of a channel is refused $what, and changes nothing',
    async ({ request, status, ...about }) => {
      const { ask, sent, table } = await world([slack]);
      const before = table.items();

      expect((await ask(request, about)).status).toBe(status);
      expect(sent).toEqual([]);
      expect(table.items()).toEqual(before);
    },
  );
});

describe('the confirmation of an email', () => {
  const linkOf = (given: Record<string, string> = {}, host = 'sns.eu-west-1.amazonaws.com') => {
    const query = { TopicArn: TOPIC, Token: 'good', Endpoint: 'desk@example.com', ...given };
    return `https://${host}/confirmation.html?${new URLSearchParams(query).toString()}`;
  };

  it('an email is confirmed by the link in its mail', async () => {
    const { ask, records, tokens, auditLog } = await world([email]);

    const { status, body } = await ask('POST desk/confirm', { body: { link: ` ${linkOf()}\n` } });

    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 'desk', state: 'working', reason: null });
    expect(tokens).toEqual(['good']);
    expect((await records.get('acme#punks#desk'))?.subscription?.state).toBe('confirmed');
    expect(await auditLog()).toEqual([['the script', 'channel_confirmed', 'punks', 'desk']]);
  });

  it('an email with a plus in its address is confirmed by the link in its mail', async () => {
    const { ask } = await world([{ ...email, to: 'desk+nft@example.com' }]);
    const link = linkOf({ Endpoint: '' }).replace('Endpoint=', 'Endpoint=desk+nft@example.com');

    expect((await ask('POST desk/confirm', { body: { link } })).status).toBe(200);
  });

  it.each([
    { what: 'a text that is not a link', link: 'hello' },
    {
      what: 'a link to another domain',
      link: linkOf({}, 'sns.eu-west-1.amazonaws.com.evil.example'),
    },
    { what: 'a link of another service', link: linkOf({}, 's3.eu-west-1.amazonaws.com') },
    { what: 'a link without TLS', link: linkOf().replace('https', 'http') },
    { what: 'a link of another topic', link: linkOf({ TopicArn: `${TOPIC}d` }) },
    { what: 'a link for another email address', link: linkOf({ Endpoint: 'night@example.com' }) },
    { what: 'a used link', link: linkOf({ Token: 'old' }) },
    { what: 'a link without a token', link: linkOf().replace('Token', 'Taken') },
  ])('an email is not confirmed by $what', async ({ link }) => {
    const { ask, table } = await world([email]);
    const before = table.items();

    const { status, body } = await ask('POST desk/confirm', { body: { link } });

    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { pointer: '/link', detail: expect.stringMatching(/^expected /) },
    ]);
    expect(table.items()).toEqual(before);
  });

  it('only an email channel can be confirmed by a link', async () => {
    const { ask, tokens } = await world([slack]);

    const { status, body } = await ask('POST chat/confirm', { body: { link: linkOf() } });

    expect([status, body.type]).toEqual([409, 'urn:floorwatch:problem:not_confirmable']);
    expect(tokens).toEqual([]);
  });
});
