import { derivedPrices } from '#shared/domain/market/derived-price.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { type Derivation, sourcesOf, withDerived } from '#shared/domain/polling/derived-answer.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { putWithSteps } from './commit-answers.ts';
import type { Pass } from './pass.ts';
import type { PollPricesPorts } from './ports.ts';

/**
 * Commits the derived price after the polls of a pass. It calls no provider, and writes only a new
 * price.
 *
 * Returns the committed record; undefined without a new price.
 */
export async function pollDerived(
  ports: PollPricesPorts,
  planned: ContractRecord,
  { newest, ...turns }: Pass,
): Promise<ContractRecord | undefined> {
  const known = sourcesOf(planned).map((contract) => newest.get(contract));
  if (withDerived(planned, known, turns, ports.now()) === undefined) return undefined;
  return await retryingConflicts(async () => {
    // Lambda may have frozen the pass since it read the records. Read the derived contract before
    // its floors: if a floor changes in between, another pass writes the derived contract, and this
    // write conflicts or is replaced.
    const record = await ports.getContract(planned.contract);
    if (record === undefined) return undefined;
    const now = ports.now();
    const sources = await waitForAll(sourcesOf(record).map(ports.getContract));
    const changed = withDerived(record, sources, turns, now);
    if (changed === undefined) return undefined;
    const { next, toRecord } = changed;
    if (toRecord !== undefined) await recordPrices(ports, record, toRecord, now - toRecord.window);
    return await putWithSteps(ports, record, next);
  });
}

/** Derives prices from recorded floors, and records them. */
async function recordPrices(
  { recordedSince, fillHistory }: PollPricesPorts,
  { contract }: ContractRecord,
  { sources, derive }: Derivation,
  since: number,
): Promise<void> {
  const floors = await waitForAll(
    sources.map(async (source) =>
      source ? await recordedSince(source.contract, 'floor', since) : [],
    ),
  );
  await fillHistory(contract, derivedPrices(floors.map(withoutGlitches), derive));
}
