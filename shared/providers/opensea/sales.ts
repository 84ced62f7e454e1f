import { defined } from '#shared/domain/defined.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { mapOutcome, type Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { EMPTY } from '#shared/providers/prices.ts';
import { lowestOf, type Sale, type SalesRead } from '#shared/use-cases/upstream.ts';
import { readSales } from './answers.ts';
import type { Ask } from './ask.ts';

/** The pages of sales that are read for one answer, and the sales on each. */
const MOST_PAGES = 5;
const SALES_PER_PAGE = 200;

/** The sales paid in ETH between two moments, as far back from the later one as some pages reach. */
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
      // Whether a second itself counts is not documented.
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
    // Others of the oldest second may be on the next page.
    since = outcome.value.oldest === undefined ? since : outcome.value.oldest + SECOND;
    if (next === undefined || since - SECOND < from) {
      return { kind: 'ok', value: { sales, since: from } };
    }
  }
  return { kind: 'ok', value: { sales, since } };
}

/** The lowest sale of some days paid in ETH, by reading all sales of these days. */
export async function lowestSale(
  settings: ProviderSettings,
  ask: Ask,
  contract: Contract,
  days: number,
): Promise<Outcome<Sale>> {
  const from = settings.now() - days * DAY;
  const read = await salesBetween(settings, ask, contract, { from });
  if (read.kind !== 'ok') return read;
  // A sale that was not read may be lower.
  if (read.value.since > from) return { kind: 'unsupported', reason: 'many' };
  const lowest = lowestOf(read.value.sales);
  return lowest === undefined ? EMPTY : mapOutcome(read, () => lowest);
}
