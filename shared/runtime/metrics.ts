/** The namespace of all our metrics in CloudWatch. */
export const NAMESPACE = 'floorwatch';

/**
 * The metrics with their units. For counts the sum is reported, for all others the maximum; the
 * only dimension is the stage. CloudWatch bills a metric for each hour in which it is written, so
 * metrics of problems are written only when there are problems.
 */
export const METRICS = {
  /** Completed passes of the planner. */
  Ticks: 'Count',
  ContractsWatched: 'Count',
  /**
   * Polls that could not reserve a call, because the rate or the budget was used up or the circuit
   * breaker was open.
   */
  PollsPutOff: 'Count',
  /**
   * Minutes between two polls of a contract, while rate or budget allow fewer polls than requested.
   */
  Cadence: 'None',
  /** Calls to the upstream, by outcome. */
  CallsOk: 'Count',
  CallsEmpty: 'Count',
  CallsNotReady: 'Count',
  CallsNotFound: 'Count',
  CallsUnsupported: 'Count',
  CallsDenied: 'Count',
  CallsThrottled: 'Count',
  CallsFailed: 'Count',
  /** Records that were skipped because they were unreadable or had no usable price. */
  RecordsSkipped: 'Count',
  /** 1 while the upstream denies polls. */
  UpstreamDenied: 'None',
  /**
   * The time until the key of the first provider expires. Not written for a key without an expiry.
   */
  UpstreamKeyLeft: 'Seconds',
  /** The used share of the day's or the month's budget, whichever is higher. */
  BudgetUsed: 'Percent',
  /** The age of the newest floor of all contracts. */
  FreshestDataAge: 'Seconds',
  /** The share of watched contracts without a usable report for an hour. */
  ContractsSilent: 'Percent',
  /** How long the oldest alert, change or channel has been due, if this is at least a minute. */
  WorkOverdue: 'Seconds',
  AlertsMade: 'Count',
  AlertsDelivered: 'Count',
  /** Delivered alerts that took more than a minute to reach a working channel. */
  AlertsLate: 'Count',
  AlertsGivenUp: 'Count',
  /** Failed notifications that are retried. */
  SendsFailed: 'Count',
  /** Queue messages that failed and will be retried. */
  MessagesFailed: 'Count',
  /** Items that cannot be read or evaluated until an operator repairs them. */
  BrokenItems: 'Count',
} as const satisfies Readonly<Record<string, 'Count' | 'Percent' | 'Seconds' | 'None'>>;

export type Metric = keyof typeof METRICS;

/** The measurements of an invocation, which are part of its last log line. */
export type Metrics = {
  readonly measure: (metric: Metric, value?: number) => void;
  /** The measurements since the last call, as fields of a log line. */
  readonly flush: () => Readonly<Record<string, unknown>>;
};

/** The metrics of a function in CloudWatch's embedded metric format. */
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
