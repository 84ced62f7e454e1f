/** The namespace of all our metrics in CloudWatch. */
export const NAMESPACE = 'floorwatch';

/**
 * What is measured, each with its unit. Of a count the sum matters, of anything else the greatest;
 * the only dimension is the stage. CloudWatch bills a metric for each hour in which it is written, so
 * what reports trouble is written while there is some.
 */
export const METRICS = {
  /** Passes of the planner that came to their end. */
  Ticks: 'Count',
  ContractsWatched: 'Count',
  /** Polls that the governor had no slot, no budget or no leave for. */
  PollsPutOff: 'Count',
  /** Minutes between two polls of a contract, while rate or budget allow fewer than are asked for. */
  Cadence: 'None',
  /** Calls of the upstream, by what came of them. */
  CallsOk: 'Count',
  CallsEmpty: 'Count',
  CallsNotReady: 'Count',
  CallsNotFound: 'Count',
  CallsUnsupported: 'Count',
  CallsDenied: 'Count',
  CallsThrottled: 'Count',
  CallsFailed: 'Count',
  /** Skipped records: unreadable, or not a price. */
  RecordsSkipped: 'Count',
  /** 1 while the upstream denies its service to polling. */
  UpstreamDenied: 'None',
  /** Until the key of the first provider ends; only of one that does. */
  UpstreamKeyLeft: 'Seconds',
  /** What is spent of the budget of the UTC day or month, whichever is further gone. */
  BudgetUsed: 'Percent',
  /** The age of the newest floor of all contracts. */
  FreshestDataAge: 'Seconds',
  /** The share of watched contracts without a usable report for an hour. */
  ContractsSilent: 'Percent',
  /** For how long the longest waiting alert, change or channel has been due, from a minute on. */
  WorkOverdue: 'Seconds',
  AlertsMade: 'Count',
  AlertsDelivered: 'Count',
  /** Of the delivered, those that took more than a minute to a channel that works. */
  AlertsLate: 'Count',
  AlertsGivenUp: 'Count',
  /** Notifications that a channel did not take and that are tried again. */
  SendsFailed: 'Count',
  /** Messages of a queue that were not handled, and come again. */
  MessagesFailed: 'Count',
  /** Items that cannot be read or evaluated; they stand still until an operator mends them. */
  BrokenItems: 'Count',
} as const satisfies Readonly<Record<string, 'Count' | 'Percent' | 'Seconds' | 'None'>>;

export type Metric = keyof typeof METRICS;

/** What an invocation measures, until its last line reports it. */
export type Metrics = {
  readonly measure: (metric: Metric, value?: number) => void;
  /** The measurements since the last call, as members of a log line. */
  readonly flush: () => Readonly<Record<string, unknown>>;
};

/** The metrics of one function, in the embedded format that CloudWatch finds in its log. */
export function createMetrics(stage: string, now: () => number): Metrics {
  const values = new Map<Metric, number>();
  return {
    measure: (metric, value = 1) => {
      const known = values.get(metric) ?? 0;
      values.set(metric, METRICS[metric] === 'Count' ? known + value : Math.max(known, value));
    },

    flush: () => {
      if (values.size === 0) return {};
      const line = { _aws: directive([...values.keys()], now()), Stage: stage };
      const members = Object.fromEntries(values);
      values.clear();
      return { ...line, ...members };
    },
  };
}

function directive(metrics: readonly Metric[], timestamp: number) {
  const Metrics = metrics.map((Name) => ({ Name, Unit: METRICS[Name] }));
  return {
    Timestamp: timestamp,
    CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions: [['Stage']], Metrics }],
  };
}
