import type { ChatKind, Kind, Written } from '#shared/channels/kinds.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';

/**
 * An example channel of one kind, which the tests of all kinds use. It follows the documentation of
 * the service.
 */
export type ChannelExample<Name extends Kind> = {
  readonly written: Written[Name] & { readonly id: string };
  /** The same channel with another destination. */
  readonly elsewhere: Written[Name] & { readonly id: string };
  /** The secrets of the channel, in the order of its members. */
  readonly secrets: readonly string[];
  /** Whether people or programs read the channel, according to its documentation. */
  readonly isForPeople: boolean;
  readonly isByTopic: boolean;
  /** Members that make the address invalid, with the pointer and the expected text of the issue. */
  readonly refused: readonly (readonly [members: object, at: string, expected: string])[];
} & (Name extends ChatKind ? { readonly chat: ChatExample } : unknown);

type ChatExample = {
  /** The path of the service, including the query. */
  readonly path: string;
  /** The address as the fake reports it. */
  readonly to: string;
  /** Whether the service expects bytes instead of JSON. */
  readonly isBinary?: boolean;
  /** The pause after a 429 without Retry-After; one second by default. */
  readonly secondsAfter429?: number;
  readonly answers: readonly ServiceAnswer[];
};

type ServiceAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly means: ChatAnswer;
};
