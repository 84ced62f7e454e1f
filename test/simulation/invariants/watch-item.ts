import type { OracleRule } from '#test/simulation/oracle/rule.ts';
import type { WatchState } from '#test/simulation/oracle/watch.ts';

/** A watch as it lies in the table. */
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
  readonly ring?: readonly { readonly time: number; readonly beyond: boolean }[];
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

/** The observable state of a watch: its status, since when, and its alerts. */
export function stateText(watch: WatchItem): string {
  const { state, stateSince, firedAt, lastReported, alerts, episode, noValueSince, ring } = watch;
  // Points that are being counted are no state of their own.
  const isCounting = state === 'pending' && ring !== undefined;
  const status = watch.admin === 'expired' ? 'expired' : isCounting ? 'ok' : state;
  const hasSince = ['pending', 'recovering'].includes(status);
  return JSON.stringify({
    ...{ status, since: hasSince ? stateSince : undefined, alerts, episode, noValueSince },
    ...(status === 'firing' || status === 'recovering' ? { firedAt, lastReported } : {}),
    ring: status === 'ok' && isCounting ? countedOf(ring.map(({ beyond }) => beyond)) : undefined,
    side: status === 'expired' ? undefined : sideOf(watch),
  });
}

/** Points before the first that is beyond count for nothing. */
function countedOf(ring: readonly boolean[]): readonly boolean[] {
  return ring.slice(ring.indexOf(true));
}

/** Where a rule of crossings comes from. */
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
    ring:
      isCounting && status === 'ok' ? countedOf(recent.map(({ isBeyond }) => isBeyond)) : undefined,
    side: status === 'expired' ? undefined : side,
  });
}

/** What the product says is believed once it was found wrong, so that each fault is reported once. */
export function adopted(known: WatchState, watch: WatchItem): WatchState {
  const { state, stateSince, firedAt, remindedAt, alerts, episode, lastReported, ring } = watch;
  const isCounting = state === 'pending' && ring !== undefined;
  return {
    ...known,
    status:
      watch.admin === 'expired' ? 'expired' : isCounting ? 'ok' : (state as WatchState['status']),
    since: stateSince ?? known.since,
    ...{ firedAt, remindedAt, alerts, episodes: episode },
    staleSince: watch.noValueSince,
    recent: (ring ?? []).map(({ time, beyond }) => ({ time, isBeyond: beyond })),
    side: sideOf(watch),
    lastReported: lastReported === undefined ? undefined : BigInt(lastReported),
  };
}
