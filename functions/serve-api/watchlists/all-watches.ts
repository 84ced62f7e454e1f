import {
  compareDistances,
  type LineDistance,
  lineDistanceOf,
} from '#shared/domain/evaluation/line-distance.ts';
import { measuredClausesOf } from '#shared/domain/evaluation/measured-clause.ts';
import { isSourceWatch, type Watch } from '#shared/domain/evaluation/watch.ts';
import { healthOf } from '#shared/domain/evaluation/watch-health.ts';
import { type WatchStatus, watchStatus } from '#shared/domain/evaluation/watch-status.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { ReadPage, ReadSome } from '#shared/domain/unreadable.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { WatchedContract } from '#shared/http/own-contracts.ts';
import { decimalOf } from '#shared/http/price-view.ts';
import { type FilledPage, fillPage } from '#shared/use-cases/fill-page.ts';
import { inGroups } from '#shared/use-cases/in-groups.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import type { AnyWatch } from './answers/watches.ts';
import { lineDistanceView } from './line-distance-view.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { contractView, silencesOf } from './read-watches.ts';
import { type ContractView, type Silence, watchView } from './watch-view.ts';
import { whySilent } from './why-silent.ts';

/** A watch with its contract, status and distance, and with its mute and acknowledgement. */
export type FoundWatch = {
  readonly watch: Watch;
  readonly contract: ContractView;
  readonly silence: Silence;
  readonly status: WatchStatus;
  readonly distance: LineDistance | undefined;
};

/** The watches that the given lists have on one contract. */
export type WatchesOfContract = ReadSome<FoundWatch> & {
  readonly contract: ContractView | undefined;
};

/**
 * Creates a function that reads the watches of a contract. It reads the mutes and acknowledgements
 * of each list only once.
 */
export function createWatchReader(ports: ManageWatchlistsPorts, tenant: CallerTenant) {
  const silences = new Map<string, ReturnType<typeof silencesOf>>();
  const silencesIn = (list: string) => {
    const known = silences.get(list) ?? silencesOf(ports, { tenant, id: list });
    silences.set(list, known);
    return known;
  };
  return async ({
    contract,
    watchlists,
  }: Pick<WatchedContract, 'contract' | 'watchlists'>): Promise<WatchesOfContract> => {
    const [{ entries, unreadable }, known] = await Promise.all([
      ports.watchesOfTenant(tenant, contract),
      tryRead({ kind: 'contract', id: contract }, () => ports.getContract(contract)),
    ]);
    if (known.unreadable) {
      return { contract: undefined, entries: [], unreadable: [...unreadable, known.unreadable] };
    }
    const watches = entries.filter(
      (watch) => watchlists.includes(watch.list) && !isSourceWatch(watch),
    );
    const view = await contractView(ports, known.found, watches);
    const found = watches.map(async (watch) =>
      foundWatch(watch, view, (await silencesIn(watch.list))(watch)),
    );
    return { contract: view, entries: await Promise.all(found), unreadable };
  };
}

function foundWatch(watch: Watch, contract: ContractView, silence: Silence): FoundWatch {
  const readings = measuredClausesOf(watch, contract.snapshot, contract.now);
  const health = healthOf(watch, readings, contract.record);
  const isAcknowledged = silence.acknowledgement !== undefined;
  return {
    ...{ watch, contract, silence },
    status: watchStatus(watch, { health, isAcknowledged }),
    distance: lineDistanceOf(readings),
  };
}

export function foundWatchView({
  watch,
  contract,
  silence,
  status,
  distance,
}: FoundWatch): AnyWatch {
  const view = watchView(watch, contract, silence);
  const readings = measuredClausesOf(watch, contract.snapshot, contract.now);
  return {
    watchlist: watch.list,
    ...view,
    status,
    line: decimalOf(distance?.line),
    ...lineDistanceView(distance),
    why: whySilent(watch, { readings, health: view.health, ...silence }),
  };
}

/** Maximum contracts whose watches are read in parallel. */
const CONTRACTS_AT_ONCE = 25;

/** A page of the requested watches, sorted by contract. */
export async function findWatches(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  contracts: readonly WatchedContract[],
  isWanted: (found: FoundWatch) => boolean,
  asked: { readonly limit: number; readonly after: string | undefined },
): Promise<FilledPage<FoundWatch>> {
  const read = createWatchReader(ports, tenant);
  const readBehind = async (after: string | undefined): Promise<ReadPage<FoundWatch>> => {
    const [contract = '', place = ''] = after?.split(SEPARATOR, 2) ?? [];
    const isDone = place === BEHIND_ALL;
    const behind = contracts.filter((one) =>
      isDone ? one.contract > contract : one.contract >= contract,
    );
    const some = behind.slice(0, CONTRACTS_AT_ONCE);
    const pages = await Promise.all(some.map(read));
    const last = some.length < behind.length ? some.at(-1) : undefined;
    return {
      entries: pages
        .flatMap(({ entries }) => entries)
        .filter(({ watch }) => watch.contract > contract || placeOnContract(watch) > place),
      unreadable: pages.flatMap(({ unreadable }) => unreadable),
      ...(last === undefined ? {} : { next: placeOf(last.contract, BEHIND_ALL) }),
    };
  };
  return await fillPage(
    (_limit, after) => readBehind(after),
    async (entries) => entries.filter(isWanted),
    { ...asked, placeOf: ({ watch }) => placeOf(watch.contract, placeOnContract(watch)) },
  );
}

/** The requested watches that are nearest to their lines. */
export async function findNearest(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  contracts: readonly WatchedContract[],
  isWanted: (found: FoundWatch) => boolean,
  limit: number,
): Promise<FilledPage<FoundWatch>> {
  const read = createWatchReader(ports, tenant);
  const pages = await inGroups(contracts, CONTRACTS_AT_ONCE, read);
  const entries = pages.flatMap((page) => page.entries.filter(isWanted));
  const unreadable = pages.flatMap((page) => page.unreadable);
  const nearest = entries.toSorted(byDistance).slice(0, limit);
  return { entries: nearest, unreadable, stoppedShort: nearest.length < entries.length };
}

/** Sorts by distance, and watches without a distance last. */
function byDistance({ distance: one }: FoundWatch, { distance: other }: FoundWatch): number {
  if (one === undefined || other === undefined) {
    return Number(one === undefined) - Number(other === undefined);
  }
  return compareDistances(one, other);
}

/**
 * Separates the contract from the watch in a cursor. Contract keys never contain this character.
 */
const SEPARATOR = '|';
/** Sorts after the ids of all lists, so it marks the end of a contract. */
const BEHIND_ALL = '~';

function placeOf(contract: ContractKey, place: string): string {
  return `${contract}${SEPARATOR}${place}`;
}

/** The sort key of a watch within its contract, in the order of the table. */
function placeOnContract({ list, rule }: Watch): string {
  return `${list}#${rule}`;
}
