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
  /** `POST` where it is left out. */
  readonly method?: string | undefined;
  readonly headers?: {
    readonly authorization?: string | undefined;
    readonly 'content-type'?: string | undefined;
  };
  readonly path: string;
  readonly body: string;
  /** The body of a service that takes no text. */
  readonly bytes?: Buffer;
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
  /** The message that it is written into; a new one where this is left out. */
  readonly edits?: string;
};

/** The address of a picture, which every service asks for itself: a local stack has it without TLS. */
export const ImageUrl = z.url({ protocol: /^https?$/ });

/** The messages that a double has taken, which can be changed. */
export function createTakenMessages() {
  const places: string[] = [];
  return {
    /** What a new message of a place is called. */
    add: (place: string): string => `${places.push(place)}`,
    has: (place: string, message: string): boolean => places[Number(message) - 1] === place,
  };
}

/** The address of a page that opens in a browser: a stack of this machine has it without TLS. */
export const PageUrl = z.url().regex(/^(https:\/\/|http:\/\/127\.0\.0\.1[:/])/);

/** Reads a message as a service would; what is wrong with it, in words. */
export function readMessage<Schema extends z.ZodType>(
  schema: Schema,
  body: string,
): { readonly message: z.output<Schema> } | { readonly issue: string } {
  const read = JsonText.pipe(schema).safeParse(body);
  if (read.success) return { message: read.data };
  return { issue: z.prettifyError(read.error).replaceAll(/\s+/g, ' ') };
}
