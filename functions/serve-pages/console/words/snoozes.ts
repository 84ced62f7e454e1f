import { now } from '#console/interface/connection.ts';
import {
  endOfSnooze,
  type SnoozeChoice,
  type SnoozeEnd,
  snoozeInWords,
} from '#shared/domain/alerting/snooze-choice.ts';
import { moment, momentOfDay } from './times.ts';

/** The end of a snooze that starts now. `tomorrow` is in the time zone of the browser. */
export function chosenEnd(choice: SnoozeChoice): SnoozeEnd {
  return endOfSnooze(choice, now(), new Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/**
 * Describes a snooze by its duration (`Snoozed for 1 h`) or, for `tomorrow`, by its end (`Snoozed
 * until Tue, 1 Dec, 09:00`).
 */
export function snoozedInWords(choice: SnoozeChoice): string {
  const { until } = chosenEnd(choice);
  const isMoment = choice === 'tomorrow' && until !== undefined;
  return `Snoozed ${isMoment ? `until ${momentOfDay(until)}` : snoozeInWords(choice)}`;
}

/** The end of a mute: `until 25 Nov, 18:02`, `until recovered, but no later than 23 Feb, 18:02`. */
export function mutedUntil(until: string, isUntilRecovered: boolean): string {
  return isUntilRecovered
    ? `until recovered, but no later than ${moment(until)}`
    : `until ${moment(until)}`;
}
