import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

/**
 * A double of a chat, for a stack on one machine and for tests: by its service's documentation it
 * takes what the service takes, refuses the rest, and is as fast. It reads nothing of how we post.
 */
export type ChatDouble<Written> = {
  /** A channel that it has. */
  readonly channel: Written & { readonly id: string };
  /** What it answers, each time anew. */
  readonly create: (now: () => number) => (post: ChatPost) => DoubleAnswer;
};

type ChatPost = {
  readonly path: string;
  readonly body: string;
};

export type DoubleAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The fault of the message, for the operator. */
  readonly issue?: string;
  readonly taken?: Taken;
};

export type Taken = {
  /** The address, without its secret. */
  readonly to: string;
  /** What it says in one line. */
  readonly subject: string;
  readonly message: unknown;
};

/** The address of a picture, which every service asks for itself: a local stack has it without TLS. */
export const ImageUrl = z.url({ protocol: /^https?$/ });

/** Reads a message as a service would; what is wrong with it, in words. */
export function readMessage<Schema extends z.ZodType>(
  schema: Schema,
  body: string,
): { readonly message: z.output<Schema> } | { readonly issue: string } {
  const read = JsonText.pipe(schema).safeParse(body);
  if (read.success) return { message: read.data };
  return { issue: z.prettifyError(read.error).replaceAll(/\s+/g, ' ') };
}
