import type { Newest } from '#shared/domain/alerting/newest.ts';
import { newestValueOf } from '#shared/domain/evaluation/present.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { type RecordedSince, readSnapshot } from './read-snapshot.ts';
import { tryRead } from './try-read.ts';

export type ReadNewestPorts = {
  readonly now: () => Instant;
  readonly getContract: (contract: ContractKey) => Promise<ContractRecord | undefined>;
  readonly recordedSince: RecordedSince;
};

/** The newest value of a watch; undefined if it is unknown or the contract is unreadable. */
export async function readNewest(
  { now, getContract, recordedSince }: ReadNewestPorts,
  watch: Watch,
): Promise<Newest | undefined> {
  const { contract } = watch;
  // The message does not show the highest or lowest value of the episode. Without `firedAt`, past
  // floors are read only for rules with a window.
  const present = omit(watch, 'firedAt');
  const read = await tryRead({ kind: 'contract', id: contract }, async () => {
    const record = await getContract(contract);
    return newestValueOf(watch, await readSnapshot(recordedSince, record, [present]), now());
  });
  return read.found;
}
