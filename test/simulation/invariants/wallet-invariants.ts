import type { Item } from '#shared/stores/table.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';
import { type ListDocument, listDocument } from './documents.ts';

type WalletInvariantsWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: string) => void;
  readonly now: () => number;
};

type Answer = { readonly at: number; readonly by: number; readonly held: readonly string[] };
type ToldChange = { readonly path: string; readonly revision: number };

const DAY = 86_400_000;

/** Holds the members that wallets bring against the answers that were heard of these wallets. */
export function createWalletInvariants({ broken, met, now }: WalletInvariantsWorld) {
  const answers = new Map<string, Answer[]>();
  const toTell: ToldChange[] = [];
  const told = new Set<string>();

  const heard = (wallet: string, read: WalletRead, by: Invocation) => {
    met(`wallet: ${read.kind}`);
    if (read.kind !== 'ok') return;
    const held = read.holdings.collections.map(({ contract }) => contract);
    const known = answers.get(wallet) ?? [];
    answers.set(wallet, [...known, { at: now(), by: by.id, held }]);
  };

  /** A list's own actor writes it for its wallet alone. */
  const checkFollowing = (
    before: ListDocument,
    after: ListDocument,
    path: string,
    by: Invocation,
  ) => {
    if (before.wallet === undefined || after.wallet === undefined) return;
    const keptByPeople = (list: ListDocument) =>
      JSON.stringify([
        list.members.filter((one) => one.by === undefined),
        list.rules,
        list.channels,
      ]);
    if (keptByPeople(before) !== keptByPeople(after))
      broken('a wallet changes nothing that people wrote', path);
    const all = answers.get(after.wallet.address) ?? [];
    const answer = all.findLast((one) => one.by === by.id);
    if (answer === undefined) return broken('a wallet changes a list by an answer', path);
    const [old, young] = [namesIn(before), namesIn(after)];
    for (const contract of young.filter((one) => !old.includes(one))) {
      met('wallet: joined');
      if (!answer.held.includes(contract))
        broken('only what a wallet holds joins', `${path} ${contract}`);
    }
    const left = old.filter((one) => !young.includes(one));
    for (const contract of left) {
      met('wallet: left');
      if (answer.held.includes(contract))
        broken('what a wallet holds stays', `${path} ${contract}`);
    }
    const hasHeld = all.some((one) => one.at > now() - DAY && one.held.length > 0);
    const isOld = all.some((one) => one.at <= now() - DAY);
    if (
      left.length > 0 &&
      answer.held.length === 0 &&
      (hasHeld || !isOld) &&
      !isShared(all, answer)
    )
      broken('an empty answer is believed after a day', path);
  };

  /** Whether another list has asked about the wallet: then its answers are not those of one. */
  const isShared = (all: readonly Answer[], { by }: Answer) => all.some((one) => one.by !== by);

  return {
    heard,

    listWritten: ({ key: { pk, sk }, before, after, by }: Written) => {
      if (before === undefined || after === undefined) return;
      const path = `${pk.slice('TENANT#'.length)} ${sk.slice('LIST#'.length)}`;
      const [old, young] = [listDocument(before), listDocument(after)];
      const { last } = young.wallet ?? {};
      if (last?.revision === young.version) toTell.push({ path, revision: last.revision });
      if (by.function.startsWith('notify-watchers')) checkFollowing(old, young, path, by);
    },

    alertWritten: ({ after }: Written) => {
      const alert = (after as { alert?: AlertItem } | undefined)?.alert;
      if (alert?.kind !== 'members') return;
      const revision = Number(alert.id.split('.')[1]);
      const path = `${alert.tenant} ${alert.watchlist}`;
      if (!toTell.some((one) => one.path === path && one.revision === revision))
        broken('no change of members is invented', alert.id);
      told.add(`${path} ${revision}`);
    },

    /** A change of which nothing was told is one that a person's edit of the wallet has overtaken. */
    atRest: (items: readonly Item[]) => {
      for (const { path, revision } of toTell) {
        const [tenant, list] = path.split(' ');
        const item = items.find(({ pk, sk }) => pk === `TENANT#${tenant}` && sk === `LIST#${list}`);
        const wallet = item && listDocument(item).wallet;
        const isOvertaken = wallet?.last?.revision !== revision;
        if (!isOvertaken && !told.has(`${path} ${revision}`))
          broken('joins and leaves are told', `${path} ${revision}`);
      }
      for (const item of items) {
        if (!item.sk.startsWith('LIST#')) continue;
        const list = listDocument(item);
        if (list.wallet === undefined || list.wallet.isPending) continue;
        // A list follows each answer, but one that lacks so much that it is doubted.
        const known = answers.get(list.wallet.address) ?? [];
        const written = list.members.filter((one) => one.by === undefined).map(contractOf);
        const has = namesIn(list).toSorted().join();
        const isOfAnswer = known.some(
          ({ held }) =>
            held
              .filter((one) => !written.includes(one))
              .toSorted()
              .join() === has,
        );
        if (!isOfAnswer && has !== '')
          broken('a list has what its wallet held', `${item.pk} ${item.sk}`);
      }
    },
  };
}

type AlertItem = {
  readonly id: string;
  readonly kind: string;
  readonly tenant: string;
  readonly watchlist: string;
};

const contractOf = ({ contract }: { readonly contract: string }) => contract;

/** The contracts of a list that its wallet has brought. */
function namesIn({ members }: ListDocument): readonly string[] {
  return members.filter(({ by }) => by === 'wallet').map(contractOf);
}
