import type { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { applyWatchlist } from './apply-watchlist.ts';
import { evaluateWatches } from './evaluate-watches.ts';
import type { RunContractsPorts } from './ports.ts';

/**
 * Handles a message of a contract. The next message completes any unfinished work in the table, so
 * a lost, repeated or interrupted message only costs time.
 */
export async function runContracts(
  ports: RunContractsPorts,
  message: ContractMessage,
): Promise<void> {
  switch (message.kind) {
    case 'evaluate': {
      const record = await ports.getContract(message.contract);
      if (record === undefined) return;
      return await evaluateWatches(ports, record, message.cadenceMinutes, message.from);
    }
    case 'apply':
      return await retryingConflicts(() => applyWatchlist(ports, message));
  }
}
