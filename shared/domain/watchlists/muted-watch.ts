import { alertId } from '#shared/domain/alerting/alert.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import { isEpisodeOpen, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import type { Muteable, MutedEpisode } from './mute.ts';

/**
 * The facts of a watch that decide which mutes cover its next alert, unless that alert ends its
 * episode.
 */
export function muteSubject(watch: Watch): Muteable {
  const { contract, presentation } = watch;
  const { severity } = presentation;
  return { id: ruleOf(watch), severity, contract, episode: openEpisodeOf(watch)?.name };
}

/** The open episode of a watch as a mute names it; undefined if none is open. */
export function openEpisodeOf(watch: Watch): MutedEpisode | undefined {
  const { rule, generation, episode } = watch;
  const id = alertId(watch, generation, '');
  const name = isEpisodeOpen(watch) ? episodeName({ id, episode, open: true }) : undefined;
  return name === undefined ? undefined : { watch: rule, name };
}
