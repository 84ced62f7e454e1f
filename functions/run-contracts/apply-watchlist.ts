import type { ApplyMessage } from '#shared/domain/messages/contract-message.ts';
import {
  type ContractRecord,
  newContractRecord,
  partsOf,
} from '#shared/domain/polling/contract-record.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { applyList } from '#shared/domain/watching/apply-list.ts';
import { partOf } from '#shared/domain/watching/metric.ts';
import { settleIfDone } from '#shared/domain/watching/pending.ts';
import type { Watch } from '#shared/domain/watching/watch.ts';
import type { Watchlist } from '#shared/domain/watching/watchlist.ts';
import type { RunContractsPorts } from './ports.ts';

/**
 * Brings one list's watches on a contract in line with the list's document, and the contract's
 * parts with its watches; only then takes the contract off the list's pending ones.
 */
export async function applyWatchlist(
  ports: RunContractsPorts,
  { contract, tenant, list: id }: ApplyMessage,
): Promise<void> {
  const listId = { tenant, id };
  const pending = await ports.getPending(listId, { kind: 'contract', contract });
  const list = await ports.getWatchlist(listId);
  const watches = await ports.watchesOfList({ tenant, list: id }, contract);
  if (list !== undefined) {
    for (const change of applyList(list, contract, watches, ports.now())) {
      await (change.kind === 'put'
        ? ports.putWatch(change.watch)
        : ports.deleteWatch(change.watch));
    }
    const applied = await ports.watchesOfList({ tenant, list: id }, contract);
    const record = (await ports.getContract(contract)) ?? newContractRecord(contract, ports.now());
    const next = await needing(
      ports,
      record,
      applied.filter(({ admin }) => admin === 'enabled'),
    );
    if (next !== record) await ports.putContract(next);
    await expectRevision(ports, list);
  }
  await settleIfDone(ports.settlePending, pending, list?.revision ?? 0, ports.now());
}

/** A list that changed meanwhile is applied again: what was written may be what it took away. */
async function expectRevision(ports: RunContractsPorts, { tenant, id, revision }: Watchlist) {
  const list = await ports.getWatchlist({ tenant, id });
  if (list?.revision !== revision) throw new VersionConflictError(`watchlist ${id}`);
}

/**
 * The record with the parts that its watches need: those of this list, and those some other watch
 * waits on. What a new watch waits for is wanted: an answer asked for after it came to be.
 */
async function needing(
  ports: RunContractsPorts,
  record: ContractRecord,
  watches: readonly Watch[],
): Promise<ContractRecord> {
  let next = record;
  for (const watch of watches) {
    const part = partOf(watch.meaning.metric);
    const known = next.parts[part];
    if (known === undefined) next = { ...next, parts: { ...next.parts, [part]: {} } };
    const answered = known?.answeredAt !== undefined && known.answeredAt > watch.since;
    const wanted = next.wanted[part];
    if (watch.judgedSeq === 0 && !answered && !(wanted !== undefined && wanted >= watch.since)) {
      next = { ...next, wanted: { ...next.wanted, [part]: watch.since } };
    }
  }
  const needed = new Set(watches.map(({ meaning }) => partOf(meaning.metric)));
  for (const [part] of partsOf(record)) {
    if (needed.has(part) || (await ports.anyWatchNeeds(record.contract, part))) continue;
    const { [part]: _part, ...parts } = next.parts;
    const { [part]: _wanted, ...wanted } = next.wanted;
    const unjudged = next.unjudged.filter((observation) => observation.part !== part);
    next = { ...next, parts, wanted, unjudged };
  }
  return next;
}
