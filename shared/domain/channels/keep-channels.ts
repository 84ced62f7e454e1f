import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { named } from '#shared/domain/words.ts';
import { type Channel, secretsOf } from './channel.ts';
import { isLoopbackUrl } from './channel-address.ts';
import type { ChannelBody } from './channel-body.ts';
import { hashOfSecret, isNameOfSecret, nameOfSecret, type SealedSecret } from './channel-secret.ts';
import type { WebhookDestinations } from './channel-variables.ts';

/** What is wrong with a member of the channels that a person wrote, as only the list can tell. */
export type ChannelComplaint = {
  readonly path: readonly (string | number)[];
  readonly message: string;
};

/** Thrown when channels cannot be kept as they are written; nothing was sealed. */
export class ChannelsError extends Error {
  override readonly name = 'ChannelsError';
  readonly code = 'channels_refused';
  readonly complaints: readonly ChannelComplaint[];

  constructor(complaints: readonly ChannelComplaint[]) {
    super('channels cannot be kept as they are written');
    this.complaints = complaints;
  }
}

export type KeepChannelsPorts = {
  /** Seals a secret of a channel; what `known` seals already under the present key it gives back. */
  readonly seal: (channel: string, secret: string, known: string | undefined) => Promise<string>;
  readonly destinations: WebhookDestinations;
};

/**
 * The channels that a person wrote as their list is to keep them: secrets sealed, and those that are
 * only named as they were. To say the same twice changes nothing.
 */
export async function keepChannels(
  written: readonly ChannelBody[],
  before: Watchlist | undefined,
  ports: KeepChannelsPorts,
): Promise<readonly Channel[]> {
  const channels = named('channel', written).map((channel) => ({
    channel,
    known: knownSecrets(before, channel),
  }));
  const complaints = channels.flatMap(({ channel, known }, index) =>
    complaintsOf(channel, known, ports.destinations).map(({ path, message }) => ({
      path: ['channels', index, ...path],
      message,
    })),
  );
  if (complaints.length > 0) throw new ChannelsError(complaints);
  const kept: Channel[] = [];
  // One after the other: the first has the key read, and all others find it remembered.
  for (const { channel, known } of channels) kept.push(await keep(channel, known, ports));
  return kept;
}

type NamedBody = ChannelBody & { readonly id: string };

/** What the channel of the same id and kind keeps. */
function knownSecrets(
  before: Watchlist | undefined,
  { id, kind }: NamedBody,
): readonly SealedSecret[] {
  const known = before?.channels.find((channel) => channel.id === id && channel.kind === kind);
  return known === undefined ? [] : secretsOf(known);
}

function complaintsOf(
  channel: NamedBody,
  known: readonly SealedSecret[],
  destinations: WebhookDestinations,
): readonly ChannelComplaint[] {
  const lacks = (secret: string) =>
    isNameOfSecret(secret) && !known.some((sealed) => nameOfSecret(sealed) === secret);
  const message = `expected the secret itself: channel "${channel.id}" has none of this name`;
  switch (channel.kind) {
    case 'slack':
    case 'discord':
      return lacks(channel.url) ? [{ path: ['url'], message }] : [];
    case 'webhook':
      return [
        ...(destinations === 'public' && isLoopbackUrl(channel.url)
          ? [{ path: ['url'], message: 'expected an https URL' }]
          : []),
        ...channel.secrets.flatMap((secret, index) =>
          lacks(secret) ? [{ path: ['secrets', index], message }] : [],
        ),
      ];
    case 'email':
    case 'sqs':
      return [];
  }
}

async function keep(
  channel: NamedBody,
  known: readonly SealedSecret[],
  { seal }: KeepChannelsPorts,
): Promise<Channel> {
  const keepSecret = async (secret: string): Promise<SealedSecret> => {
    const named = known.find((sealed) => nameOfSecret(sealed) === secret);
    if (named !== undefined) return named;
    const hash = hashOfSecret(secret);
    const same = known.find((sealed) => sealed.hash === hash);
    return { sealed: await seal(channel.id, secret, same?.sealed), hash };
  };
  switch (channel.kind) {
    case 'slack':
    case 'discord':
      return { ...channel, url: await keepSecret(channel.url) };
    case 'webhook':
      return { ...channel, secrets: await Promise.all(channel.secrets.map(keepSecret)) };
    case 'email':
    case 'sqs':
      return channel;
  }
}
