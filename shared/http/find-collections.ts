import type { Candidate, CollectionSearch } from '#shared/domain/market/collection-search.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { WAYS } from '#shared/domain/polling/upstream-limits.ts';
import { callOnce, type GovernedCalls } from '#shared/use-cases/governed-call.ts';
import type { FindCollection } from '#shared/use-cases/upstream.ts';
import type { CallerTenant } from './caller.ts';
import type { TakeCall } from './count-calls.ts';
import { refusalProblem, shareUsedUp } from './refusal-problem.ts';

export type CollectionPorts = GovernedCalls & {
  readonly findCollection: FindCollection;
  readonly takeCall: TakeCall;
};

export type FoundCollections = {
  readonly collection: { readonly contract: ContractKey; readonly name: string } | null;
  /** Collections that may be meant, if none is found for certain. */
  readonly candidates: readonly Candidate[];
};

/**
 * Asks the provider for the contract of a collection. It is counted as a search of traits, which no
 * provider bills higher.
 */
export async function findCollections(
  ports: CollectionPorts,
  tenant: CallerTenant,
  asked: string,
  signal: AbortSignal,
): Promise<FoundCollections> {
  const { findCollection } = ports;
  if (findCollection === undefined) {
    throw refusalProblem({ kind: 'unsupported', reason: 'retired' }, ports.now());
  }
  const wait = await ports.takeCall(tenant, 'traits');
  if (wait !== undefined) throw shareUsedUp(wait);
  const made = await callOnce(
    ports,
    WAYS.traits,
    async () => outcomeOf(await findCollection(asked, signal)),
    signal,
  );
  if (made.call === undefined) {
    throw refusalProblem({ kind: 'no_slot', until: made.until }, ports.now());
  }
  const { outcome } = made;
  switch (outcome.kind) {
    case 'ok':
      return outcome.value;
    case 'not_found':
    case 'empty':
    case 'not_ready':
      return { collection: null, candidates: [] };
    case 'unsupported':
    case 'denied':
    case 'throttled':
    case 'failed':
      throw refusalProblem(outcome, ports.now());
  }
}

function outcomeOf(found: CollectionSearch): Outcome<FoundCollections> {
  switch (found.kind) {
    case 'found': {
      const { contract, name } = found;
      return { kind: 'ok', value: { collection: { contract, name }, candidates: [] } };
    }
    case 'unclear':
      return { kind: 'ok', value: { collection: null, candidates: found.candidates } };
    case 'empty':
    case 'not_ready':
    case 'not_found':
    case 'unsupported':
    case 'denied':
    case 'throttled':
    case 'failed':
      return found;
  }
}
