import { timeIn } from '#shared/domain/archive/timestamp.ts';
import type { TradeRecord } from '#shared/domain/archive/trade.ts';
import { type Contract, type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { LowestTrade, Outcome } from '#shared/domain/market/upstream.ts';
import { lowestOf, type Sale, type Upstream } from './upstream.ts';

/** The archived sales of contracts. */
export type SaleLog = {
  /** The time span whose sales are completely archived. */
  readonly span: (contract: ContractKey) => Promise<SaleSpan | undefined>;
  /** Archives sales, then records the complete span. */
  readonly keep: (contract: ContractKey, sales: readonly Sale[], span: SaleSpan) => Promise<void>;
  readonly lowest: (
    contract: ContractKey,
    span: { readonly from: Instant; readonly to: Instant },
  ) => Promise<TradeRecord | undefined>;
};

type SaleSpan = { readonly since: Instant; readonly until: Instant };

/** The age up to which a chain may revert a sale, or a provider may add a missing sale. */
const SETTLED_AFTER = 10 * MINUTE;

/**
 * Computes the provider's lowest sale from archived sales, so that only new ones are requested. If
 * a window has more sales than one answer can contain, several polls are needed to read all of
 * them. Providers without sales are returned unchanged.
 */
export function keepingSales<Provider extends Pick<Upstream, 'lowestTrade' | 'salesBetween'>>(
  provider: Provider,
  log: SaleLog,
  now: () => Instant,
): Provider {
  const { salesBetween } = provider;
  if (salesBetween === undefined) return provider;

  /** Reads the new sales and, if they are complete, also earlier sales. */
  const read = async (contract: Contract, from: Instant, signal: AbortSignal) => {
    const key = contractKey(contract);
    const kept = await log.span(key);
    const known = kept !== undefined && kept.until > from ? kept : undefined;
    const until = now() - SETTLED_AFTER;
    const start = known === undefined ? from : Math.max(from, known.until - SETTLED_AFTER);
    const news = await salesBetween(contract, { from: start }, signal);
    if (news.kind !== 'ok') return news;
    const isJoined = news.value.since <= start;
    const since = isJoined && known !== undefined ? known.since : news.value.since;
    const isShort = isJoined && since > from;
    const past = isShort
      ? await salesBetween(contract, { from, to: since }, signal)
      : { kind: 'ok' as const, value: { sales: [], since } };
    const sales = [...news.value.sales, ...(past.kind === 'ok' ? past.value.sales : [])];
    const span = { since: past.kind === 'ok' ? past.value.since : since, until };
    const settled = sales.filter(({ time }) => time <= until);
    const isMoved = kept?.since !== span.since || until - (kept?.until ?? 0) >= SETTLED_AFTER;
    if (isMoved || settled.some(({ time }) => time > kept.until))
      await log.keep(key, settled, span);
    if (past.kind !== 'ok') return past;
    return { kind: 'ok' as const, value: { sales, isWhole: span.since <= from } };
  };

  const lowestTrade = async (
    contract: Contract,
    days: number,
    _way: unknown,
    signal: AbortSignal,
  ): Promise<Outcome<LowestTrade>> => {
    const to = now();
    const from = to - days * DAY;
    const found = await read(contract, from, signal);
    if (found.kind !== 'ok') return found;
    // A sale that has not been read yet may be lower.
    if (!found.value.isWhole) return { kind: 'not_ready' };
    const kept = await log.lowest(contractKey(contract), { from, to });
    const recent = found.value.sales.filter(({ time }) => time >= from);
    const lowest = lowestOf<LowestTrade>([...recent, ...(kept ? [tradeOf(kept)] : [])]);
    return lowest === undefined ? { kind: 'empty' } : { kind: 'ok', value: lowest };
  };
  return { ...provider, lowestTrade };
}

function tradeOf({
  block_timestamp,
  price,
  token_ids,
  transaction_hash,
}: TradeRecord): LowestTrade {
  return {
    time: timeIn(block_timestamp),
    price: BigInt(price),
    tokenIds: token_ids,
    ...(transaction_hash === '' ? {} : { transactionHash: transaction_hash }),
  };
}
