import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';

/** Who changes something: an API key by its id, which is no secret, and its name; or a link's reader. */
export const Actor = z.object({
  id: z.string(),
  /** Empty if the reader of a link gave none. */
  name: z.string(),
  /** The channel whose message had the link, in words: `Slack #desk`. The channel may be gone since. */
  via: z.string().optional(),
});
export type Actor = Readonly<z.output<typeof Actor>>;

/** Stands for the operators where the id of a channel would; no channel has it. */
const OPERATORS = '*';

/** The channel of a link: its id, and the channel in words if it still exists. */
type LinkChannel = { readonly id: string; readonly words: string | undefined };

/**
 * Whoever presses a link of a message: the channel that the message was sent to, undefined for the
 * operators', and the name that the reader gave.
 */
export function linkActor(channel: LinkChannel | undefined, name: string | undefined): Actor {
  const { id, words: via } = channel ?? { id: OPERATORS, words: undefined };
  return { id: `link:${id}`, name: name ?? '', ...defined({ via }) };
}

/** The channel through which an actor came; undefined for a key. */
export function viaOf({ id, via }: Actor): string | undefined {
  const [, channel] = /^link:(.+)$/.exec(id) ?? [];
  if (via !== undefined || channel === undefined) return via;
  return channel === OPERATORS ? 'the channel of the operators' : `channel ${channel}`;
}

/** `by Ada via Slack #desk`; `via Slack #desk`; `by key "the script"` */
export function actorInWords(actor: Actor): string {
  const via = viaOf(actor);
  if (via === undefined) return `by key "${actor.name}"`;
  return actor.name === '' ? `via ${via}` : `by ${actor.name} via ${via}`;
}
