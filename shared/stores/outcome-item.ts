import * as z from 'zod';
import { type AlertKey, alertSortKey } from '#shared/domain/alerting/alert.ts';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Outcome, Outcomes } from '#shared/domain/channels/alert-record.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { readItem } from './read-item.ts';
import type { Item, Key } from './table.ts';

/** Prefix of the sort keys of outcomes, which are in the partition of their alerts. */
export const OUTCOME = 'OUTCOME#';

const KEPT_DAYS = 400;

export const OutcomeItem = z.lazy(() =>
  z.object({
    destination: DestinationId,
    state: z.enum(['accepted', 'sent', 'skipped', 'failed']),
    at: z.int(),
    reason: z.string().optional(),
    heldUntil: z.int().optional(),
  }),
);

export function outcomeItem(key: AlertKey, destinationId: DestinationId, outcome: Outcome): Item {
  return {
    ...outcomeKeyOf(key, destinationId),
    ...{ ...outcome, destination: destinationId, ttl: ttlOf(key) },
  };
}

export function outcomeFromItem(item: Item): Outcome {
  const outcome = omit(readItem('outcome', OutcomeItem, item), 'destination');
  return outcome;
}

export function outcomesIn(items: readonly Item[]): Outcomes {
  return Object.fromEntries(
    items.map((item) => {
      const { destination, ...outcome } = readItem('outcome', OutcomeItem, item);
      return [destination, outcome];
    }),
  );
}

export function outcomeKeyOf(alert: AlertKey, destinationId: DestinationId): Key {
  // Encoded, because a destination's id contains separators: `<tenant>#<list>#<channel>`.
  const name = encodeURIComponent(destinationId);
  return { pk: partitionOf(alert), sk: `${OUTCOME}${alertSortKey(alert)}#${name}` };
}

/** The partition of a list's alerts. */
export function partitionOf({ tenant, watchlist }: Pick<AlertKey, 'tenant' | 'watchlist'>): string {
  return `LIST#${tenant}#${watchlist}`;
}

/** The Unix time in seconds at which DynamoDB removes an alert and its outcomes. */
export function ttlOf({ at }: Pick<AlertKey, 'at'>): number {
  return Math.floor((Date.parse(at) + KEPT_DAYS * DAY) / 1000);
}
