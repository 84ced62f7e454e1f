import type { Mutant } from './planted-bugs.ts';

const WALLET = 'shared/domain/watchlists/wallet-members.ts';

/** Bugs in the members that wallets add to lists, and in shared contact points. */
export const PLANTED_IN_LISTS: readonly Mutant[] = [
  {
    name: 'an answer that lacks most of a wallet is accepted at once',
    file: WALLET,
    from: 'return now - doubtedSince >= (collections.length === 0 ? DAY : HOUR);',
    to: 'return now - doubtedSince >= (collections.length === 0 ? 0 : 0);',
  },
  {
    name: 'contracts that leave a wallet stay in its list',
    file: WALLET,
    from: '.filter(({ contract }) => isCut || held.has(contract))',
    to: '.filter(({ contract }) => isCut || contract.length > 0 || held.has(contract))',
  },
  {
    name: 'a wallet removes members that people added',
    file: WALLET,
    from: 'const written = writtenMembers(list);',
    to: 'const written = writtenMembers(list).slice(walletMembers(list).length);',
  },
  {
    name: 'changes of a wallet make no alert',
    file: 'functions/run-jobs/keep-wallet.ts',
    from: 'if (isOfWallet(kept)) await inform',
    to: 'if (isOfWallet(kept) && kept.deleted) await inform',
  },
  {
    name: 'a contact point that lists use can be deleted',
    file: 'shared/domain/watchlists/quota-usage.ts',
    from: 'if (users.length === 0) continue;',
    to: 'if (users.length < 1_000) continue;',
  },
];
