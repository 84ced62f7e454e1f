/** The thresholds of alarms and of `npm run operate -- status`. */
export const THRESHOLDS = {
  withoutTicksMinutes: 5,
  /** Of the last day; each has been made up for. */
  missedTicks: 10,
  budgetPercent: 80,
  keyEndsWithinHours: 48,
  /** Of the newest floor of all. */
  dataAgeHours: 6,
  silentPercent: 50,
  overdueMinutes: 10,
  /** Its message comes once a day, and within a cadence. */
  canaryAgeHours: 26,
  /** The objective: so many of the alerts that a working channel gets are there within a minute. */
  inTimePercent: 99.5,
  /** Fewer late alerts say nothing of a share: with three alerts an hour one is a third. */
  lateAlerts: 3,
  /** How many times faster than allowed the objective's budget may be spent, by hours looked at. */
  burnRates: { fast: { hours: 1, rate: 14.4 }, slow: { hours: 6, rate: 6 } },
} as const;
