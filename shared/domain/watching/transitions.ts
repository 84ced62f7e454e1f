import type { AlertKind } from '#shared/domain/alerting/alert.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { isLimit } from '#shared/domain/rules/condition.ts';
import { isPercent } from '#shared/domain/rules/metric.ts';
import type { Cause } from './cause.ts';
import { describeAlert } from './describe-alert.ts';
import { posted } from './outbox.ts';
import { measureAt, type Verdict, verdictOf } from './verdict.ts';
import { isEpisodeOpen, nextStep, type Watch, type WatchState } from './watch.ts';

/** The laws of the states. */
export function move(
  watch: Watch,
  { beyond, recovered, value, position }: Verdict,
  cause: Cause,
): Watch {
  const { condition, arm, keepFor } = watch.meaning;
  switch (watch.state) {
    case 'unknown':
      if (!beyond) return entering(watch, 'ok', cause);
      return arm === 'cross' ? entering(watch, 'disarmed', cause) : trigger(watch, cause);
    case 'ok':
      if (condition.when === 'crosses') return cross(watch, position, cause);
      return beyond ? trigger(watch, cause) : watch;
    case 'disarmed':
      return beyond ? watch : entering(watch, 'ok', cause);
    case 'pending':
      return watch.ring === undefined
        ? keepPending(watch, beyond, cause)
        : count(watch, beyond, cause);
    case 'firing':
      if (!recovered) return worsen(watch, value, cause);
      return keepFor === undefined ? recover(watch, cause) : entering(watch, 'recovering', cause);
    case 'recovering':
      return recovered ? watch : entering(watch, 'firing', cause);
    case 'ended':
      return watch;
  }
}

/** The value has gone beyond: the rule fires, or waits until it has held long or often enough. */
function trigger(watch: Watch, cause: Cause): Watch {
  const { for: held, confirm } = watch.meaning;
  if (held !== undefined) return entering(watch, 'pending', cause);
  return confirm === undefined ? fire(watch, cause) : count({ ...watch, ring: [] }, true, cause);
}

function keepPending(watch: Watch, beyond: boolean, cause: Cause): Watch {
  return beyond ? watch : entering(watch, 'ok', cause);
}

/**
 * Counts an observation among the last: enough of them beyond fire, none of them beyond rests. One
 * that is told anew takes the place of what was told before, or a single point would confirm itself.
 */
function count(watch: Watch, beyond: boolean, cause: Cause): Watch {
  const { times, of } = watch.meaning.confirm ?? { times: 1, of: 1 };
  const counted = cause.isRevision ? watch.ring?.slice(0, -1) : watch.ring;
  const ring = [...(counted ?? []), beyond].slice(-of);
  const beyonds = ring.filter(Boolean).length;
  if (beyonds >= times) return fire(watch, cause);
  if (beyonds === 0) return entering(watch, 'ok', cause);
  return watch.state === 'pending'
    ? { ...watch, ring }
    : { ...entering(watch, 'pending', cause), ring };
}

function fire(watch: Watch, cause: Cause): Watch {
  const fired = entering(watch, 'firing', cause);
  const episode = { episode: watch.episode + 1, firedAt: cause.time };
  return withAlert({ ...fired, ...episode }, 'fired', cause);
}

/** Each further step from the value last told is told once more. */
function worsen(watch: Watch, value: Decimal, cause: Cause): Watch {
  const step = nextStep(watch);
  const isFurther =
    step !== undefined &&
    (watch.meaning.condition.when === 'below' ? value <= step : value >= step);
  return isFurther ? withAlert(watch, 'worsened', cause) : watch;
}

/** The episode is over; after the only one of a `once` rule there is no other. */
function recover(watch: Watch, cause: Cause): Watch {
  const { repeat } = watch.manner;
  const over = entering(watch, repeat === 'once' ? 'ended' : 'ok', cause);
  const told = watch.wording.notifyRecovery
    ? withAlert({ ...over, firedAt: watch.firedAt ?? cause.time }, 'recovered', cause)
    : over;
  const { firedAt: _firedAt, lastTold: _lastTold, remindedAt: _reminded, ...rested } = told;
  return rested;
}

/** A crossing is one alert without an episode. */
function cross(watch: Watch, position: Watch['position'], cause: Cause): Watch {
  const crossed =
    watch.position !== undefined && watch.position !== 'within' && position !== watch.position;
  return crossed ? withAlert({ ...watch, stateSince: cause.time }, 'fired', cause) : watch;
}

function entering(watch: Watch, state: WatchState, { time }: Cause): Watch {
  const { ring: _counted, ...rest } = watch;
  return { ...rest, state, stateSince: time };
}

/**
 * "No trade left" never fires: it ends a `below` episode, or the wait for one, and gives a new watch
 * of a line its start. A band or a line to be crossed waits on: nothing stands anywhere against it.
 */
export function withoutValue(watch: Watch, cause: Cause): Watch {
  const { condition, metric } = watch.meaning;
  if (!isLimit(condition) || isPercent(metric)) return watch;
  if (watch.state === 'unknown') return entering(watch, 'ok', cause);
  if (condition.when !== 'below') return watch;
  if (isEpisodeOpen(watch)) return recover(watch, cause);
  const isLasting = watch.state === 'pending' && watch.ring === undefined;
  return isLasting ? entering(watch, 'ok', cause) : watch;
}

/**
 * What an instant of its own does to a watch whose value has not changed until then. Where nobody
 * knows the value any more, nothing has lasted: it begins to when there is one again.
 */
export function pass(watch: Watch, cause: Cause): Watch {
  if (watch.state === 'firing') {
    return withAlert({ ...watch, remindedAt: cause.time }, 'reminder', cause);
  }
  const isKnown = typeof verdictOf(watch, cause) === 'object';
  if (watch.state === 'recovering') {
    return isKnown ? recover(watch, cause) : entering(watch, 'firing', cause);
  }
  return isKnown ? fire(watch, cause) : entering(watch, 'ok', cause);
}

function withAlert(watch: Watch, kind: AlertKind, cause: Cause): Watch {
  const n = watch.alerts + 1;
  const measured = measureAt(watch.meaning, cause);
  // A reminder repeats; steps go on from what was told as news, wherever the value stands at the time.
  const isNews = kind !== 'reminder' && measured.kind === 'value';
  const lastTold = isNews ? { lastTold: measured.value } : {};
  const alert = describeAlert(watch, kind, n, cause);
  return posted({ ...watch, ...lastTold, alerts: n }, alert, cause.now);
}
