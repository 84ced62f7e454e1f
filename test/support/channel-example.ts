import type { ChatKind, Kind, Written } from '#shared/channels/kinds.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';

/** What the tests of all kinds need of one, by the documentation of its service. */
export type ChannelExample<Name extends Kind> = {
  readonly written: Written[Name] & { readonly id: string };
  /** The same channel, led elsewhere. */
  readonly elsewhere: Written[Name] & { readonly id: string };
  /** In the order of its members. */
  readonly secrets: readonly string[];
  /** As the documentation of channels has it. */
  readonly isForPeople: boolean;
  readonly isByTopic: boolean;
  /** The same with an address that is almost right, and what is expected instead. */
  readonly refused: readonly (readonly [members: object, at: string, expected: string])[];
} & (Name extends ChatKind ? { readonly chat: ChatExample } : unknown);

type ChatExample = {
  /** Where its service is asked, with the query. */
  readonly path: string;
  /** Its address as its double shows it. */
  readonly to: string;
  /** Whether it takes bytes in place of JSON. */
  readonly isBinary?: boolean;
  /** How long it is left alone after a 429 that does not say; a second where this does not. */
  readonly secondsAfter429?: number;
  readonly answers: readonly ServiceAnswer[];
};

type ServiceAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly means: ChatAnswer;
};
