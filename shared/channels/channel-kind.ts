import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';

/** A kind of channel as lists keep it: what all code asks of it, and nothing of how it is sent. */
export type ChannelKind<Kept, Written> = {
  /** Whether people read it: they get digests, programs get every alert singly. */
  readonly isForPeople: boolean;
  /** Where it is subscribed to its list's topic; undefined for a kind that we post to ourselves. */
  readonly endpointOf: (channel: Kept) => Endpoint | undefined;
  /** Distinguishes where it leads from wherever else it may have led, or be made to lead. */
  readonly addressOf: (channel: Kept) => string;
  readonly secretsOf: (channel: Kept) => readonly SealedSecret[];
  /** As its owner reads it, and may write it again: secrets by their names. */
  readonly viewOf: (channel: Kept) => Written;
};

/** What SNS knows of a subscriber. */
export type Endpoint = { readonly protocol: 'email' | 'sqs'; readonly endpoint: string };
