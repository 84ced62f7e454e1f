import type { ModelState } from '#test/simulation/oracle/model.ts';
import type { AlertItem } from './alert-check.ts';

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
  readonly ring?: readonly boolean[];
  readonly evaluatedUntil?: number;
  readonly evaluatedSeq: number;
  readonly admin: string;
  readonly outbox: readonly AlertItem[];
  readonly folded?: unknown;
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

export function stateText(watch: WatchItem): string {
  const { state, stateSince, alerts, episode, noValueSince, ring } = watch;
  const { firedAt, remindedAt, lastReported } = watch;
  const side = sideOf(watch);
  const reported = { firedAt, remindedAt, lastReported, noValueSince };
  return JSON.stringify({ state, stateSince, alerts, episode, ...reported, ring, side });
}

/** Where a rule of crossings comes from. */
function sideOf({ position, ruleCondition }: WatchItem): 'under' | 'over' | undefined {
  return ruleCondition.condition.when !== 'crosses' || position === 'within' ? undefined : position;
}

export function modelStateText(modelState: ModelState): string {
  const { state, stateSince, alerts, episodes, noValueSince, ring, side } = modelState;
  const { firedAt, remindedAt, lastReported } = modelState;
  return JSON.stringify({
    state,
    stateSince,
    alerts,
    episode: episodes,
    firedAt,
    remindedAt,
    lastReported: lastReported?.toString(),
    noValueSince,
    ring: ring.length > 0 ? ring : undefined,
    side,
  });
}

/**
 * What the product says is believed once it was found wrong, so that each fault is reported once.
 */
export function adopted(modelState: ModelState, watch: WatchItem, evaluated: number): ModelState {
  const { state, stateSince, firedAt, remindedAt, alerts, episode: episodes, lastReported } = watch;
  const { noValueSince } = watch;
  return {
    ...modelState,
    state,
    isWaiting: state === 'unknown',
    stateSince,
    firedAt,
    remindedAt,
    alerts,
    episodes,
    noValueSince,
    ring: watch.ring ?? [],
    side: sideOf(watch),
    evaluated,
    lastReported: lastReported === undefined ? undefined : BigInt(lastReported),
    isOver: watch.admin === 'expired',
    movedAt: watch.evaluatedUntil ?? 0,
  };
}
