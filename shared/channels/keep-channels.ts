import {
  hashOfSecret,
  isNameOfSecret,
  nameOfSecret,
  type SealedSecret,
} from '#shared/domain/channels/channel-secret.ts';
import { RefusedMembersError } from '#shared/domain/watchlists/refused-members.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { named } from '#shared/domain/words.ts';
import { type Channel, secretsOf } from './channel.ts';
import type { ChannelBody } from './channel-body.ts';
import type { ChannelIssue, WebhookRules } from './channel-kind.ts';
import { type Kept, KINDS, type Kind, type Written } from './kinds.ts';

type Named = { readonly [Name in Kind]: Written[Name] & { readonly id: string } };

export type KeepChannelsPorts = {
  /**
   * Seals a secret of a channel. `known` is an earlier sealed text; it is returned if it contains
   * the same secret, sealed with the current key.
   */
  readonly seal: (channel: string, secret: string, known: string | undefined) => Promise<string>;
  readonly webhooks: WebhookRules;
};

/**
 * Converts the channels of a request to stored ones. New secrets are sealed; named ones are copied
 * from the stored channel. Repeating the request changes nothing.
 */
export async function keepChannels(
  written: readonly (ChannelBody | string)[],
  before: Watchlist | undefined,
  ports: KeepChannelsPorts,
): Promise<readonly Channel[]> {
  const own = ownAmong(written);
  const issues = own.flatMap(({ channel, index }) =>
    issuesOf(channel.kind, channel, before, ports.webhooks).map(({ path, message }) => ({
      path: ['channels', index, ...path],
      message,
    })),
  );
  if (issues.length > 0) throw new RefusedMembersError(issues);
  const kept: Channel[] = [];
  // Sequential, so that the first channel loads the key and the others find it in the cache.
  for (const { channel } of own) kept.push(await keep(channel.kind, channel, before, ports));
  return kept;
}

/**
 * The channels that the request defines itself, with their ids and positions. A text in the request
 * only names a contact point of the tenant.
 */
function ownAmong(written: readonly (ChannelBody | string)[]) {
  const names = named(
    'channel',
    written.map((channel) => (typeof channel === 'string' ? { id: channel } : { id: channel.id })),
  );
  return written.flatMap((channel, index) =>
    typeof channel === 'string'
      ? []
      : { channel: { ...channel, id: names[index]?.id ?? '' }, index },
  );
}

/** The stored channel with the same id and kind. */
function knownChannel<Name extends Kind>(
  before: Watchlist | undefined,
  kind: Name,
  id: string,
): Kept[Name] | undefined {
  const isKind = (channel: Channel): channel is Kept[Name] => channel.kind === kind;
  return before?.channels.filter(isKind).find((channel) => channel.id === id);
}

function issuesOf<Name extends Kind>(
  kind: Name,
  channel: Named[Name],
  before: Watchlist | undefined,
  webhooks: WebhookRules,
): readonly ChannelIssue[] {
  const known = knownChannel(before, kind, channel.id);
  const names = known === undefined ? [] : secretsOf(known).map(nameOfSecret);
  const message = `expected the full secret: channel "${channel.id}" has no stored secret with this "kept:…" value`;
  const { issuesOf: issuesOfKind, namesRefused, secretsOf: secretsIn } = KINDS[kind];
  const refused = known && namesRefused(channel, known);
  return [
    ...issuesOfKind(channel, known, webhooks),
    ...secretsIn(channel).flatMap(({ path, secret }) => {
      if (!isNameOfSecret(secret)) return [];
      if (!names.includes(secret)) return [{ path, message }];
      return refused === undefined ? [] : [{ path, message: refused }];
    }),
  ];
}

async function keep<Name extends Kind>(
  kind: Name,
  channel: Named[Name],
  before: Watchlist | undefined,
  { seal }: KeepChannelsPorts,
): Promise<Kept[Name]> {
  const known = knownChannel(before, kind, channel.id);
  const secrets = known === undefined ? [] : secretsOf(known);
  const sealed = async (secret: string): Promise<SealedSecret> => {
    const named = secrets.find((other) => nameOfSecret(other) === secret);
    if (named !== undefined) return named;
    const hash = hashOfSecret(secret);
    const same = secrets.find((other) => other.hash === hash);
    return { sealed: await seal(channel.id, secret, same?.sealed), hash };
  };
  return await KINDS[kind].keep(channel, sealed);
}
