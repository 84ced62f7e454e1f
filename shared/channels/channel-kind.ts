import * as z from 'zod';
import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import type { Forms } from '#shared/domain/forms.ts';
import { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import { Identifier } from '#shared/domain/words.ts';

/** A kind of channel: all that is said of it, but how it is posted to. */
export type ChannelKind<Kept, Written> = {
  /** Begins the names of its schemas in the OpenAPI document. */
  readonly name: string;
  /** Its service in messages and reports. */
  readonly service: string;
  readonly words: KindWords<Written>;
  /** As lists keep it. */
  readonly kept: z.ZodType<Kept>;
  /** As people write it. */
  readonly body: z.ZodType<Written>;
  /** The forms of its members that no schema generator can read, for the OpenAPI document. */
  readonly forms: Forms;
  /** Whether people read it: they get digests, programs get every alert singly. */
  readonly isForPeople: boolean;
  /** How a channel shows that an episode is acknowledged. */
  readonly acknowledged: (channel: Kept) => Acknowledged;
  /**
   * By a topic of its list, or by a post of ours: to a service of a vendor, whether people chat
   * there or not, or to the server of a stranger.
   */
  readonly delivery: Topic<Kept> | 'chat' | 'webhook';
  /** Distinguishes where it leads from wherever else it may have led, or be made to lead. */
  readonly addressOf: (channel: Kept) => string;
  /** As it was written, each secret as `show` has it. */
  readonly viewOf: (channel: Kept, show: (secret: SealedSecret) => string) => Written;
  /** The members that are secrets, or the names of secrets that the channel has already. */
  readonly secretsOf: (written: Written) => readonly WrittenSecret[];
  /** Why it must give its secrets again, though the channel that it replaces has them. */
  readonly namesRefused: (written: Written, known: Kept) => string | undefined;
  /** What else is wrong with it in this deployment, beside the channel that it replaces. */
  readonly issuesOf: (
    written: Written,
    known: Kept | undefined,
    rules: WebhookRules,
  ) => readonly ChannelIssue[];
  /** As its list keeps it. */
  readonly keep: (
    written: Written & { readonly id: string },
    seal: (secret: string) => Promise<SealedSecret>,
  ) => Promise<Kept>;
};

/**
 * How an acknowledgement is shown, which must wake nobody: in the message that shows its episode, as
 * an event of its own, or not at all.
 */
export type Acknowledged = 'in-message' | 'as-event' | 'nowhere';

/** The words of a kind in the OpenAPI document; a member without them does not compile. */
type KindWords<Written> = {
  readonly is: string;
  readonly also?: string;
  readonly members: { readonly [Member in Exclude<keyof Written, 'id' | 'kind'>]: string };
};

type Topic<Kept> = {
  /** What is subscribed to a topic of its list. */
  readonly endpointOf: (channel: Kept) => Endpoint;
};

/** What SNS knows of a subscriber. */
export type Endpoint = { readonly protocol: 'email' | 'sqs'; readonly endpoint: string };

type WrittenSecret = { readonly path: Path; readonly secret: string };

/** What is wrong with a member of the channels that a person wrote, as only the list can tell. */
export type ChannelIssue = { readonly path: Path; readonly message: string };

type Path = readonly (string | number)[];

/** Where webhooks may lead in this deployment. */
export type WebhookRules = {
  readonly destinations: WebhookDestinations;
  /** Of https; programs that are to get alerts listen there, and hardly anything else does. */
  readonly ports: readonly number[];
};

/** Made from the name of the list's member where it is left out. */
export const id = Identifier.optional();

/**
 * Of a chat whose messages can be changed: whether later news of an episode that must wake nobody
 * are written into its newest message, as by default, or posted.
 */
export const updates = z.enum(['edit', 'post']).optional();

/** Whether later news are written into the message that is there. */
export function isEdited(channel: { readonly updates?: z.output<typeof updates> }): boolean {
  return channel.updates !== 'post';
}

/** Of a channel for people: the hours in which they are left alone. */
export const quiet = Quiet.optional();

/** Of such a member, for the OpenAPI document. */
export const QUIET =
  'The hours in which the channel gets nothing but what is critical. What was held comes as one summary at their end.';

/** Of such a chat: what is changed shows acknowledgements. */
export function acknowledgedInMessage(channel: Parameters<typeof isEdited>[0]): Acknowledged {
  return isEdited(channel) ? 'in-message' : 'nowhere';
}

/** Of such a member, for the OpenAPI document. */
export const UPDATES =
  'How later news of an episode come. `edit`, the default: its message is changed, without a sound, and only what must wake somebody (the first alert, a reminder, a critical worsening) is a message of its own. `post`: each is a message.';

/** A secret of this form, or the name of one that the channel has already. */
export const secretOf = (form: string, expected: string) =>
  z
    .string()
    .regex(
      new RegExp(`^(kept:[0-9a-f]{8}|${form})$`),
      `${expected}, or the "kept:…" of the one that this channel has`,
    );

/** Of a member that is a secret, for the OpenAPI document. */
export const SECRET =
  'A secret: answers show `kept:…` instead, and a request with that text keeps the secret.';
