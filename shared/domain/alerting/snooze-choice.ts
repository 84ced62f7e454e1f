import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { dayAfter, instantAt, localTime } from '#shared/domain/market/local-time.ts';

/** The durations of a snooze in the console and in links of messages. */
export const SNOOZE_CHOICES = ['1h', '4h', 'tomorrow', 'until-recovered'] as const;
export type SnoozeChoice = (typeof SNOOZE_CHOICES)[number];

/** The words after "Snooze". */
export const SNOOZE_WORDS: Readonly<Record<SnoozeChoice, string>> = {
  '1h': '1 h',
  '4h': '4 h',
  tomorrow: 'until tomorrow 9:00',
  'until-recovered': 'until recovered',
};

/** The duration of a snooze in a sentence: `for 1 h`, `until recovered`. */
export function snoozeInWords(choice: SnoozeChoice): string {
  const words = SNOOZE_WORDS[choice];
  return words.startsWith('until') ? words : `for ${words}`;
}

/** The end of a snooze in a mute request. */
export type SnoozeEnd =
  | { readonly for: string; readonly until?: undefined }
  | { readonly until: string; readonly for?: undefined };

/** The end of a snooze that starts now, in the user's time zone. */
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

/** 9:00 of the next calendar day. Shortly after midnight this is more than a day away. */
function tomorrowAtNine(now: Instant, timeZone: string): Instant {
  const { day } = localTime(now, timeZone);
  return instantAt({ day: dayAfter(day, 1), time: '09:00' }, timeZone);
}
