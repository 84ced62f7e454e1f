import { createHash } from 'node:crypto';
import type { Actor } from '#shared/domain/access/actor.ts';
import { ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { Mute } from './mute.ts';

/** The snoozes that last a span of time; one until the recovery is an acknowledgement. */
const SNOOZES = { 'snooze-1h': HOUR, 'snooze-4h': 4 * HOUR } as const;
type Snooze = keyof typeof SNOOZES;

/**
 * A snooze: a mute of the watch's rule on its contract. One episode has one of each length, so what
 * is pressed twice is there once.
 */
export function snoozeOf(watch: Watch, snooze: Snooze, by: Actor, now: Instant): Mute {
  return {
    ...{ id: snoozeId(watch, snooze), by, from: now, until: now + SNOOZES[snooze] },
    ...{ rule: ruleOf(watch), contract: watch.contract },
  };
}

/** The snoozes among mutes that are of the watch's open episode. */
export function snoozesOf(watch: Watch, mutes: readonly Mute[]): readonly Mute[] {
  const ids = [snoozeId(watch, 'snooze-1h'), snoozeId(watch, 'snooze-4h')];
  return mutes.filter(({ id }) => ids.includes(id));
}

function snoozeId({ contract, rule, generation, episode }: Watch, snooze: Snooze): string {
  const identity = JSON.stringify([contract, rule, generation, episode]);
  return `${snooze}-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`;
}
