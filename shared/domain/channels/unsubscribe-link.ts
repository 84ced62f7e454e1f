import { createHash } from 'node:crypto';
import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { type OpenedToken, openToken, signToken } from '#shared/domain/signed-token.ts';

/** Which emails a link ends: those of a channel, as long as they go to that address. */
export type UnsubscribeLink = { readonly destinationId: DestinationId; readonly to: string };

/** How long the links of an email work: mail is kept. */
const WORKS_FOR = 365 * DAY;

/**
 * The right to end the emails of a channel, as part of an address. Undefined where it would be too
 * long.
 */
export function unsubscribeToken(
  secret: string,
  { destinationId, to }: UnsubscribeLink,
  now: Instant,
): string | undefined {
  return signToken(secret, 'unsubscribe', [destinationId, digestOf(to)], now + WORKS_FOR);
}

/** The emails that a link of this stack ends. */
type Ended = {
  readonly destinationId: DestinationId;
  /** Whether they go to that address. */
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

/** An address in a link would be in logs and histories. */
function digestOf(to: string): string {
  return createHash('sha256').update(to).digest('base64url').slice(0, 16);
}
