import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { dayAfter, instantAt, localTime } from '#shared/domain/market/local-time.ts';

/** The lengths of a snooze that people choose from, in the console and behind links of messages. */
export const SNOOZE_CHOICES = ['1h', '4h', 'tomorrow', 'until-recovered'] as const;
export type SnoozeChoice = (typeof SNOOZE_CHOICES)[number];

/** The words after "Snooze". */
export const SNOOZE_WORDS: Readonly<Record<SnoozeChoice, string>> = {
  '1h': '1 h',
  '4h': '4 h',
  tomorrow: 'until tomorrow 9:00',
  'until-recovered': 'until recovered',
};

/** The length of a snooze in a sentence: `for 1 h`, `until recovered`. */
export function snoozeInWords(choice: SnoozeChoice): string {
  const words = SNOOZE_WORDS[choice];
  return words.startsWith('until') ? words : `for ${words}`;
}

/** The end of a snooze, as the request of a mute has it. */
export type SnoozeEnd =
  | { readonly for: string; readonly until?: undefined }
  | { readonly until: string; readonly for?: undefined };

/** The end of a snooze that somebody in a time zone chooses now. */
export function endOfSnooze(choice: SnoozeChoice, now: Instant, timeZone: string): SnoozeEnd {
  switch (choice) {
    case '1h':
    case '4h':
      return { for: choice };
    case 'tomorrow':
      return { until: formatInstant(tomorrowAtNine(now, timeZone)) };
    case 'until-recovered':
      return { until: 'recovered' };
  }
}

/** 9:00 of the next day of the calendar, also for somebody who is up after midnight. */
function tomorrowAtNine(now: Instant, timeZone: string): Instant {
  const { day } = localTime(now, timeZone);
  return instantAt({ day: dayAfter(day, 1), time: '09:00' }, timeZone);
}
