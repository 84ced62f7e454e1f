import { formatInstant, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Cadences } from '#shared/domain/polling/cadences.ts';
import {
  cadenceView,
  providerView,
  tenantsView,
  tickView,
} from '#shared/domain/polling/operations-view.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import type { RateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';

export type OperationsPorts<Queue> = {
  readonly now: () => Instant;
  /** The limits of all providers, the main one first. */
  readonly limits: readonly UpstreamLimits[];
  /** The expiry of the key of the first provider. */
  readonly keyEndsAt: Instant | undefined;
  readonly configuredCadenceMinutes: number;
  readonly getProgress: () => Promise<PollProgress | undefined>;
  readonly getRateLimiter: (provider: Provider) => Promise<RateLimiterRecord>;
  readonly getCadences: () => Promise<Cadences>;
  /** The due time of the oldest intent, job or channel. */
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
      limits.map(async (one) => ({ one, record: await ports.getRateLimiter(one.provider) })),
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
