import type { AlertKind } from '#shared/domain/alerting/alert.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Cause, Closing } from './cause.ts';
import { describeAlert } from './describe-alert.ts';
import { posted } from './outbox.ts';
import { firstValue, isEvent, type Result, resultOf } from './result.ts';
import { isEpisodeOpen, nextStep, type Watch, type WatchState } from './watch.ts';

/** The laws of the states. */
export function move(
  watch: Watch,
  { beyond, recovered, value, position }: Result,
  cause: Cause,
): Watch {
  const { condition, arm, keepFor } = watch.ruleCondition;
  switch (watch.state) {
    case 'unknown':
      if (!beyond) return entering(watch, 'ok', cause);
      return arm === 'cross' ? entering(watch, 'disarmed', cause) : trigger(watch, cause);
    case 'ok':
      if (condition.when === 'crosses') return cross(watch, position, cause);
      return beyond && isEvent(watch, cause) ? trigger(watch, cause) : watch;
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
      return recovered ? watch : worsen(entering(watch, 'firing', cause), value, cause);
    case 'ended':
      return watch;
  }
}

/** The value has gone beyond: the rule fires, or waits until it has held long or often enough. */
function trigger(watch: Watch, cause: Cause): Watch {
  const { for: held, confirm } = watch.ruleCondition;
  if (held !== undefined) return entering(watch, 'pending', cause);
  return confirm === undefined ? fire(watch, cause) : count({ ...watch, ring: [] }, true, cause);
}

function keepPending(watch: Watch, beyond: boolean, cause: Cause): Watch {
  return beyond ? watch : entering(watch, 'ok', cause);
}

/**
 * Counts an observation among the last: enough of them beyond fire, none of them beyond rests. A
 * revised point replaces the earlier one, or a single point would confirm itself.
 */
function count(watch: Watch, beyond: boolean, cause: Cause): Watch {
  const { times, of } = watch.ruleCondition.confirm ?? { times: 1, of: 1 };
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

/** Each further step from the value last reported is reported once more. */
function worsen(watch: Watch, value: Decimal, cause: Cause): Watch {
  const step = nextStep(watch);
  const isFurther =
    step !== undefined &&
    isEvent(watch, cause) &&
    (watch.ruleCondition.condition.when === 'below' ? value <= step : value >= step);
  return isFurther ? withAlert(watch, 'worsened', cause) : watch;
}

/** The episode is over; after the only one of a `once` rule there is no other. */
function recover(watch: Watch, cause: Cause): Watch {
  const { repeat } = watch.repeatPolicy;
  const kind = cause.closing === undefined ? 'recovered' : 'closed';
  const over = entering(watch, repeat === 'once' ? 'ended' : 'ok', cause);
  const reported = watch.presentation.notifyRecovery
    ? withAlert({ ...over, firedAt: watch.firedAt ?? cause.time }, kind, cause)
    : over;
  const {
    firedAt: _firedAt,
    lastReported: _lastReported,
    remindedAt: _reminded,
    ...idle
  } = reported;
  return idle;
}

/**
 * Ends an open episode that is not watched any more, with an alert that closes it: otherwise a pager
 * would stay open for ever.
 */
export function closeEpisode(
  watch: Watch,
  why: Closing,
  { time, now }: { readonly time: Instant; readonly now: Instant },
): Watch {
  const nothing = new Map();
  const cause = { time, known: nothing, late: false, now, all: nothing, closing: why };
  if (watch.noValueSince !== undefined) return endNoValue(watch, 'closed', cause);
  return isEpisodeOpen(watch) ? recover(watch, cause) : watch;
}

/** The watch has had no value since it came to be, and reports that. */
export function reportNoValue(watch: Watch, cause: Cause): Watch {
  return withAlert({ ...watch, noValueSince: cause.time }, 'stale', cause);
}

/** The first value is there, of a watch that has reported that there was none. */
export function reportFirstValue(watch: Watch, cause: Cause): Watch {
  return watch.noValueSince === undefined ? watch : endNoValue(watch, 'fresh', cause);
}

function endNoValue(watch: Watch, kind: 'closed' | 'fresh', cause: Cause): Watch {
  const reported = watch.presentation.notifyRecovery ? withAlert(watch, kind, cause) : watch;
  const { noValueSince: _over, ...rest } = reported;
  return rest;
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
 * Where no sale is left in the window, no condition on sales holds, whichever side its line is on:
 * an open episode ends at once, a wait ends, a `cross` rule is armed, and a new watch starts at rest.
 * It is no observation, so `confirm` does not count it.
 */
export function withoutSale(watch: Watch, cause: Cause): Watch {
  if (isEpisodeOpen(watch)) return recover(watch, cause);
  const isCounting = watch.ring !== undefined;
  const isAtRest = watch.state === 'ok' || watch.state === 'ended' || isCounting;
  return isAtRest ? watch : entering(watch, 'ok', cause);
}

/**
 * What a timer does to a watch whose value has not changed until then. Without a known
 * value a reminder is skipped, and a gap in the data resets the timers of `for` and `keepFor`.
 */
export function pass(watch: Watch, cause: Cause): Watch {
  const isKnown = typeof resultOf(watch, cause) === 'object';
  if (watch.state === 'firing') {
    const reminded = { ...watch, remindedAt: cause.time };
    return isKnown ? withAlert(reminded, 'reminder', cause) : reminded;
  }
  if (!isKnown) return waitingAnew(watch, cause);
  return watch.state === 'recovering' ? recover(watch, cause) : fire(watch, cause);
}

/** An unknown value stands nowhere: a band waits for any value, not for the exit from its last one. */
function waitingAnew({ position: _last, ...watch }: Watch, cause: Cause): Watch {
  return entering(watch, watch.state === 'recovering' ? 'firing' : 'ok', cause);
}

function withAlert(watch: Watch, kind: AlertKind, cause: Cause): Watch {
  const n = watch.alerts + 1;
  const measured = firstValue(watch, cause);
  // A reminder repeats an alert; steps continue from the last value that was not a reminder's. The
  // first value of a watch is of no episode yet.
  const isNewValue = kind !== 'reminder' && kind !== 'fresh' && measured !== undefined;
  const lastReported = isNewValue ? { lastReported: measured } : {};
  const alert = describeAlert(watch, kind, n, cause);
  return posted({ ...watch, ...lastReported, alerts: n }, alert, cause.now);
}
