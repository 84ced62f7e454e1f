import { createHash } from 'node:crypto';
import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { type OpenedToken, openToken, signToken } from '#shared/domain/signed-token.ts';

/**
 * The content of an unsubscribe link. With the link, the reader at one address unsubscribes from
 * the emails of a channel. The link has no effect once the channel has another address.
 */
export type UnsubscribeLink = { readonly destinationId: DestinationId; readonly to: string };

/** The links work for a year, because people keep emails. */
const WORKS_FOR = 365 * DAY;

/**
 * A token in a URL that lets its holder unsubscribe the channel's address. Undefined if it would be
 * too long.
 */
export function unsubscribeToken(
  secret: string,
  { destinationId, to }: UnsubscribeLink,
  now: Instant,
): string | undefined {
  return signToken(secret, 'unsubscribe', [destinationId, digestOf(to)], now + WORKS_FOR);
}

/** The channel that a valid link unsubscribes. */
type Ended = {
  readonly destinationId: DestinationId;
  /** Whether the link was made for this address. */
  readonly leadsTo: (to: string) => boolean;
};

export function openUnsubscribeToken(
  secret: string,
  token: string,
  now: Instant,
): OpenedToken<Ended> {
  return openToken(secret, 'unsubscribe', token, Signed, now);
}

const Signed = z.tuple([DestinationId, z.string()]).transform(([destinationId, digest]): Ended => {
  return { destinationId, leadsTo: (to) => digestOf(to) === digest };
});

/** A digest, because a plain address in a link would appear in logs and browser histories. */
function digestOf(to: string): string {
  return createHash('sha256').update(to).digest('base64url').slice(0, 16);
}
