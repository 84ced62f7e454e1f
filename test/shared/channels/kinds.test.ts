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

describe.each(Object.entries(EXAMPLES))('a channel of kind %s', (_kind, example) => {
  const { written, elsewhere, secrets, refused } = example;

  it('is what a person may write', () => {
    expect(ChannelBody.parse(written)).toEqual(written);
  });

  it.each(refused)('is refused with %j, at %s: %s', (members, at, expected) => {
    const refusals = ChannelBody.safeParse({ ...written, ...members }).error?.issues ?? [];

    expect(refusals.map(({ path }) => path.join('.'))).toEqual([at]);
    expect(refusals[0]?.message).toContain(expected);
    for (const secret of secrets) expect(refusals[0]?.message).not.toContain(secret.slice(-12));
  });

  it('is refused with a name of a secret that is none', () => {
    for (const name of ['kept:0123ABCD', 'kept:0123abcd ', 'kept:1', '']) {
      for (const secret of secrets) {
        const named = JSON.parse(JSON.stringify(written).replace(secret, name));
        expect(ChannelBody.safeParse(named).success).toBe(false);
      }
    }
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

  it.each([12, 24, 36, 200])('is hidden in time in proportion to the text: %i', (cut) => {
    for (const secret of secrets) {
      const part = secret.slice(-cut);
      expect(growthOf(redact, (size) => part.repeat(size / part.length))).toBeLessThan(32);
    }
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

    await expect(keep(views)).rejects.toThrow(RefusedMembersError);
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
