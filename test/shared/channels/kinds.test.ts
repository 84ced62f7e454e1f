import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  addressOf,
  channelView,
  endpointOf,
  isForPeople,
  type Kind,
  secretsOf,
} from '#shared/channels/channel.ts';
import { CHANNEL_BODIES, ChannelBody, eachKind } from '#shared/channels/channel-body.ts';
import { ChannelsError, keepChannels } from '#shared/channels/keep-channels.ts';
import { HIDDEN, redact } from '#shared/runtime/redact.ts';
import { aWatchlist } from '#test/support/builders.ts';
import { issuesOf } from '#test/support/documented.ts';

type Example = {
  readonly written: ChannelBody;
  /** The same channel, led elsewhere. */
  readonly elsewhere: ChannelBody;
  readonly secrets: readonly string[];
  /** As the documentation of channels has it. */
  readonly isForPeople: boolean;
  readonly isByTopic: boolean;
};

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012';
const SLACK = 'https://hooks.slack.com/services/T000/B000';
const DISCORD = 'https://discord.com/api/webhooks/1';
const [one, two] = [24, 25].map((size) => `whsec_${Buffer.alloc(size, 1).toString('base64')}`);

/** An example of each kind: a new kind does not compile without one. */
const EXAMPLES: { readonly [Name in Kind]: Example } = {
  email: {
    written: { id: 'a', kind: 'email', to: 'desk@example.com' },
    elsewhere: { id: 'a', kind: 'email', to: 'night@example.com' },
    ...{ secrets: [], isForPeople: true, isByTopic: true },
  },
  sqs: {
    written: { id: 'a', kind: 'sqs', queue: `${QUEUE}:alerts` },
    elsewhere: { id: 'a', kind: 'sqs', queue: `${QUEUE}:others` },
    ...{ secrets: [], isForPeople: false, isByTopic: true },
  },
  slack: {
    written: { id: 'a', kind: 'slack', url: `${SLACK}/one` },
    elsewhere: { id: 'a', kind: 'slack', url: `${SLACK}/two` },
    ...{ secrets: [`${SLACK}/one`], isForPeople: true, isByTopic: false },
  },
  discord: {
    written: { id: 'a', kind: 'discord', url: `${DISCORD}/one` },
    elsewhere: { id: 'a', kind: 'discord', url: `${DISCORD}/two` },
    ...{ secrets: [`${DISCORD}/one`], isForPeople: true, isByTopic: false },
  },
  webhook: {
    written: {
      ...{ id: 'a', kind: 'webhook', url: 'https://example.com/hook?token=1' },
      secrets: [`${one}`, `${two}`],
    },
    elsewhere: {
      ...{ id: 'a', kind: 'webhook', url: 'https://example.com/hook?token=2' },
      secrets: [`${one}`, `${two}`],
    },
    ...{ secrets: [`${one}`, `${two}`], isForPeople: false, isByTopic: false },
  },
};

/** Keeps what is written beside what was there; counts what it seals. */
async function keep(
  written: readonly ChannelBody[],
  before: Awaited<ReturnType<typeof kept>> = [],
) {
  const sealed: string[] = [];
  const channels = await keepChannels(written, aWatchlist({ channels: before }), {
    seal: async (channel, secret) => {
      sealed.push(secret);
      return `sealed for ${channel}: ${Buffer.from(secret).toString('base64')}`;
    },
    webhooks: { destinations: 'public', ports: [443] },
  });
  return { channels, sealed };
}

const kept = async (written: ChannelBody) => (await keep([written])).channels;

describe('each list of the kinds', () => {
  const kindsIn = (options: readonly { readonly shape: { readonly kind: unknown } }[]) =>
    options.map(({ shape }) => z.instanceof(z.ZodLiteral).parse(shape.kind).value);

  it.each([
    ['bodies by kind', Object.keys(CHANNEL_BODIES)],
    ['what people write', kindsIn(ChannelBody.options)],
    ['what answers extend', kindsIn(eachKind({}).options)],
  ])('%s: has every kind', (_list, kinds) => {
    expect(kinds).toEqual(Object.keys(EXAMPLES));
  });
});

describe.each(Object.entries(EXAMPLES))('a channel of kind %s', (_kind, example) => {
  const { written, elsewhere, secrets } = example;

  it('is what a person may write', () => {
    expect(ChannelBody.parse(written)).toEqual(written);
  });

  it('keeps its secrets sealed, and shows none', async () => {
    const { channels, sealed } = await keep([written]);
    const [channel] = channels;
    const shown = JSON.stringify([channels, channels.map(channelView), channels.map(addressOf)]);

    expect(sealed).toEqual(secrets);
    expect(channel && secretsOf(channel)).toHaveLength(secrets.length);
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });

  it('shows no secret in a log', () => {
    const logged = redact(`it failed: ${JSON.stringify(secrets)}`);

    for (const secret of secrets) expect(logged).not.toContain(secret);
    expect(logged.split(HIDDEN)).toHaveLength(secrets.length + 1);
  });

  it('is of the form that the document gives it, and nothing else is', () => {
    const isDocumented = (body: unknown) =>
      issuesOf('#/components/schemas/ChannelInput', body) === undefined;
    const misspelt = JSON.parse(
      secrets.reduce((text, secret) => text.replace(secret, 'misspelt'), JSON.stringify(written)),
    );

    expect(isDocumented(written)).toBe(true);
    expect(isDocumented(misspelt)).toBe(secrets.length === 0);
  });

  it('may be written back as it is read: nothing changes, and nothing is sealed anew', async () => {
    const before = await kept(written);
    const views = before.map(channelView).map((view) => ChannelBody.parse(view));

    expect(await keep(views, before)).toEqual({ channels: before, sealed: [] });
  });

  it('takes no name of a secret that it does not have', async () => {
    if (secrets.length === 0) return;
    const views = (await kept(written)).map(channelView);

    await expect(keep(views)).rejects.toThrow(ChannelsError);
  });

  it('has another address where it leads elsewhere, and only then', async () => {
    const [address, again, other] = await Promise.all(
      [written, written, elsewhere].map(async (body) => (await kept(body)).map(addressOf)),
    );

    expect(again).toEqual(address);
    expect(other).not.toEqual(address);
  });

  it('is read by people or by programs, and gets its alerts by its topic or from us', async () => {
    const channels = await kept(written);

    expect(channels.map(isForPeople)).toEqual([example.isForPeople]);
    expect(channels.map((channel) => endpointOf(channel) !== undefined)).toEqual([
      example.isByTopic,
    ]);
  });
});
