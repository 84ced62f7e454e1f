import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';

/**
 * The author of a change: an API key (its public id and name), or the reader who used a signed
 * link.
 */
export const Actor = z.object({
  id: z.string(),
  /** Empty if the reader of a link gave no name. */
  name: z.string(),
  /**
   * The channel whose message had the link, in words: `Slack #desk`. The channel may have been
   * deleted since.
   */
  via: z.string().optional(),
});
export type Actor = Readonly<z.output<typeof Actor>>;

/** Used as the channel id of the operators' channels. No other channel can have this id. */
const OPERATORS = '*';

/** The channel whose message had the link: its id and, unless it was deleted, its name in words. */
type LinkChannel = { readonly id: string; readonly words: string | undefined };

/**
 * The actor who uses a link in a message. `channel` is undefined for the operators' channels, and
 * `name` is the name that the reader gave.
 */
export function linkActor(channel: LinkChannel | undefined, name: string | undefined): Actor {
  const { id, words: via } = channel ?? { id: OPERATORS, words: undefined };
  return { id: `link:${id}`, name: name ?? '', ...defined({ via }) };
}

/** The channel whose link the actor used; undefined if the actor used a key. */
export function channelUsed({ id, via }: Actor): string | undefined {
  const [, channel] = /^link:(.+)$/.exec(id) ?? [];
  if (via !== undefined || channel === undefined) return via;
  return channel === OPERATORS ? "the operators' channel" : `channel ${channel}`;
}

/** The actor in words: `by Ada via Slack #desk`, `via Slack #desk`, `by key "the script"`. */
export function actorInWords(actor: Actor): string {
  const via = channelUsed(actor);
  if (via === undefined) return `by key "${actor.name}"`;
  return actor.name === '' ? `via ${via}` : `by ${actor.name} via ${via}`;
}
