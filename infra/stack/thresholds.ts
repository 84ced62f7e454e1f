/** The thresholds of alarms and of `npm run status`. */
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
} as const;
