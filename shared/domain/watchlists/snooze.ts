import { createHash } from 'node:crypto';
import type { Actor } from '#shared/domain/access/actor.ts';
import {
  endOfSnooze,
  SNOOZE_CHOICES,
  type SnoozeChoice,
} from '#shared/domain/alerting/snooze-choice.ts';
import { defined } from '#shared/domain/defined.ts';
import { ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { isUntilRecovered, type Mute, muteEnd } from './mute.ts';
import { openEpisodeOf } from './muted-watch.ts';

/** The person, the time, and the time zone that decides when tomorrow begins. */
type Snoozing = { readonly by: Actor; readonly now: Instant; readonly timeZone: string };

/**
 * A snooze: a mute of the watch's rule on its contract. The id is the same for the same choice and
 * episode, so pressing a button twice creates one snooze.
 */
export function snoozeOf(
  watch: Watch,
  choice: SnoozeChoice,
  { by, now, timeZone }: Snoozing,
): Mute {
  const end = endOfSnooze(choice, now, timeZone);
  const until = muteEnd(end, now) ?? now;
  const open = [openEpisodeOf(watch)].filter((episode) => episode !== undefined);
  const episodes = isUntilRecovered(end) ? open : undefined;
  // The end of `tomorrow` depends on the day on which the button is pressed, so the id includes the
  // end.
  const suffix = choice === 'tomorrow' ? `-${(until / MINUTE).toString(36)}` : '';
  return {
    ...{ id: `${snoozeId(watch, choice)}${suffix}`, by, from: now, until },
    ...{ rule: ruleOf(watch), contract: watch.contract, ...defined({ episodes }) },
  };
}

/** The given mutes that are snoozes of the watch's open episode. */
export function snoozesOf(watch: Watch, mutes: readonly Mute[]): readonly Mute[] {
  const ids = SNOOZE_CHOICES.map((choice) => snoozeId(watch, choice));
  return mutes.filter((mute) => ids.some((id) => mute.id === id || mute.id.startsWith(`${id}-`)));
}

function snoozeId({ contract, rule, generation, episode }: Watch, choice: SnoozeChoice): string {
  const identity = JSON.stringify([contract, rule, generation, episode]);
  return `snooze-${choice}-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`;
}
