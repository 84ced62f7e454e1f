import * as z from 'zod';
import { isNameOfSecret, type SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import { Identifier } from '#shared/domain/words.ts';

/** A kind of channel as people write it. */
export type ChannelBodyKind<Kept, Written> = {
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

/** A secret, or the name of one that the channel has already. */
export const secretOf = (isOne: (text: string) => boolean, expected: string) =>
  z.string().refine((text) => isNameOfSecret(text) || isOne(text), {
    message: `${expected}, or the "kept:…" of the one that this channel has`,
  });
