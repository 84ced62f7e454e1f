import type { Mutant } from './planted-bugs.ts';

const WALLET = 'shared/domain/watchlists/wallet-members.ts';

/** In what wallets bring to lists, and in the contact points that lists share. */
export const PLANTED_IN_LISTS: readonly Mutant[] = [
  {
    name: 'a wallet that seems to lack most is believed at once',
    file: WALLET,
    from: 'return now - doubtedSince >= (collections.length === 0 ? DAY : HOUR);',
    to: 'return now - doubtedSince >= (collections.length === 0 ? 0 : 0);',
  },
  {
    name: 'what leaves a wallet stays in its list',
    file: WALLET,
    from: 'known.filter(({ contract }) => isCut || isHeld.has(contract));',
    to: 'known.filter(({ contract }) => isCut || contract.length > 0 || isHeld.has(contract));',
  },
  {
    name: 'a wallet takes with it what people wrote',
    file: WALLET,
    from: 'const written = writtenMembers(list);',
    to: 'const written = writtenMembers(list).slice(walletMembers(list).length);',
  },
  {
    name: 'what joins and leaves with a wallet is told by no alert',
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
