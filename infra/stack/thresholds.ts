/** The thresholds of alarms and of `npm run operate -- status`. */
export const THRESHOLDS = {
  withoutTicksMinutes: 5,
  /** The number of missed ticks in the last day. Later ticks have already caught up. */
  missedTicks: 10,
  budgetPercent: 80,
  keyEndsWithinHours: 48,
  /** The age of the newest floor of all contracts. */
  dataAgeHours: 6,
  silentPercent: 50,
  overdueMinutes: 10,
  /** The canary's message arrives once a day, up to one poll cadence late. */
  canaryAgeHours: 26,
  /** The objective: this percentage of the alerts to working channels arrives within a minute. */
  inTimePercent: 99.5,
  /** With fewer late alerts, the percentage says little: one of three alerts is already 33%. */
  lateAlerts: 3,
  /** Burn rates of the error budget at which an alarm fires, by length of the window in hours. */
  burnRates: { fast: { hours: 1, rate: 14.4 }, slow: { hours: 6, rate: 6 } },
} as const;
