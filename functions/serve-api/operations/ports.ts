import type { Instant } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Cadences } from '#shared/domain/polling/cadences.ts';
import type { GovernorRecord } from '#shared/domain/polling/governor.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { QueueReport } from './answers.ts';

/** The ports of the routes about the stack. */
export type ReportOperationsPorts = {
  readonly now: () => Instant;
  /** The limits of each provider, the first of them the one that polls are planned for. */
  readonly limits: readonly UpstreamLimits[];
  /** When the key of the first provider ends. */
  readonly keyEndsAt: Instant | undefined;
  readonly configuredCadenceMinutes: number;
  readonly getProgress: () => Promise<PollProgress | undefined>;
  readonly getGovernor: (provider: Provider) => Promise<GovernorRecord>;
  readonly getCadences: () => Promise<Cadences>;
  /** Since when the oldest hints, job or channel are due. */
  readonly overdueSince: (now: Instant) => Promise<Instant | undefined>;
  readonly queueDepths: () => Promise<readonly QueueReport[]>;
  readonly missedTicks: () => Promise<number>;
};
