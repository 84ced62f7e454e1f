import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

/**
 * A fake chat for tests and local stacks. It enforces the documented limits and rate of the
 * service, and rejects undocumented requests. It shares no code with our sender.
 */
export type ChatDouble<Written> = {
  /** A channel of this fake. */
  readonly channel: Written & { readonly id: string };
  /** Creates a fake without messages. */
  readonly create: (now: () => number) => (post: ChatPost) => DoubleAnswer;
};

type ChatPost = {
  /** Defaults to `POST`. */
  readonly method?: string | undefined;
  readonly headers?: {
    readonly authorization?: string | undefined;
    readonly 'content-type'?: string | undefined;
  };
  readonly path: string;
  readonly body: string;
  /** The body of a binary request. */
  readonly bytes?: Buffer;
};

export type DoubleAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The error in the message, for the operator of a local stack. */
  readonly issue?: string;
  readonly taken?: Taken;
};

export type Taken = {
  /** The address without its secret. */
  readonly to: string;
  /** A summary of the message in one line. */
  readonly subject: string;
  readonly message: unknown;
  /** The id of the edited message; undefined for a new message. */
  readonly edits?: string;
};

/** The address of an image, which the service loads itself. A local stack serves it without TLS. */
export const ImageUrl = z.url({ protocol: /^https?$/ });

/** The messages that a fake accepted and that can be edited. */
export function createTakenMessages() {
  const places: string[] = [];
  return {
    /** Adds a message and returns its id. */
    add: (place: string): string => `${places.push(place)}`,
    has: (place: string, message: string): boolean => places[Number(message) - 1] === place,
  };
}

/** The address of a page for a browser. A local stack serves it without TLS. */
export const PageUrl = z.url().regex(/^(https:\/\/|http:\/\/127\.0\.0\.1[:/])/);

/** Parses a message like the service; `issue` describes an invalid one. */
export function readMessage<Schema extends z.ZodType>(
  schema: Schema,
  body: string,
): { readonly message: z.output<Schema> } | { readonly issue: string } {
  const read = JsonText.pipe(schema).safeParse(body);
  if (read.success) return { message: read.data };
  return { issue: z.prettifyError(read.error).replaceAll(/\s+/g, ' ') };
}
