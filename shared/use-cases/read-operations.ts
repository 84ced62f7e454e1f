import { formatInstant, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Cadences } from '#shared/domain/polling/cadences.ts';
import type { GovernorRecord } from '#shared/domain/polling/governor.ts';
import {
  cadenceView,
  providerView,
  tenantsView,
  tickView,
} from '#shared/domain/polling/operations-view.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';

export type OperationsPorts<Queue> = {
  readonly now: () => Instant;
  /** The limits of all providers. Polls are planned for the first. */
  readonly limits: readonly UpstreamLimits[];
  /** When the key of the first provider ends. */
  readonly keyEndsAt: Instant | undefined;
  readonly configuredCadenceMinutes: number;
  readonly getProgress: () => Promise<PollProgress | undefined>;
  readonly getGovernor: (provider: Provider) => Promise<GovernorRecord>;
  readonly getCadences: () => Promise<Cadences>;
  /** Since when the oldest hints, job or channel are due. */
  readonly overdueSince: (now: Instant) => Promise<Instant | undefined>;
  readonly queueDepths: () => Promise<readonly Queue[]>;
  readonly missedTicks: () => Promise<number>;
};

/** The state of a stack, for its operators. */
export async function readOperations<Queue>(ports: OperationsPorts<Queue>) {
  const now = ports.now();
  const { limits, configuredCadenceMinutes: minutes } = ports;
  const [progress, cadences, records, overdueSince, queues, missed] = await Promise.all([
    ports.getProgress(),
    ports.getCadences(),
    Promise.all(
      limits.map(async (one) => ({ one, record: await ports.getGovernor(one.provider) })),
    ),
    ports.overdueSince(now),
    ports.queueDepths(),
    ports.missedTicks(),
  ]);
  return {
    at: formatInstant(now),
    tick: { ...tickView(progress, now), missed },
    providers: records.map(({ one, record }, index) =>
      providerView(one, record, index === 0 ? ports.keyEndsAt : undefined, now),
    ),
    cadence: cadenceView(cadences, minutes),
    queues,
    overdueSince: momentOf(overdueSince),
    tenants: tenantsView(cadences, progress?.spending, minutes, now),
  };
}
