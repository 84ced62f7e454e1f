import { LIMITS } from '#shared/domain/limits.ts';
import { type ContractKey, wholeCollection } from '#shared/domain/market/contract.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { type ContractRecord, seriesIn } from '#shared/domain/polling/contract-record.ts';
import { writtenMembers } from '#shared/domain/watchlists/wallet-members.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import { lookUpCollection } from './look-up-collection.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

type AskingPorts = Pick<
  ManageWatchlistsPorts,
  'getContract' | 'getCollection' | 'searchCollection' | 'putCollection'
>;

/** Maximum time for lookups. A person waits for the answer, and the list is written in any case. */
const ASKING_AT_MOST = 4 * SECOND;

/**
 * The new contracts of a list that the provider lacks. Contracts with a known name or a recorded
 * answer are not looked up. At most ten of the other contracts are looked up. If a lookup fails,
 * its contract is not returned.
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

/** Outcomes that concern one contract only, so further lookups may succeed. */
const ABOUT_ONE_CONTRACT: ReadonlySet<string> = new Set(['found', 'unclear', 'unsupported']);

/** The warning about a contract that the provider lacks. */
export function unknownContractText(contract: ContractKey): string {
  return `the data provider does not have the contract "${contract}"; check the chain and the address`;
}

function newMembers(before: Watchlist | undefined, after: Watchlist): readonly ContractKey[] {
  // Contracts of the wallet are excluded, because the provider has just reported them.
  const wholes = (list: Watchlist) =>
    writtenMembers(list).map(({ contract }) => wholeCollection(contract));
  const known = new Set(before === undefined ? [] : wholes(before));
  return [...new Set(wholes(after))].filter((contract) => !known.has(contract));
}

/** The contracts without a stored name or answer, among the contracts with a forecast. */
async function nothingKnown(
  { getContract, getCollection }: AskingPorts,
  contracts: readonly ContractKey[],
): Promise<readonly ContractKey[]> {
  const read = await Promise.all(
    contracts.slice(0, LIMITS.answer.contracts).map(async (contract) => {
      const name = { kind: 'contract' as const, id: contract };
      const [{ found, unreadable }, collection] = await Promise.all([
        tryRead(name, () => getContract(contract)),
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
    record !== undefined && seriesIn(record).some(([, { answeredAt }]) => answeredAt !== undefined)
  );
}
