import * as z from 'zod';
import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import type { Forms } from '#shared/domain/forms.ts';
import { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import { Identifier } from '#shared/domain/words.ts';

/** A kind of channel, except for the code that posts to it. */
export type ChannelKind<Kept, Written> = {
  /** Prefix of its schema names in the OpenAPI document. */
  readonly name: string;
  /** The name of the service in messages and reports. */
  readonly service: string;
  readonly words: KindWords<Written>;
  /** The stored channel. */
  readonly kept: z.ZodType<Kept>;
  /** The channel in requests. */
  readonly body: z.ZodType<Written>;
  /** JSON Schemas for the OpenAPI document, for members whose schema cannot be generated. */
  readonly forms: Forms;
  /** Whether people read the channel. People get digests, and programs get every alert. */
  readonly isForPeople: boolean;
  /** How a channel shows an acknowledgement. */
  readonly acknowledged: (channel: Kept) => Acknowledged;
  /**
   * How alerts are sent: by SNS through a topic of the list, or by our own HTTP request to the
   * service of a vendor (`chat`, which includes PagerDuty and Web Push) or to any other server
   * (`webhook`).
   */
  readonly delivery: Topic<Kept> | 'chat' | 'webhook';
  /** Identifies the receiver of the channel. */
  readonly addressOf: (channel: Kept) => string;
  /** The channel as in the request, with each secret replaced by `show`. */
  readonly viewOf: (channel: Kept, show: (secret: SealedSecret) => string) => Written;
  /** The members that contain a secret, or the name of a secret that the channel already has. */
  readonly secretsOf: (written: Written) => readonly WrittenSecret[];
  /**
   * Why the request must repeat the secrets of the stored channel; undefined if their names
   * suffice.
   */
  readonly namesRefused: (written: Written, known: Kept) => string | undefined;
  /** Errors that depend on this deployment and on the stored channel that the request replaces. */
  readonly issuesOf: (
    written: Written,
    known: Kept | undefined,
    rules: WebhookRules,
  ) => readonly ChannelIssue[];
  /** Converts the channel of a request to the stored one. */
  readonly keep: (
    written: Written & { readonly id: string },
    seal: (secret: string) => Promise<SealedSecret>,
  ) => Promise<Kept>;
};

/**
 * How an acknowledgement is shown without a notification: in the message of the episode, as an
 * event, or not at all.
 */
export type Acknowledged = 'in-message' | 'as-event' | 'nowhere';

/** The descriptions of a kind in the OpenAPI document. All members are required. */
type KindWords<Written> = {
  readonly is: string;
  readonly also?: string;
  readonly members: { readonly [Member in Exclude<keyof Written, 'id' | 'kind'>]: string };
};

type Topic<Kept> = {
  /** The endpoint that is subscribed to the topic of the list. */
  readonly endpointOf: (channel: Kept) => Endpoint;
};

/** A subscriber in SNS. */
export type Endpoint = { readonly protocol: 'email' | 'sqs'; readonly endpoint: string };

type WrittenSecret = { readonly path: Path; readonly secret: string };

/** An error in a member of the channels that the schema cannot detect. */
export type ChannelIssue = { readonly path: Path; readonly message: string };

type Path = readonly (string | number)[];

/** The webhook destinations that this deployment allows. */
export type WebhookRules = {
  readonly destinations: WebhookDestinations;
  /** The allowed https ports: receivers of alerts commonly use them, and few other services do. */
  readonly ports: readonly number[];
};

/** Derived from the channel's name if omitted. */
export const id = Identifier.optional();

/**
 * Whether later alerts of an episode edit its newest message (the default) or are posted as new
 * messages. Alerts that must notify people (`wakesSomebody`) are always posted, because edits are
 * silent. Only for chats with editable messages.
 */
export const updates = z.enum(['edit', 'post']).optional();

/** Whether later alerts edit the existing message. */
export function isEdited(channel: { readonly updates?: z.output<typeof updates> }): boolean {
  return channel.updates !== 'post';
}

/** The quiet hours of a channel for people. */
export const quiet = Quiet.optional();

/** The description of `quiet` in the OpenAPI document. */
export const QUIET =
  'Quiet hours, in which only critical alerts are sent. A summary of the others follows at the end.';

/** With `edit`, acknowledgements appear in the message of the episode. */
export function acknowledgedInMessage(channel: Parameters<typeof isEdited>[0]): Acknowledged {
  return isEdited(channel) ? 'in-message' : 'nowhere';
}

/** The description of `updates` in the OpenAPI document. */
export const UPDATES =
  'How later alerts of an episode are sent. `edit`, the default, updates the message of the episode silently. Alerts that must notify people are sent as new messages: reminders, escalations and critical `worsened` alerts. `post` sends each alert as a new message.';

/** A secret of this form, or the name of a secret that the channel already has. */
export const secretOf = (form: string, expected: string) =>
  z
    .string()
    .regex(
      new RegExp(`^(kept:[0-9a-f]{8}|${form})$`),
      `${expected}, or the "kept:…" value of the stored secret`,
    );

/** The description of secrets in the OpenAPI document. */
export const SECRET =
  'A secret: responses show `kept:…` instead. A request with that text keeps the stored secret.';
