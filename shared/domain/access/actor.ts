import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';

/**
 * The author of a change: an API key, by its public id and its name, or the reader of a signed
 * link.
 */
export const Actor = z.object({
  id: z.string(),
  /** Empty if the reader of a link gave no name. */
  name: z.string(),
  /**
   * The channel whose message had the link, in words: `Slack #desk`. It may have been deleted
   * since.
   */
  via: z.string().optional(),
});
export type Actor = Readonly<z.output<typeof Actor>>;

/** Represents the operators in place of a channel's id, which cannot be `*`. */
const OPERATORS = '*';

/** The channel of a link: its id, and its name in words if it still exists. */
type LinkChannel = { readonly id: string; readonly words: string | undefined };

/**
 * The actor of a link in a message: the channel of the message, undefined for the operators', and
 * the name that the reader gave.
 */
export function linkActor(channel: LinkChannel | undefined, name: string | undefined): Actor {
  const { id, words: via } = channel ?? { id: OPERATORS, words: undefined };
  return { id: `link:${id}`, name: name ?? '', ...defined({ via }) };
}

/** The channel of an actor's link; undefined for a key. */
export function channelUsed({ id, via }: Actor): string | undefined {
  const [, channel] = /^link:(.+)$/.exec(id) ?? [];
  if (via !== undefined || channel === undefined) return via;
  return channel === OPERATORS ? "the operators' channel" : `channel ${channel}`;
}

/** Such as `by Ada via Slack #desk`, `via Slack #desk`, `by key "the script"`. */
export function actorInWords(actor: Actor): string {
  const via = channelUsed(actor);
  if (via === undefined) return `by key "${actor.name}"`;
  return actor.name === '' ? `via ${via}` : `by ${actor.name} via ${via}`;
}
