import { LIMITS } from '#shared/domain/limits.ts';
import { type ContractKey, wholeOf } from '#shared/domain/market/contract.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { writtenMembers } from '#shared/domain/watchlists/wallet-members.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import { orUnreadable } from '#shared/use-cases/or-unreadable.ts';
import { lookUpCollection } from './look-up-collection.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

type AskingPorts = Pick<
  ManageWatchlistsPorts,
  'getContract' | 'getCollection' | 'searchCollection' | 'putCollection'
>;

/** A person waits for the answer, and the list is written whatever the provider reports. */
const ASKING_AT_MOST = 4 * SECOND;

/**
 * The contracts new to a list that the provider says it lacks. It is asked about those of which the
 * stack has neither a name nor ever had an answer, ten at most. Where it cannot be asked, none is lacking.
 */
export async function unknownContracts(
  ports: AskingPorts,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
  signal: AbortSignal,
): Promise<readonly ContractKey[]> {
  const asked = await nothingKnown(ports, newMembers(before, after));
  const deadline = AbortSignal.timeout(ASKING_AT_MOST);
  const inTime = AbortSignal.any([signal, deadline]);
  const unknown: ContractKey[] = [];
  try {
    for (const contract of asked.slice(0, LIMITS.request.names)) {
      const { kind } = await lookUpCollection(ports, after.tenant, contract, inTime);
      if (kind === 'not_found') unknown.push(contract);
      else if (!ABOUT_ONE_CONTRACT.has(kind)) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted) throw error;
  }
  return unknown;
}

/** Answers after which the provider can be asked about another contract. */
const ABOUT_ONE_CONTRACT: ReadonlySet<string> = new Set(['found', 'unclear', 'unsupported']);

/** What a person reads of a contract that the provider lacks. */
export function unknownContractText(contract: ContractKey): string {
  return `no provider that can be searched knows it: asked for the collection of "${contract}", it has none; check the chain and the address`;
}

function newMembers(before: Watchlist | undefined, after: Watchlist): readonly ContractKey[] {
  // The provider has just reported those of a wallet.
  const wholes = (list: Watchlist) => writtenMembers(list).map(({ contract }) => wholeOf(contract));
  const known = new Set(before === undefined ? [] : wholes(before));
  return [...new Set(wholes(after))].filter((contract) => !known.has(contract));
}

/** Of the first contracts, as many as are forecast, those of which nothing is known. */
async function nothingKnown(
  { getContract, getCollection }: AskingPorts,
  contracts: readonly ContractKey[],
): Promise<readonly ContractKey[]> {
  const read = await Promise.all(
    contracts.slice(0, LIMITS.answer.contracts).map(async (contract) => {
      const name = { kind: 'contract' as const, id: contract };
      const [{ found, unreadable }, collection] = await Promise.all([
        orUnreadable(name, () => getContract(contract)),
        getCollection(contract),
      ]);
      const isKnown = collection !== undefined || unreadable !== undefined || hasAnswer(found);
      return isKnown ? [] : [contract];
    }),
  );
  return read.flat();
}

function hasAnswer(record: ContractRecord | undefined): boolean {
  return (
    record !== undefined && partsOf(record).some(([, { answeredAt }]) => answeredAt !== undefined)
  );
}
