import { describe, expect, it } from 'vitest';
import {
  addressOf,
  channelView,
  endpointOf,
  isForPeople,
  secretsOf,
} from '#shared/channels/channel.ts';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { keepChannels } from '#shared/channels/keep-channels.ts';
import { RefusedMembersError } from '#shared/domain/watchlists/refused-members.ts';
import { HIDDEN, redact } from '#shared/runtime/redact.ts';
import { aWatchlist } from '#test/support/builders.ts';
import { EXAMPLES } from '#test/support/channel-examples.ts';
import { issuesOf } from '#test/support/documented.ts';
import { growthOf } from '#test/support/garbage.ts';

/**
 * Stores the channels of a request next to the existing ones, and records the secrets that are
 * sealed.
 */
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

describe.each(Object.entries(EXAMPLES))('a channel of kind %s', (_kind, example) => {
  const { written, elsewhere, secrets, refused } = example;

  it('accepts a channel as it is documented', () => {
    expect(ChannelBody.parse(written)).toEqual(written);
  });

  it.each(refused)('rejects a channel with %j, at %s: %s', (members, at, expected) => {
    const refusals = ChannelBody.safeParse({ ...written, ...members }).error?.issues ?? [];

    expect(refusals.map(({ path }) => path.join('.'))).toEqual([at]);
    expect(refusals[0]?.message).toContain(expected);
    for (const secret of secrets) expect(refusals[0]?.message).not.toContain(secret.slice(-12));
  });

  it('rejects a channel with an invalid reference to a stored secret', () => {
    for (const name of ['kept:0123ABCD', 'kept:0123abcd ', 'kept:1', '']) {
      for (const secret of secrets) {
        const named = JSON.parse(JSON.stringify(written).replace(secret, name));
        expect(ChannelBody.safeParse(named).success).toBe(false);
      }
    }
  });

  it('stores the secrets of a channel sealed, and shows none', async () => {
    const { channels, sealed } = await keep([written]);
    const [channel] = channels;
    const shown = JSON.stringify([channels, channels.map(channelView), channels.map(addressOf)]);

    expect(sealed).toEqual(secrets);
    expect(channel && secretsOf(channel)).toHaveLength(secrets.length);
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });

  it('hides the secrets of a channel in logs', () => {
    const logged = redact(`it failed: ${JSON.stringify(secrets)}`);

    for (const secret of secrets) expect(logged).not.toContain(secret);
    expect(logged.split(HIDDEN)).toHaveLength(secrets.length + 1);
  });

  it.each([12, 24, 36, 200])('hides the secrets of a channel in linear time: %i', (cut) => {
    for (const secret of secrets) {
      const part = secret.slice(-cut);
      expect(growthOf(redact, (size) => part.repeat(size / part.length))).toBeLessThan(32);
    }
  });

  it('validates a channel like the schema of the OpenAPI document', () => {
    const isDocumented = (body: unknown) =>
      issuesOf('#/components/schemas/ChannelInput', body) === undefined;
    const misspelt = JSON.parse(
      secrets.reduce((text, secret) => text.replace(secret, 'misspelt'), JSON.stringify(written)),
    );

    expect(isDocumented(written)).toBe(true);
    expect(isDocumented(misspelt)).toBe(secrets.length === 0);
  });

  it('accepts a channel exactly as it was returned, without changing it or sealing its secrets again', async () => {
    const before = await kept(written);
    const views = before.map(channelView).map((view) => ChannelBody.parse(view));

    expect(await keep(views, before)).toEqual({ channels: before, sealed: [] });
  });

  it('rejects a reference to a secret that is not stored', async () => {
    if (secrets.length === 0) return;
    const views = (await kept(written)).map(channelView);

    await expect(keep(views)).rejects.toThrow(RefusedMembersError);
  });

  it('changes the address of a channel only if its destination changes', async () => {
    const [address, again, other] = await Promise.all(
      [written, written, elsewhere].map(async (body) => (await kept(body)).map(addressOf)),
    );

    expect(again).toEqual(address);
    expect(other).not.toEqual(address);
  });

  it('declares whether people or programs read a channel, and whether a topic or floorwatch sends its alerts', async () => {
    const channels = await kept(written);

    expect(channels.map(isForPeople)).toEqual([example.isForPeople]);
    expect(channels.map((channel) => endpointOf(channel) !== undefined)).toEqual([
      example.isByTopic,
    ]);
  });
});
