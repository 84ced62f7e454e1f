import { isDeepStrictEqual } from 'node:util';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { isOfList, type ListDocument, type RuleDocument, tokensHeld } from './documents.ts';

type PointItem = {
  readonly t: number;
  readonly p: string;
  readonly c: string;
  readonly u?: string;
};

type ReadingItem = { readonly floor?: Partial<PointItem> };

type RecordItem = Item & {
  readonly seq: number;
  readonly reading?: ReadingItem;
  readonly steps?: readonly { readonly n: number; readonly points?: ReadingItem }[];
  readonly suspect?: unknown;
  /** The tokens held per contract, from which a list value is computed. */
  readonly held?: readonly (readonly [contract: string, amount: number])[];
  readonly series: Readonly<Record<string, { readonly silent?: number } | undefined>>;
};

/**
 * The contracts in the key of a ratio, which compares the first with all others. The result is
 * empty for any other key.
 */
function comparedIn(key: string): readonly string[] {
  const contracts = key.split('~');
  return contracts.length > 1 ? contracts : [];
}

/** The contracts from which the contract of a record is derived. */
export function sourcesIn(item: Item): readonly string[] {
  const { held } = item as Partial<RecordItem>;
  return held?.map(([contract]) => contract) ?? comparedIn(item.sk);
}

/** Whether a contract key stands for a ratio or a list value. */
export function isDerived(key: string): boolean {
  return key.includes('~') || key.includes('@');
}

/** Whether a watch exists only so that a floor of a ratio or a list value is polled. */
export function isSourceWatch(name: string): boolean {
  return name.endsWith('~of');
}

/** The contracts in a list from which a ratio, or the value of the list, is derived. */
export function sourcesOf(list: ListDocument, contract: string): readonly string[] {
  return contract === list.value?.contract ? [...tokensHeld(list).keys()] : comparedIn(contract);
}

/** Whether a floor must be polled, because a rule on a ratio or a list value uses it. */
export function isSource(
  list: ListDocument | undefined,
  contract: string,
  isOfRule: (rule: RuleDocument, derived: string) => boolean,
): boolean {
  if (list === undefined) return false;
  const { members, rules, value } = list;
  const isOfRatio = members.some(
    (ratio) =>
      comparedIn(ratio.contract).includes(contract) &&
      rules.some((rule) => !isOfList(rule) && isOfRule(rule, ratio.contract)),
  );
  const isOfValue =
    value !== undefined &&
    tokensHeld(list).has(contract) &&
    rules.some((rule) => isOfList(rule) && isOfRule(rule, value.contract));
  return isOfRatio || isOfValue;
}

/** Number of accepted floors to keep per contract; even a late pass adds no more. */
const MOST_FLOORS = 60;

/** Checks ratios and list values against the accepted floors from which they are derived. */
export function createDerivedInvariants(broken: (invariant: string, what: string) => void) {
  const accepted = new Map<string, readonly PointItem[]>();
  /**
   * The floors that were deleted when no rule needed their contract. A slow pass may still use
   * them.
   */
  const acceptedEarlier = new Map<string, readonly PointItem[]>();

  const contractWritten = ({ before, after }: Written) => {
    if (after === undefined) return;
    const record = after as RecordItem;
    const seq = Number((before as RecordItem | undefined)?.seq ?? 0);
    const news = (record.steps ?? []).filter(({ n }) => n > seq).flatMap(acceptedIn);
    // The floors of a contract that is no longer needed are deleted. Later polls may start with
    // older floors.
    const known = accepted.get(after.sk) ?? [];
    const isKept = record.series.floor !== undefined;
    if (!isKept && known.length > 0) acceptedEarlier.set(after.sk, known);
    accepted.set(after.sk, [...(isKept ? known : []), ...news].slice(-MOST_FLOORS));
    const { held } = record;
    const heldBefore = (before as RecordItem | undefined)?.held;
    if (heldBefore !== undefined && !isDeepStrictEqual(heldBefore, held)) {
      broken('the tokens of a list value never change', after.sk);
    }
    if (!isDerived(after.sk)) return;
    for (const price of news) {
      const isRight = held ? isSumOf(held, price) : isRatioOf(comparedIn(after.sk), price);
      if (isRight) continue;
      broken(
        'a derived price is computed from accepted floors',
        `${after.sk}: ${JSON.stringify(price)}`,
      );
    }
  };

  /** The last accepted floor at or before a moment, with its revisions. */
  const lastFloors = (contract: string, moment: number): readonly PointItem[] =>
    [accepted, acceptedEarlier].flatMap((floors) => {
      const until = (floors.get(contract) ?? []).filter((floor) => floor.t <= moment);
      const last = Math.max(...until.map((floor) => floor.t));
      return until.filter((floor) => floor.t === last);
    });

  /**
   * Whether a list value is the sum of the last floors of its contracts. The sum may omit a
   * contract that has only one floor so far.
   */
  const isSumOf = (held: NonNullable<RecordItem['held']>, { t, p, c }: PointItem): boolean => {
    const sums = held.reduce<readonly bigint[]>(
      (all, [contract, amount]) => {
        // Floors in several currencies are added in dollars.
        const floors = lastFloors(contract, t).flatMap((floor) => {
          const price = floor.c === c ? floor.p : c === 'usd' ? floor.u : undefined;
          return price === undefined ? [] : [BigInt(price) * BigInt(amount)];
        });
        const isNew = (accepted.get(contract) ?? []).length <= 1;
        const series = isNew ? [...floors, 0n] : floors;
        return all.flatMap((sum) => series.map((name) => sum + name));
      },
      [0n],
    );
    const isOfTime = held.some(([contract]) =>
      lastFloors(contract, t).some((floor) => floor.t === t),
    );
    return isOfTime && sums.includes(BigInt(p));
  };

  /**
   * Whether a ratio follows from the last floors of its contracts, in any of their revisions. Floors
   * in several currencies are compared in dollars.
   */
  const isRatioOf = (compared: readonly string[], { t, p, c }: PointItem): boolean => {
    const lasts = compared.map((contract) => lastFloors(contract, t));
    const isOfTime = lasts.some((floors) => floors.some((floor) => floor.t === t));
    const together = lasts.reduce<readonly (readonly PointItem[])[]>(
      (all, floors) => all.flatMap((chosen) => floors.map((floor) => [...chosen, floor])),
      [[]],
    );
    const ratios = together.flatMap((floors) => {
      const isOneCurrency = floors.every((floor) => floor.c === floors[0]?.c);
      const prices = floors.flatMap((floor) => (isOneCurrency ? floor.p : floor.u) ?? []);
      const [first, ...others] = prices.map(BigInt);
      if (first === undefined || others.length + 1 < floors.length) return [];
      const sum = others.reduce((total, price) => total + price, 0n);
      return [(first * BigInt(others.length) * 10n ** 18n) / sum];
    });
    return c === 'ratio' && isOfTime && ratios.includes(BigInt(p));
  };

  /** Checks that ratios and list values of an idle system have the time of the newest floor. */
  const atRest = (items: readonly Item[]) => {
    const records = new Map(
      items.filter(({ pk }) => pk.startsWith('CONTRACTS#')).map((item) => [item.sk, item]),
    );
    for (const [key, item] of records) {
      const sources = sourcesIn(item).map((contract) => records.get(contract) as RecordItem);
      // A contract that is watched again may not have been polled yet.
      const isSure = sources.every(
        (record) =>
          record?.suspect === undefined &&
          record?.series.floor !== undefined &&
          record.series.floor.silent === undefined &&
          newestIn(record) !== undefined,
      );
      const price = newestIn(item as RecordItem);
      if (sources.length === 0 || !isSure || price === undefined) continue;
      const floors = sources.map(newestIn);
      const newest = Math.max(...floors.map((floor) => floor?.t ?? 0));
      if (price.t === newest) continue;
      broken('a derived price follows its floors', `${key}: ${price.t} ${newest}`);
    }
  };

  return { contractWritten, atRest };
}

function acceptedIn({ points }: { readonly points?: ReadingItem }): readonly PointItem[] {
  const floor = points?.floor;
  return floor?.p === undefined ? [] : [floor as PointItem];
}

function newestIn(record: RecordItem): PointItem | undefined {
  const steps = (record.steps ?? []).flatMap(acceptedIn);
  return steps.at(-1) ?? acceptedIn({ points: record.reading ?? {} })[0];
}
