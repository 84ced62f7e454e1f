import { SECOND } from '#shared/domain/market/instant.ts';
import type { WalletAddress } from '#shared/domain/market/wallet.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** A person waits for the answer; a list that is written without it gets its members soon. */
const ASKING_AT_MOST = 8 * SECOND;

/**
 * Reads what a wallet holds that a list is to have; undefined where the list has it already, and
 * where the answer does not come in time.
 */
export async function readNewWallet(
  { readWallet }: Pick<ManageWatchlistsPorts, 'readWallet'>,
  tenant: CallerTenant,
  { before, wallet }: { readonly before: Watchlist | undefined; readonly wallet: WalletAddress },
  signal: AbortSignal,
): Promise<WalletRead | undefined> {
  if (wallet === before?.wallet?.address) return undefined;
  const deadline = AbortSignal.timeout(ASKING_AT_MOST);
  try {
    return await readWallet(tenant, wallet, AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted) throw error;
    return undefined;
  }
}
