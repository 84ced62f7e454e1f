import { expect, it } from 'vitest';
import { mostAlerts } from '#functions/run-contracts/commit-watch.ts';
import { allDestinationIdsOf } from '#shared/domain/channels/destination-id.ts';
import { TABLE_LIMITS } from '#shared/stores/table.ts';
import { aWatchlist } from '#test/support/builders.ts';
import { createWorld } from '#test/support/world.ts';

/** An evaluation stops only after a whole step, which may create two alerts more than permitted. */
const OF_ONE_STEP = 2;

it.each([0, 1, 5, 20])(
  'the maximum number of alerts fits into one transaction with all their items (%i channels)',
  (channels) => {
    const list = aWatchlist({
      channels: Array.from({ length: channels }, (_, n) => ({
        ...{ id: `c-${n}`, kind: 'email' as const, to: `c-${n}@example.com` },
      })),
    });
    const ports = createWorld().runContractsPorts();
    const destinations = allDestinationIdsOf(list, ports).length;

    const most = mostAlerts(ports, list);

    // One write for the watch. Each alert needs one for itself, one for each inbox entry, and
    // perhaps one for an escalation job.
    const writes = 1 + (most + OF_ONE_STEP) * (1 + destinations + 1);
    expect(most).toBeGreaterThan(1);
    expect(writes).toBeLessThanOrEqual(TABLE_LIMITS.writesOfTransaction);
  },
);
