import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { HoldingsPage, WalletAddress } from '#shared/domain/market/wallet.ts';
import type { Faults } from './faults.ts';
import type { Stream } from './streams.ts';

/** Wallets with changing holdings, and the answers of a provider about them. */
export type Wallets = {
  /** The wallets that lists can follow. */
  readonly addresses: readonly WalletAddress[];
  readonly read: (wallet: WalletAddress, now: Instant) => Outcome<HoldingsPage>;
};

const ADDRESSES: readonly WalletAddress[] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
const LONGEST_MINUTES = 12;

/**
 * All contracts, all but one, or a random part. An answer that lacks more than half of a list's
 * collections changes the list only after an hour, and an empty answer after a day.
 */
function someOf(contracts: readonly ContractKey[], stream: Stream): readonly ContractKey[] {
  if (stream.happens(0.5)) return contracts;
  const lost = stream.pick(contracts);
  return stream.happens(0.7)
    ? contracts.filter((contract) => contract !== lost)
    : contracts.filter(() => stream.happens(0.5));
}

/** The number of tokens, which changes every 20 minutes. */
function amountOf(contract: ContractKey, now: Instant): number {
  return 1 + ((Math.floor(now / (20 * MINUTE)) + contract.length) % 3);
}

/** Creates wallets whose holdings change every few minutes. */
export function createWallets(
  contracts: readonly ContractKey[],
  { start, end }: { readonly start: Instant; readonly end: Instant },
  stream: Stream,
  faults: Faults,
): Wallets {
  const times = new Map(
    ADDRESSES.map((wallet) => {
      const held: { readonly from: Instant; readonly contracts: readonly ContractKey[] }[] = [];
      for (let from = start; from < end; from += stream.between(4, LONGEST_MINUTES) * MINUTE) {
        held.push({ from, contracts: someOf(contracts, stream) });
      }
      return [wallet, held];
    }),
  );
  const valueAt = (wallet: WalletAddress, now: Instant) =>
    times.get(wallet)?.findLast(({ from }) => from <= now)?.contracts ?? [];
  return {
    addresses: ADDRESSES,
    read: (wallet, now) => {
      if (faults.strikes('upstreamFails')) return { kind: 'failed', reason: 'server_error' };
      if (faults.strikes('upstreamThrottles')) return { kind: 'throttled' };
      // The provider may wrongly report an empty wallet.
      const held = faults.strikes('upstreamNotReady') ? [] : valueAt(wallet, now);
      const collections = held.map((contract) => ({
        ...{ contract, name: contract.slice(-4) },
        amount: amountOf(contract, now),
      }));
      return { kind: 'ok', value: { collections, others: 0 } };
    },
  };
}
