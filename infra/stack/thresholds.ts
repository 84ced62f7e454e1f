/** The thresholds of alarms and of `npm run operate -- status`. */
export const THRESHOLDS = {
  withoutTicksMinutes: 5,
  /** In the last day. The ticks after them have already caught up. */
  missedTicks: 10,
  budgetPercent: 80,
  keyEndsWithinHours: 48,
  /** For the newest floor of all contracts. */
  dataAgeHours: 6,
  silentPercent: 50,
  overdueMinutes: 10,
  /** The canary's message arrives once a day, up to one poll cadence late. */
  canaryAgeHours: 26,
  /** The objective: this percentage of the alerts to working channels arrives within a minute. */
  inTimePercent: 99.5,
  /** Fewer late alerts make no useful percentage: of three alerts an hour, one is a third. */
  lateAlerts: 3,
  /** Burn rates of the error budget at which an alarm fires, by length of the window in hours. */
  burnRates: { fast: { hours: 1, rate: 14.4 }, slow: { hours: 6, rate: 6 } },
} as const;
