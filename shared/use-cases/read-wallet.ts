import type { Instant } from '#shared/domain/market/instant.ts';
import { OPERATIONS } from '#shared/domain/market/operations.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import type {
  HeldCollection,
  Holdings,
  HoldingsPage,
  WalletAddress,
} from '#shared/domain/market/wallet.ts';
import { callOnce, type RateLimitedCalls } from './rate-limited-call.ts';
import type { ReadHoldings } from './upstream.ts';

export type ReadWalletPorts = RateLimitedCalls & {
  readonly readHoldings: ReadHoldings;
  /**
   * Takes a call from the daily share of a tenant; returns the seconds to wait if the share is used
   * up.
   */
  readonly takeCall: (tenant: string, operation: 'traits') => Promise<number | undefined>;
};

/** The holdings of a wallet, or why they are unknown. */
export type WalletRead =
  | { readonly kind: 'ok'; readonly holdings: Holdings }
  | Exclude<Refusal, { readonly kind: 'empty' }>
  | { readonly kind: 'no_capacity'; readonly until: Instant }
  | { readonly kind: 'share_used_up'; readonly retryAfterSeconds: number };

/** Ten pages of fifty cover the maximum number of contracts of a list. */
const MOST_PAGES = 10;

const NOTHING: HoldingsPage = { collections: [], others: 0 };

/**
 * Reads the holdings of a wallet page by page. Each page is a reserved call. The tenant's daily
 * share is charged as for a search by traits, because no provider charges more for a page of
 * holdings.
 */
export async function readWallet(
  ports: ReadWalletPorts,
  tenant: string,
  wallet: WalletAddress,
  signal: AbortSignal,
): Promise<WalletRead> {
  const collections = new Map<string, HeldCollection>();
  let others = 0;
  let cursor: string | undefined;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const wait = await ports.takeCall(tenant, 'traits');
    if (wait !== undefined) return { kind: 'share_used_up', retryAfterSeconds: wait };
    const from = cursor;
    const read = () => ports.readHoldings(wallet, from, signal);
    const made = await callOnce(ports, OPERATIONS.traits.calls, read, signal);
    if (made.call === undefined) return { kind: 'no_capacity', until: made.until };
    const { outcome } = made;
    if (outcome.kind !== 'ok' && outcome.kind !== 'empty') return outcome;
    const held = outcome.kind === 'ok' ? outcome.value : NOTHING;
    for (const collection of held.collections) collections.set(collection.contract, collection);
    others += held.others;
    cursor = held.cursor;
    if (cursor === undefined) break;
  }
  const isCut = cursor !== undefined;
  return { kind: 'ok', holdings: { collections: [...collections.values()], others, isCut } };
}
