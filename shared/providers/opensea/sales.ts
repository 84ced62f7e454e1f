import type { Contract } from '#shared/domain/market/contract.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { EMPTY } from '#shared/providers/prices.ts';
import { readSales, type Sale } from './answers.ts';
import type { Ask } from './ask.ts';

/** The pages of sales that are read for one answer, and the sales on each. */
const MOST_PAGES = 5;
const SALES_PER_PAGE = 200;

/** The lowest sale of some days paid in ETH, by reading all sales of these days. */
export async function lowestSale(
  { now }: ProviderSettings,
  ask: Ask,
  contract: Contract,
  days: number,
): Promise<Outcome<Sale>> {
  const from = now() - days * DAY;
  let lowest: Sale | undefined;
  let next: string | undefined;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const query = {
      event_type: 'sale',
      after: `${Math.floor(from / SECOND)}`,
      limit: `${SALES_PER_PAGE}`,
      ...(next === undefined ? {} : { next }),
    };
    const outcome = await ask(
      (slug) => `events/collection/${slug}`,
      query,
      (body) => readSales(body, contract, now()),
    );
    if (outcome.kind !== 'ok') return outcome;
    const { sales, oldest } = outcome.value;
    for (const sale of sales.filter(({ time }) => time >= from)) {
      if (lowest === undefined || sale.price < lowest.price) lowest = sale;
    }
    next = outcome.value.next;
    const isWhole = next === undefined || (oldest !== undefined && oldest < from);
    if (isWhole) return lowest === undefined ? EMPTY : { kind: 'ok', value: lowest };
  }
  // A sale that was not read may be lower.
  return { kind: 'unsupported', reason: 'many' };
}
