import { defined } from '#shared/domain/defined.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { mapOutcome, type Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { EMPTY } from '#shared/providers/prices.ts';
import { lowestOf, type Sale, type SalesRead } from '#shared/use-cases/upstream.ts';
import { readSales } from './answers.ts';
import type { Ask } from './ask.ts';

/** Maximum number of pages for one answer, and the sales on each page. */
const MOST_PAGES = 5;
const SALES_PER_PAGE = 200;

/**
 * The sales paid in ETH between two instants, newest first, as far back as the maximum number of
 * pages reaches.
 */
export async function salesBetween(
  { now }: ProviderSettings,
  ask: Ask,
  contract: Contract,
  { from, to }: { readonly from: Instant; readonly to?: Instant | undefined },
): Promise<Outcome<SalesRead>> {
  const sales: Sale[] = [];
  let next: string | undefined;
  let since = now();
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const query = {
      event_type: 'sale',
      // OpenSea does not document whether the two limits are inclusive.
      after: `${Math.floor(from / SECOND) - 1}`,
      ...(to === undefined ? {} : { before: `${Math.floor(to / SECOND) + 1}` }),
      limit: `${SALES_PER_PAGE}`,
      ...defined({ next }),
    };
    const outcome = await ask(
      (slug) => `events/collection/${slug}`,
      query,
      (body) => readSales(body, contract, now()),
    );
    if (outcome.kind !== 'ok') return outcome;
    sales.push(...outcome.value.sales.filter(({ time }) => time >= from));
    next = outcome.value.next;
    // The next page may contain other sales of the oldest second on this page.
    since = outcome.value.oldest === undefined ? since : outcome.value.oldest + SECOND;
    if (next === undefined || since - SECOND < from) {
      return { kind: 'ok', value: { sales, since: from } };
    }
  }
  return { kind: 'ok', value: { sales, since } };
}

/**
 * Finds the lowest sale in a window of days that was paid in ETH, by reading all sales in this
 * window.
 */
export async function lowestSale(
  settings: ProviderSettings,
  ask: Ask,
  contract: Contract,
  days: number,
): Promise<Outcome<Sale>> {
  const from = settings.now() - days * DAY;
  const read = await salesBetween(settings, ask, contract, { from });
  if (read.kind !== 'ok') return read;
  // An unread sale may be lower.
  if (read.value.since > from) return { kind: 'unsupported', reason: 'many' };
  const lowest = lowestOf(read.value.sales);
  return lowest === undefined ? EMPTY : mapOutcome(read, () => lowest);
}
