/**
 * Maximum concurrency of the functions on the alert path, and of those that must not starve them.
 */
export const CONCURRENCY = {
  /** Two, because EventBridge may deliver a tick twice, or late. */
  pollPrices: 2,
  wakeWork: 2,
  runContracts: 50,
  runJobs: 30,
  /** Each tenant has a twentieth of this number of partitions (`channel-partition.ts`). */
  deliverMessages: 200,
  /** Limited, because charts need no key, and each takes much processor time. */
  drawChart: 20,
} as const;

/** Maximum batch sizes, where larger than one. */
export const BATCH = { runJobs: 10 } as const;

/** The concurrency that AWS keeps unreserved for all other functions of an account. */
const UNRESERVED = 100;

/** The maximum concurrency of one stage. */
export const BUSY_AT_ONCE = Object.values(CONCURRENCY).reduce((sum, count) => sum + count, 0);

/** The concurrency quota that an account needs for a stage that reserves its maximum. */
export const RESERVING_ACCOUNT = UNRESERVED + BUSY_AT_ONCE;
