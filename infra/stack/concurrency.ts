/** Invocations at once of the functions that alerts wait for, and of what must not take theirs. */
export const CONCURRENCY = {
  /** A tick may come twice, or late. */
  pollPrices: 2,
  wakeWork: 2,
  runContracts: 50,
  runJobs: 30,
  /** One tenant's lanes are a twentieth of it (`lane.ts`). */
  deliverMessages: 200,
  /** Anybody with an address may ask, and each picture is work. */
  drawChart: 20,
} as const;

/** The most messages of one invocation, where that is more than one. */
export const BATCH = { runJobs: 10 } as const;

/** What AWS leaves to all other functions of an account. */
const UNRESERVED = 100;

/** The invocations at once of a stage that is as busy as it lets itself be. */
export const BUSY_AT_ONCE = Object.values(CONCURRENCY).reduce((sum, count) => sum + count, 0);

/** The invocations at once that an account must have for a stage that reserves those. */
export const RESERVING_ACCOUNT = UNRESERVED + BUSY_AT_ONCE;
