import type { OracleRule } from '#test/simulation/oracle/rule.ts';
import type { WatchState } from '#test/simulation/oracle/watch.ts';

/** The stored item of a watch. */
export type WatchItem = {
  readonly generation: number;
  readonly state: string;
  readonly stateSince?: number;
  readonly since: number;
  readonly alerts: number;
  readonly episode: number;
  readonly firedAt?: number;
  readonly noValueSince?: number;
  readonly remindedAt?: number;
  readonly lastReported?: string;
  readonly recentSamples?: readonly { readonly time: number; readonly beyond: boolean }[];
  readonly evaluatedSeq: number;
  readonly admin: string;
  readonly expiresAt?: number;
  readonly position?: 'under' | 'within' | 'over';
  readonly ruleCondition: {
    readonly condition: { readonly when: string; readonly threshold?: string };
  };
  readonly repeatPolicy: {
    readonly repeat: string;
    readonly reminder?: number;
    readonly steps?: string;
  };
  readonly presentation: {
    readonly label?: string;
    readonly severity: string;
    readonly notifyRecovery: boolean;
  };
};

/** The observable state of a watch: its status, the start of that status, and its alerts. */
export function stateText(watch: WatchItem): string {
  const { state, stateSince, firedAt, lastReported, alerts, episode, noValueSince, recentSamples } =
    watch;
  // While points are counted for `confirm`, the product has the state `pending`, but the model has
  // `ok`.
  const isCounting = state === 'pending' && recentSamples !== undefined;
  const status = watch.admin === 'expired' ? 'expired' : isCounting ? 'ok' : state;
  const hasSince = ['pending', 'recovering'].includes(status);
  return JSON.stringify({
    ...{ status, since: hasSince ? stateSince : undefined, alerts, episode, noValueSince },
    ...(status === 'firing' || status === 'recovering' ? { firedAt, lastReported } : {}),
    recentSamples:
      status === 'ok' && isCounting
        ? countedOf(recentSamples.map(({ beyond }) => beyond))
        : undefined,
    side: status === 'expired' ? undefined : sideOf(watch),
  });
}

/** Drops the points before the first one beyond the threshold. */
function countedOf(recentSamples: readonly boolean[]): readonly boolean[] {
  return recentSamples.slice(recentSamples.indexOf(true));
}

/** The side of the threshold on which the value of a crossing rule was last. */
function sideOf({ position, ruleCondition }: WatchItem): 'under' | 'over' | undefined {
  return ruleCondition.condition.when !== 'crosses' || position === 'within' ? undefined : position;
}

export function modelText(rule: OracleRule, watch: WatchState): string {
  const { status, since, firedAt, lastReported, alerts, episodes, staleSince, recent, side } =
    watch;
  const hasSince = status === 'pending' || status === 'recovering';
  const isCounting = rule.confirm !== undefined && recent.some(({ isBeyond }) => isBeyond);
  return JSON.stringify({
    ...{ status, since: hasSince ? since : undefined, alerts, episode: episodes },
    noValueSince: staleSince,
    ...(status === 'firing' || status === 'recovering'
      ? { firedAt, lastReported: lastReported?.toString() }
      : {}),
    recentSamples:
      isCounting && status === 'ok' ? countedOf(recent.map(({ isBeyond }) => isBeyond)) : undefined,
    side: status === 'expired' ? undefined : side,
  });
}

/** Adopts the state of the product after a difference, so that each fault is reported once. */
export function adopted(known: WatchState, watch: WatchItem): WatchState {
  const { state, stateSince, firedAt, remindedAt, alerts, episode, lastReported, recentSamples } =
    watch;
  const isCounting = state === 'pending' && recentSamples !== undefined;
  return {
    ...known,
    status:
      watch.admin === 'expired' ? 'expired' : isCounting ? 'ok' : (state as WatchState['status']),
    since: stateSince ?? known.since,
    ...{ firedAt, remindedAt, alerts, episodes: episode },
    staleSince: watch.noValueSince,
    recent: (recentSamples ?? []).map(({ time, beyond }) => ({ time, isBeyond: beyond })),
    side: sideOf(watch),
    lastReported: lastReported === undefined ? undefined : BigInt(lastReported),
  };
}
