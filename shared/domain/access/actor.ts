import * as z from 'zod';

/** Who changes something: an API key by its id, which is no secret, and its name; or a link's reader. */
export const Actor = z.object({ id: z.string(), name: z.string() });
export type Actor = Readonly<z.output<typeof Actor>>;

/** Stands for the operators where the id of a channel would; no channel has it. */
const OPERATORS = '*';

/**
 * Whoever presses a link of a message: the channel that the message was sent to, undefined for the
 * operators', and the name that the reader gave.
 */
export function linkActor(channel: string | undefined, name: string | undefined): Actor {
  return { id: `link:${channel ?? OPERATORS}`, name: name ?? 'somebody' };
}

/** `Ada, through a link of channel desk`; `key "the script"` */
export function actorInWords({ id, name }: Actor): string {
  const [, channel] = /^link:(.+)$/.exec(id) ?? [];
  if (channel === undefined) return `key "${name}"`;
  return `${name}, through a link of ${channel === OPERATORS ? 'the operators' : `channel ${channel}`}`;
}
