import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { named } from '#shared/domain/words.ts';
import { type Channel, secretsOf } from './channel.ts';
import { isLoopbackUrl } from './channel-address.ts';
import type { ChannelBody } from './channel-body.ts';
import { hashOfSecret, isNameOfSecret, nameOfSecret, type SealedSecret } from './channel-secret.ts';
import type { WebhookDestinations } from './channel-variables.ts';

/** What is wrong with a member of the channels that a person wrote, as only the list can tell. */
export type ChannelIssue = {
  readonly path: readonly (string | number)[];
  readonly message: string;
};

/** Thrown when channels cannot be kept as they are written; nothing was sealed. */
export class ChannelsError extends Error {
  override readonly name = 'ChannelsError';
  readonly code = 'channels_refused';
  readonly issues: readonly ChannelIssue[];

  constructor(issues: readonly ChannelIssue[]) {
    super('channels cannot be kept as they are written');
    this.issues = issues;
  }
}

export type KeepChannelsPorts = {
  /**
   * Seals a secret of a channel; what `known` seals already under the present key it gives back.
   */
  readonly seal: (channel: string, secret: string, known: string | undefined) => Promise<string>;
  readonly webhooks: WebhookRules;
};

/** Where webhooks may lead in this deployment. */
export type WebhookRules = {
  readonly destinations: WebhookDestinations;
  /** Of https; programs that are to get alerts listen there, and hardly anything else does. */
  readonly ports: readonly number[];
};

/**
 * The channels that a person wrote as their list is to keep them: secrets sealed, and those that
 * are only named as they were. To say the same twice changes nothing.
 */
export async function keepChannels(
  written: readonly ChannelBody[],
  before: Watchlist | undefined,
  ports: KeepChannelsPorts,
): Promise<readonly Channel[]> {
  const channels = named('channel', written).map((channel) => ({
    channel,
    known: knownChannel(before, channel),
  }));
  const issues = channels.flatMap(({ channel, known }, index) =>
    issuesOf(channel, known, ports.webhooks).map(({ path, message }) => ({
      path: ['channels', index, ...path],
      message,
    })),
  );
  if (issues.length > 0) throw new ChannelsError(issues);
  const kept: Channel[] = [];
  // One after the other: the first has the key read, and all others find it remembered.
  for (const { channel, known } of channels) kept.push(await keep(channel, known, ports));
  return kept;
}

type NamedBody = ChannelBody & { readonly id: string };

/** The channel of the same id and kind. */
function knownChannel(before: Watchlist | undefined, { id, kind }: NamedBody): Channel | undefined {
  return before?.channels.find((channel) => channel.id === id && channel.kind === kind);
}

function issuesOf(
  channel: NamedBody,
  known: Channel | undefined,
  webhooks: WebhookRules,
): readonly ChannelIssue[] {
  const secrets = known === undefined ? [] : secretsOf(known);
  const lacks = (secret: string) =>
    isNameOfSecret(secret) && !secrets.some((sealed) => nameOfSecret(sealed) === secret);
  const message = `expected the secret itself: channel "${channel.id}" has none of this name`;
  switch (channel.kind) {
    case 'slack':
    case 'discord':
      return lacks(channel.url) ? [{ path: ['url'], message }] : [];
    case 'webhook': {
      const before = known?.kind === 'webhook' ? known.url : undefined;
      // The rest of a list can be edited though the rules of the stage have changed since.
      const wrong = before === channel.url ? undefined : placeIssue(channel.url, webhooks);
      const hasMoved = before !== undefined && isElsewhere(before, channel.url);
      return [
        ...(wrong === undefined ? [] : [{ path: ['url'], message: wrong }]),
        ...channel.secrets.flatMap((secret, index) => {
          const path = ['secrets', index];
          if (lacks(secret)) return [{ path, message }];
          // An editor of the list who does not know the secret could have it sign for another
          // host.
          return hasMoved && isNameOfSecret(secret) ? [{ path, message: MOVED }] : [];
        }),
      ];
    }
    case 'email':
    case 'sqs':
      return [];
  }
}

const MOVED = 'expected the secret itself, since the webhook leads to another host';

function isElsewhere(before: string, now: string): boolean {
  return new URL(before).host !== new URL(now).host;
}

/** Why this deployment asks no webhook there; undefined where it does. */
function placeIssue(url: string, { destinations, ports }: WebhookRules): string | undefined {
  if (isLoopbackUrl(url)) return destinations === 'public' ? 'expected an https URL' : undefined;
  const port = Number(new URL(url).port || HTTPS);
  return ports.includes(port)
    ? undefined
    : `expected a URL with one of the ports ${ports.join(', ')}`;
}

/** The port that a URL does not say. */
const HTTPS = 443;

async function keep(
  channel: NamedBody,
  known: Channel | undefined,
  { seal }: KeepChannelsPorts,
): Promise<Channel> {
  const secrets = known === undefined ? [] : secretsOf(known);
  const keepSecret = async (secret: string): Promise<SealedSecret> => {
    const named = secrets.find((sealed) => nameOfSecret(sealed) === secret);
    if (named !== undefined) return named;
    const hash = hashOfSecret(secret);
    const same = secrets.find((sealed) => sealed.hash === hash);
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
