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

/** An answer about the wallet of a list. */
type Answer = {
  readonly at: number;
  readonly by: Invocation;
  readonly held: readonly string[];
  /** Number of tokens by contract. */
  readonly amounts: ReadonlyMap<string, number | undefined>;
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Checks the members that wallets add to lists against the answers about these wallets. */
export function createWalletInvariants({ broken, met, now }: WalletInvariantsWorld) {
  const answers = new Map<string, Answer[]>();
  const editedByPeople = new Map<string, number>();
  const changes: { readonly path: string; readonly revision: number }[] = [];
  const informed = new Set<string>();
  const answersFor = (path: string, { wallet }: ListDocument) =>
    answers.get(`${path} ${wallet?.address}`) ?? [];

  const heard = (path: string, wallet: string, read: WalletRead, by: Invocation) => {
    met(`wallet: ${read.kind}`);
    if (read.kind !== 'ok') return;
    const held = read.holdings.collections.map(contractIn);
    const amounts = new Map(
      read.holdings.collections.map(({ contract, amount }) => [contract as string, amount]),
    );
    const name = `${path} ${wallet}`;
    answers.set(name, [...(answers.get(name) ?? []), { at: now(), by, held, amounts }]);
  };

  /**
   * Checks that an invocation changes a list only according to the wallet answer that it received.
   */
  const checkFollowing = (
    path: string,
    before: ListDocument,
    after: ListDocument,
    by: Invocation,
  ) => {
    if (before.wallet === undefined || after.wallet === undefined) return;
    if (written(before) !== written(after))
      broken('a wallet changes nothing that people wrote', path);
    const known = answersFor(path, after);
    const answer = known.findLast((one) => one.by === by);
    if (answer === undefined)
      return broken('a list changes with its wallet only after an answer', path);
    const [old, young] = [broughtIn(before), broughtIn(after)];
    const joined = young.filter((one) => !old.includes(one));
    const left = old.filter((one) => !young.includes(one));
    if (joined.length > 0) met('wallet: joined');
    if (left.length > 0) met('wallet: left');
    if (joined.some((one) => !answer.held.includes(one)))
      broken('only what a wallet holds joins', path);
    if (left.some((one) => answer.held.includes(one))) broken('what a wallet holds stays', path);
    if (left.length === 0 || !lacksMost(old, answer)) return;
    const doubt = now() - (answer.held.length === 0 ? DAY : HOUR);
    const isOld = known.some((one) => one.at <= doubt && lacksMost(old, one));
    // A run that froze between its last check and its write has not received later answers.
    const knownUntil = by.disturbance === undefined ? now() : answer.at;
    const isSure = known
      .filter(({ at }) => at > doubt && at <= knownUntil)
      .filter((one) => one.by.disturbance === undefined)
      .every((one) => lacksMost(old, one));
    if (!isOld || !isSure)
      broken('an answer that lacks most members counts only if it lasts', path);
  };

  /**
   * The list must match the last undisturbed answer, or a later one that a disturbed run may have
   * followed. An answer that lacks most of these contracts, or from before the last edit, is not
   * checked.
   */
  const checkInStep = (path: string, list: ListDocument) => {
    const known = answersFor(path, list);
    const last = known.findLastIndex(({ by: { disturbance } }) => disturbance === undefined);
    const [first, ...behind] = last === -1 ? [] : known.slice(last);
    if (first === undefined || (editedByPeople.get(path) ?? 0) >= first.at) return;
    const brought = broughtIn(list);
    const byPeople = list.members.filter(({ by }) => by === undefined).map(contractIn);
    const isFollowed = (answer: Answer) => {
      const wanted = answer.held.filter((one) => !byPeople.includes(one));
      if (lacksMost(brought, answer)) return true;
      const hasAmounts = brought.every((one) => answer.amounts.get(one) === amountIn(list, one));
      return hasAmounts && wanted.toSorted().join() === brought.toSorted().join();
    };
    if (![first, ...behind].some(isFollowed))
      broken('a list matches its wallet', `${path}: ${brought.join()}, ${first.held.join()}`);
  };

  return {
    heard,

    listWritten: ({ key, before, after, by }: Written) => {
      if (after === undefined) return;
      const path = pathOf(key);
      const young = listDocument(after);
      if (young.wallet?.last?.revision === young.version)
        changes.push({ path, revision: young.version });
      if (!by.function.startsWith('run-jobs')) editedByPeople.set(path, now());
      else if (before !== undefined) checkFollowing(path, listDocument(before), young, by);
    },

    alertWritten: ({ after }: Written) => {
      const alert = (after as { alert?: AlertItem } | undefined)?.alert;
      if (alert?.kind !== 'members') return;
      const change = `${alert.tenant} ${alert.watchlist} ${alert.id.split('.')[1]}`;
      if (!changes.some(({ path, revision }) => `${path} ${revision}` === change))
        broken('no change of members is invented', alert.id);
      informed.add(change);
    },

    atRest: (items: readonly Item[]) => {
      for (const item of items) {
        if (!item.sk.startsWith('LIST#')) continue;
        const [path, list] = [pathOf(item), listDocument(item)];
        if (list.wallet === undefined) continue;
        const { last } = list.wallet;
        if (last !== undefined && !informed.has(`${path} ${last.revision}`))
          broken('joins and leaves are reported', `${path} ${last.revision}`);
        checkInStep(path, list);
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

const contractIn = ({ contract }: { readonly contract: string }) => contract;

function pathOf({ pk, sk }: { readonly pk: string; readonly sk: string }): string {
  return `${pk.slice('TENANT#'.length)} ${sk.slice('LIST#'.length)}`;
}

/** The contracts that a list has from its wallet. */
function broughtIn({ members }: ListDocument): readonly string[] {
  return members.filter(({ by }) => by === 'wallet').map(contractIn);
}

/** The number of held tokens of a contract in a list. */
function amountIn({ holdings = [] }: ListDocument, contract: string): number | undefined {
  return holdings.find((one) => one.contract === contract)?.amount;
}

function written({ members, rules, channels }: ListDocument): string {
  return JSON.stringify([members.filter(({ by }) => by === undefined), rules, channels]);
}

function lacksMost(members: readonly string[], { held }: Answer): boolean {
  return members.filter((one) => !held.includes(one)).length > members.length / 2;
}
