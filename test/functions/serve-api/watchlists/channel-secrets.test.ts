import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { createOpen, createSeal } from '#shared/clients/sealer.ts';
import { createSecretReaders, MissingSecretError } from '#shared/clients/secrets.ts';
import { ChannelKeyError, hashOfSecret } from '#shared/domain/channels/channel-secret.ts';
import { aWatchlistBody, NOON } from '#test/support/builders.ts';
import { CHANNEL_KEY, OTHER_CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { aSealer } from '#test/support/sealer.ts';
import { ANY, world } from './world.ts';

const id = { tenant: 'acme', id: 'punks' };
const SLACK = 'https://hooks.slack.com/services/T0123ABCD/B0123ABCD/abcDEF0123456789';
const OTHER_SLACK = SLACK.replace('abc', 'xyz');
const DISCORD = 'https://discord.com/api/webhooks/1234567890123456789/abc-DEF_0123456789';
const [OLD, NEW] = ['o', 'n'].map(
  (letter) => `whsec_${Buffer.alloc(24, letter).toString('base64')}`,
);
const HOOK = 'https://example.com/hook';

const chats = [
  { id: 'team', kind: 'slack', url: SLACK },
  { id: 'guild', kind: 'discord', url: DISCORD },
  { id: 'bot', kind: 'webhook', url: HOOK, secrets: [OLD, NEW] },
];
const withChannels = (...channels: readonly object[]) => ({ body: aWatchlistBody({ channels }) });
const slackOf = (url: string) => withChannels({ id: 'team', kind: 'slack', url });
const kept = (secret = '') => `kept:${hashOfSecret(secret)}`;

describe('secrets of channels', () => {
  it('secrets of channels appear as names in every response, and are stored sealed', async () => {
    const { ask, table, reports, sent } = world();

    const answers = [
      await ask('POST', withChannels(...chats)),
      await ask('GET punks'),
      await ask('GET'),
      await ask('PUT punks', { ...ANY, ...withChannels(...chats) }),
    ];

    expect(answers[1]?.body.channels).toEqual([
      { id: 'team', kind: 'slack', url: kept(SLACK) },
      { id: 'guild', kind: 'discord', url: kept(DISCORD) },
      { id: 'bot', kind: 'webhook', url: HOOK, secrets: [kept(OLD), kept(NEW)] },
    ]);
    const written = JSON.stringify([answers, table.items(), reports, sent]);
    for (const secret of [SLACK, DISCORD, OLD, NEW]) expect(written).not.toContain(secret);
    expect(JSON.stringify([answers, sent, reports])).not.toMatch(/sealed|"v1\./);
  });

  it('a sealed secret can be opened only for the channel for which the secret was stored', async () => {
    const { ask, watchlists } = world({ sealSecret: aSealer().seal });
    await ask('POST', withChannels(...chats));
    const { open } = aSealer();

    const [team, , bot] = (await watchlists.get(id))?.channels ?? [];

    const place = { tenant: 'acme', list: 'punks' };
    const url = team?.kind === 'slack' ? team.url.sealed : '';
    const secrets = bot?.kind === 'webhook' ? bot.secrets : [];
    expect(await open({ ...place, channel: 'team' }, url)).toBe(SLACK);
    expect(
      await Promise.all(secrets.map(({ sealed }) => open({ ...place, channel: 'bot' }, sealed))),
    ).toEqual([OLD, NEW]);
  });

  it.each([
    ['full texts', withChannels(...chats)],
    [
      'names',
      withChannels(
        { id: 'team', kind: 'slack', url: kept(SLACK) },
        { id: 'guild', kind: 'discord', url: kept(DISCORD) },
        { id: 'bot', kind: 'webhook', url: HOOK, secrets: [kept(OLD), kept(NEW)] },
      ),
    ],
  ])('a PUT that repeats the secrets as %s changes nothing', async (_what, again) => {
    const { ask, table, sent } = world();
    await ask('POST', withChannels(...chats));
    const before = table.items();
    sent.length = 0;

    const { status, headers } = await ask('PUT punks', { ...ANY, ...again });

    expect([status, headers.ETag]).toEqual([200, '"1"']);
    expect(table.items()).toEqual(before);
    expect(sent).toEqual([]);
  });

  it('a secret is replaced in two steps: first the list stores both secrets, then only the new one', async () => {
    const { ask, watchlists } = world();
    const bot = (...secrets: readonly unknown[]) =>
      withChannels({ id: 'bot', kind: 'webhook', url: HOOK, secrets });
    await ask('POST', bot(OLD));

    const both = await ask('PUT punks', { ...ANY, ...bot(NEW, kept(OLD)) });
    const sealedBoth = (await watchlists.get(id))?.channels;
    const alone = await ask('PUT punks', { ...ANY, ...bot(kept(NEW)) });
    const sealedAlone = (await watchlists.get(id))?.channels;

    expect(both.body.channels[0].secrets).toEqual([kept(NEW), kept(OLD)]);
    expect(alone.body).toMatchObject({ revision: 3, channels: [{ secrets: [kept(NEW)] }] });
    expect(sealedBoth).toMatchObject([{ secrets: [{}, {}] }]);
    expect(sealedAlone).toEqual([
      expect.objectContaining({
        secrets: [sealedBoth?.[0]?.kind === 'webhook' && sealedBoth[0].secrets[0]],
      }),
    ]);
  });

  it('secrets that are sent again after a change of the channel key are sealed with the new key', async () => {
    let key = CHANNEL_KEY;
    const open = createOpen(async () => key);
    const { ask, watchlists } = world({ sealSecret: createSeal(async () => publicHalfOf(key)) });
    await ask('POST', slackOf(SLACK));
    key = OTHER_CHANNEL_KEY;

    const { body } = await ask('PUT punks', { ...ANY, ...slackOf(SLACK) });

    const [team] = (await watchlists.get(id))?.channels ?? [];
    expect(body.revision).toBe(2);
    expect(
      await open(
        { ...id, list: id.id, channel: 'team' },
        team?.kind === 'slack' ? team.url.sealed : '',
      ),
    ).toBe(SLACK);
  });

  it('secrets are deleted with their list, so a new list of the same id has none', async () => {
    const { ask } = world();
    await ask('POST', slackOf(SLACK));
    await ask('DELETE punks', ANY);

    const { status } = await ask('POST', slackOf(kept(SLACK)));

    expect(status).toBe(400);
  });
});

it.each(['getWatchlist', 'getJob', 'commitChange', 'sendToContracts', 'sendToLists'] as const)(
  'no secret is in a log or a response when %s fails',
  async (port) => {
    const failing = { [port]: () => Promise.reject(new Error('out of order')) };
    const { ask, reports } = world(failing);

    const { body } = await ask('POST', withChannels(...chats));

    const reported = inspect([body, reports], { depth: Number.POSITIVE_INFINITY });
    expect(reports).toHaveLength(1);
    expect(reported).toContain('out of order');
    expect(reported).not.toMatch(/hooks\.slack|discord\.com|whsec_|v1\.[0-9a-f]{8}/);
  },
);

describe('the name of a secret', () => {
  it.each<[what: string, at: readonly string[], channel: object]>([
    ['of another secret', ['/channels/0/url'], { id: 'team', kind: 'slack', url: kept('x') }],
    [
      'of a secret of another channel',
      ['/channels/0/url'],
      { id: 'new', kind: 'slack', url: kept(SLACK) },
    ],
    ['of another kind', ['/channels/0/url'], { id: 'team', kind: 'discord', url: kept(SLACK) }],
    [
      'of another secret, beside one that is right',
      ['/channels/0/secrets/1'],
      { id: 'bot', kind: 'webhook', url: HOOK, secrets: [kept(OLD), kept('x')] },
    ],
    ...['https://other.example.com/hook', 'https://example.com:8443/hook'].map(
      (url): [string, readonly string[], object] => [
        `of a webhook that moves to ${url}`,
        ['/channels/0/secrets/0'],
        { id: 'bot', kind: 'webhook', url, secrets: [kept(OLD)] },
      ],
    ),
    [
      'of no stored secret, given twice',
      ['/channels/0/secrets/0', '/channels/0/secrets/1'],
      { id: 'new', kind: 'webhook', url: HOOK, secrets: [kept(OLD), kept(NEW)] },
    ],
  ])('a secret name %s is refused, and nothing is written', async (_what, at, channel) => {
    const { ask, table } = world();
    await ask('POST', withChannels(...chats));
    const before = table.items();

    const { status, body } = await ask('PUT punks', { ...ANY, ...withChannels(channel) });

    expect([status, body.type]).toEqual([400, 'urn:floorwatch:problem:invalid_request']);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(at);
    expect(body.detail).toContain('expected the full secret');
    expect(table.items()).toEqual(before);
  });

  it('the name of a known secret is accepted without sealing the secret again', async () => {
    const sealer = aSealer();
    let sealed = 0;
    const { ask } = world({
      sealSecret: (...given) => {
        sealed += 1;
        return sealer.seal(...given);
      },
    });
    await ask('POST', slackOf(SLACK));

    await ask('PUT punks', { ...ANY, ...slackOf(kept(SLACK)) });
    await ask('PUT punks', { ...ANY, ...slackOf(OTHER_SLACK) });

    expect(sealed).toBe(2);
  });
});

describe('a stack without a channel key', () => {
  const cause = new MissingSecretError('parameter /floorwatch/dev/channel-key does not exist');
  const keyless = () =>
    world({
      sealSecret: () =>
        Promise.reject(new ChannelKeyError('the channel key is missing', { cause })),
    });

  it('without a channel key a list with secrets is refused, and the log has the cause', async () => {
    const { ask, table, sent, reports } = keyless();

    const { status, body } = await ask('POST', slackOf(SLACK));

    expect([status, body.type]).toEqual([503, 'urn:floorwatch:problem:secrets_unavailable']);
    expect(JSON.stringify(body)).not.toContain('/floorwatch/dev');
    expect(table.items()).toEqual([]);
    expect(sent).toEqual([]);
    expect(reports).toMatchObject([['request_failed', { error: { cause: { cause } } }]]);
    expect(JSON.stringify(reports)).not.toContain('hooks.slack.com');
  });

  it('without a channel key a list without secrets is accepted', async () => {
    const { ask } = keyless();

    const { status } = await ask('POST', withChannels({ kind: 'email', to: 'desk@example.com' }));

    expect(status).toBe(201);
  });
});

it('the channel key is read once for twenty channels', async () => {
  const asked: string[] = [];
  const getParameters = async ([name = '']: readonly string[]) => {
    asked.push(name);
    return new Map([[name, publicHalfOf(CHANNEL_KEY)]]);
  };
  const secret = createSecretReaders(getParameters, { now: () => NOON, random: () => 0 });
  const readKey = secret('/floorwatch/dev/channel-public-key');
  const { ask } = world({ sealSecret: createSeal(readKey) });
  const channels = Array.from({ length: 20 }, () => ({ kind: 'slack', url: SLACK }));

  const { status } = await ask('POST', withChannels(...channels));

  expect([status, asked.length]).toEqual([201, 1]);
});

it.each([
  ['public', 400],
  ['loopback-only', 201],
] as const)(
  'if %s destinations are allowed, adding a webhook on this machine returns %i',
  async (destinations, status) => {
    const { ask } = world({ webhooks: { destinations, ports: [443] } });
    const url = 'http://127.0.0.1:8080/hook';

    const made = await ask('POST', withChannels({ kind: 'webhook', url, secrets: [OLD] }));

    expect(made.status).toBe(status);
    if (status === 400)
      expect(made.body.errors).toEqual([
        { pointer: '/channels/0/url', detail: expect.stringMatching(/^expected an https URL/) },
      ]);
  },
);

it.each([
  ['https://example.com/hook', 201],
  ['https://example.com:8443/hook', 201],
  ['https://example.com:22/', 400],
  ['https://example.com:444/hook', 400],
])('creating a list with a webhook at the port of %s returns %i', async (url, status) => {
  const { ask } = world();

  const made = await ask('POST', withChannels({ kind: 'webhook', url, secrets: [OLD] }));

  expect(made.status).toBe(status);
  const detail = 'expected a URL with one of the ports 443, 8443';
  if (status === 400) expect(made.body.errors).toEqual([{ pointer: '/channels/0/url', detail }]);
});

it('a list stays editable if the port of its webhook is no longer allowed', async () => {
  const before = world({ webhooks: { destinations: 'public', ports: [9443] } });
  const hook = { id: 'hook', kind: 'webhook', secrets: [OLD] };
  const { body } = await before.ask(
    'POST',
    withChannels({ ...hook, url: 'https://example.com:9443/' }),
  );
  const [kept] = body.channels;
  const { ask } = world({}, () => before.table);
  const edited = (channel: object) => ({
    body: aWatchlistBody({ name: 'Edited', channels: [channel] }),
  });
  const elsewhere = { ...hook, url: 'https://example.com:9444/' };

  const renamed = await ask('PUT punks', { ...ANY, ...edited(kept) });
  const moved = await ask('PUT punks', { ...ANY, ...edited(elsewhere) });

  expect([renamed.status, moved.status]).toEqual([200, 400]);
  expect(moved.body.errors).toMatchObject([{ pointer: '/channels/0/url' }]);
});

it('a webhook that moves to another host needs its full secret again, and the name of the stored secret is refused', async () => {
  const { ask } = world();
  const hook = (url: string, secret?: string) =>
    withChannels({ id: 'hook', kind: 'webhook', url, secrets: [secret] });
  const { body } = await ask('POST', hook('https://example.com/hook', OLD));
  const [kept] = body.channels[0].secrets;

  const stolen = await ask('PUT punks', { ...ANY, ...hook('https://evil.example/hook', kept) });
  const otherPath = await ask('PUT punks', { ...ANY, ...hook('https://example.com/other', kept) });
  const moved = await ask('PUT punks', { ...ANY, ...hook('https://example.org/hook', OLD) });

  expect([stolen.status, otherPath.status, moved.status]).toEqual([400, 200, 200]);
  expect(stolen.body.errors).toEqual([
    {
      pointer: '/channels/0/secrets/0',
      detail: 'expected the full secret, because the host of the URL has changed',
    },
  ]);
});

it('channels without an id receive an unused id', async () => {
  const { ask } = world();
  const email = { kind: 'email', to: 'desk@example.com' };

  const { body } = await ask('POST', withChannels(email, { ...email, id: 'channel-1' }));

  expect(body.channels.map(({ id: channel }: { id: string }) => channel)).toEqual([
    'channel-2',
    'channel-1',
  ]);
});
