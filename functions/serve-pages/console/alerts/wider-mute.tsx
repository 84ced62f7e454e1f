import { ask, type Outcome } from '#console/interface/ask.ts';
import { byWhom } from '#console/words/by-whom.ts';
import { mutedUntil } from '#console/words/snoozes.ts';
import type { Episode } from './episode.ts';

export type Mute = Episode['mutes'][number];

/**
 * Splits mutes into narrow ones, which hold one rule on one contract (such as snoozes), and wider
 * ones. The wider mute that ends last comes first.
 */
export function splitMutes(mutes: readonly Mute[]) {
  const isNarrow = ({ rule, contract }: Mute) => rule !== null && contract !== null;
  return {
    narrow: mutes.filter(isNarrow),
    wider: mutes
      .filter((mute) => !isNarrow(mute))
      .toSorted((one, other) => Date.parse(other.until) - Date.parse(one.until)),
  };
}

/** Ends mutes one after another, and stops at the first failure. Returns the last outcome. */
export async function endMutes(
  watchlist: string,
  mutes: readonly Mute[],
): Promise<Outcome<unknown>> {
  let ended: Outcome<unknown> = { kind: 'unchanged' };
  for (const { id: mute } of mutes) {
    ended = await ask('DELETE /v1/watchlists/{watchlist}/mutes/{mute}', {
      path: { watchlist, mute },
      ifMatch: '*',
    });
    if (ended.kind !== 'answered') return ended;
  }
  return ended;
}

type WiderMuteProps = {
  readonly watchlist: string;
  readonly mute: Mute;
  readonly onEnd: () => void;
  readonly onKeep: () => void;
};

/** Asks whether to end a mute that also holds alerts of other rules or collections. */
export function WiderMute({ watchlist, mute, onEnd, onKeep }: WiderMuteProps) {
  const { by, until, untilRecovered, reason } = mute;
  const { held, others } = alertsOf(mute, watchlist);
  return (
    <div class="notice warning stack" role="alert">
      <p>
        A mute {by !== null && `${byWhom(by)} `}holds {held} {mutedUntil(until, untilRecovered)}
        {reason !== null && `: “${reason}”`}. Ending it also unmutes {others}.
      </p>
      <div class="row">
        <button type="button" onClick={onEnd}>
          End this mute
        </button>
        <button type="button" onClick={onKeep}>
          Keep it
        </button>
      </div>
    </div>
  );
}

/** Describes all alerts that a mute holds, and separately those of other rules or collections. */
function alertsOf({ rule, contract, severity }: Mute, watchlist: string) {
  const alerts = severity === null ? 'alerts' : `${severity} alerts`;
  const list = `the list “${watchlist}”`;
  if (rule !== null) {
    return {
      held: `all ${alerts} of this rule`,
      others: `the ${alerts} of this rule on all other collections`,
    };
  }
  if (contract !== null) {
    return {
      held: `all ${alerts} of ${list} on this collection`,
      others: `the ${alerts} of all other rules of the list on this collection`,
    };
  }
  return {
    held: `all ${alerts} of ${list}`,
    others: `the ${alerts} of all other rules and collections of the list`,
  };
}
