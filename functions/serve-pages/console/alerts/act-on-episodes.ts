import { actOnEach, type Report } from '#console/interface/act-on-each.ts';
import { ask, nameIn, type Outcome } from '#console/interface/ask.ts';
import { chosenEnd, snoozedInWords } from '#console/words/snoozes.ts';
import type { SnoozeChoice } from '#shared/domain/alerting/snooze-choice.ts';
import { type Episode, newestOf } from './episode.ts';
import { endMutes, type Mute, splitMutes } from './wider-mute.tsx';

/** An action on one or several episodes. */
export type Action =
  | { readonly kind: 'acknowledge' }
  /** Ends the mutes that hold only the alerts of this episode's rule and contract. */
  | { readonly kind: 'wake' }
  /** Ends a mute that also holds alerts of other rules or contracts. */
  | { readonly kind: 'unmute'; readonly mute: Mute }
  | { readonly kind: 'snooze'; readonly choice: SnoozeChoice };

export async function actOn(episodes: readonly Episode[], action: Action): Promise<Report> {
  return await actOnEach(
    episodes,
    ({ title }) => title,
    (episode) => actOnOne(episode, action),
  );
}

async function actOnOne(episode: Episode, action: Action): Promise<Outcome<unknown>> {
  const { watchlist, rule, contract, mutes } = episode;
  if (action.kind === 'acknowledge') {
    const alert = nameIn(newestOf(episode)?.alert ?? '');
    return await ask('POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge', {
      path: { watchlist, alert },
      body: {},
    });
  }
  if (action.kind === 'wake') return await endMutes(watchlist, splitMutes(mutes).narrow);
  if (action.kind === 'unmute') return await endMutes(watchlist, [action.mute]);
  return await ask('POST /v1/watchlists/{watchlist}/mutes', {
    path: { watchlist },
    body: {
      ...chosenEnd(action.choice),
      ...(rule === null ? {} : { rule }),
      ...(contract === null ? {} : { contract }),
    },
  });
}

/** The result of an action as text, such as `Acknowledged: 3 episodes.` */
export function reported({ done, failed }: Report, action: Action): string {
  const all = done + failed.length;
  if (done === 1 && all === 1) return `${deedOf(action)}.`;
  return `${deedOf(action)}: ${failed.length === 0 ? done : `${done} of ${all}`} episodes.`;
}

function deedOf(action: Action): string {
  if (action.kind === 'acknowledge') return 'Acknowledged';
  if (action.kind === 'wake') return 'Snooze ended';
  if (action.kind === 'unmute') return 'Mute ended';
  return snoozedInWords(action.choice);
}
