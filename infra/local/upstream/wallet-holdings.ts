import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import type { MarketContract, MarketSource } from './market-source.ts';

/**
 * A wallet holds two of every three collections, different ones each day, so that a demo shows
 * collections that join and leave.
 */
export function holdingsOf(
  source: MarketSource,
  wallet: string,
  now: Instant,
): readonly MarketContract[] {
  const turn = Number.parseInt(wallet.slice(-4), 16) + Math.floor(now / DAY);
  return source.contracts().filter((_, index) => (index + turn) % 3 !== 0);
}
