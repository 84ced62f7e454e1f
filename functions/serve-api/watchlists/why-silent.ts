import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import {
  comparisonInWords,
  HAS_ENDED,
  type MeasuredClause,
  WAITS_FOR_MOVE,
} from '#shared/domain/evaluation/measured-clause.ts';
import { endBefore, nextStep, type Watch, wakeAt } from '#shared/domain/evaluation/watch.ts';
import type { WatchHealth } from '#shared/domain/evaluation/watch-health.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { unitShown, windowOf } from '#shared/domain/metrics/metric.ts';
import { valueInWords } from '#shared/domain/metrics/value-text.ts';
import { recoveryText } from '#shared/domain/rules/clause.ts';
import { isBeyond } from '#shared/domain/rules/condition.ts';
import type { Mute } from '#shared/domain/watchlists/mute.ts';

/** Facts that explain the silence of a watch, in addition to its own state. */
export type Circumstances = {
  readonly readings: readonly MeasuredClause[];
  readonly health: Pick<WatchHealth, 'state' | 'reason'>;
  readonly mute: Pick<Mute, 'until' | 'episodes'> | undefined;
  readonly acknowledgement: Acknowledgement | undefined;
};

/** Explains for people why a watch does not send an alert now, in one to four sentences. */
export function whySilent(watch: Watch, circumstances: Circumstances): string {
  const reason = reasonOf(watch, circumstances);
  return watch.admin === 'enabled' ? [reason, ...whatElse(watch, circumstances)].join(' ') : reason;
}

function reasonOf(watch: Watch, circumstances: Circumstances): string {
  const { readings, health } = circumstances;
  if (watch.admin === 'paused') return 'The rule is paused: `enabled` is false.';
  if (watch.admin === 'expired') {
    return `The rule expired on ${moment(watch.expiresAt)}: \`expiresAt\` has passed.`;
  }
  switch (watch.state) {
    case 'unknown':
      if (health.state === 'waiting') return `No data yet: ${health.reason}.`;
      return health.state === 'disputed'
        ? `The rule cannot start: ${health.reason}.`
        : `The rule starts at the first successful poll after ${moment(watch.since)}.`;
    case 'ok':
      return resting(readings, health);
    case 'disarmed':
      return 'The condition already held when the rule started. The rule waits for a new crossing, because `arm` is `cross`.';
    case 'pending':
      return pending(watch);
    case 'firing':
      return firing(watch, circumstances);
    case 'recovering':
      return `The recovery condition has been met since ${moment(watch.stateSince)}. The episode ends if that holds until ${moment(wakeAt(watch))}.`;
    case 'ended':
      return HAS_ENDED;
  }
}

function resting(readings: readonly MeasuredClause[], health: Circumstances['health']): string {
  const measured = readings.flatMap((reading) =>
    reading.measured.kind === 'value' ? [{ ...reading, value: reading.measured.value }] : [],
  );
  const unmet = measured.filter(({ condition, value }) => !isBeyond(condition, value));
  const [first] = unmet;
  if (first?.condition.when === 'crosses') {
    return `${comparisonInWords(first, first.value)}. The rule fires when the value crosses the threshold.`;
  }
  if (first !== undefined && readings.length > 1) {
    return `At least one of the ${readings.length} conditions does not hold: ${comparisonInWords(first, first.value)}.`;
  }
  if (first !== undefined) return `${comparisonInWords(first, first.value)}.`;
  if (measured.length < readings.length) {
    return `There is no value to compare: ${health.reason ?? 'the metric has no value now'}.`;
  }
  return first === undefined && measured.some(({ metric }) => windowOf(metric) !== undefined)
    ? `The condition holds only because the window has moved, not the price: ${WAITS_FOR_MOVE}.`
    : 'The newest value meets the condition, but has not been evaluated yet.';
}

function pending(watch: Watch): string {
  const { stateSince, recentSamples, ruleCondition } = watch;
  if (recentSamples === undefined || ruleCondition.confirm === undefined) {
    const end = endBefore(watch, wakeAt(watch));
    const next =
      end === undefined
        ? `The rule fires if it holds until ${moment(wakeAt(watch))}.`
        : `The rule expires on ${moment(end)}, before it has held long enough.`;
    return `The condition has held since ${moment(stateSince)}. ${next}`;
  }
  const { times, of } = ruleCondition.confirm;
  const confirmed = recentSamples.filter(({ beyond }) => beyond).length;
  return `The rule has ${confirmed} of ${times} confirmations among the last ${of} observations.`;
}

/** Explains an open episode: when it fired, and which event sends the next alert. */
function firing(watch: Watch, { mute, acknowledgement }: Circumstances): string {
  const { ruleCondition, repeatPolicy, presentation, firedAt } = watch;
  const { metric, unit, condition, also } = ruleCondition;
  const recovery = also === undefined ? recoveryText(condition, metric, unit) : undefined;
  const step = nextStep(watch);
  const isAwaitingEnd = mute?.episodes !== undefined;
  const next = [
    ...(presentation.notifyRecovery ? [`the rule recovers${recovery ? ` ${recovery}` : ''}`] : []),
    ...(step === undefined || isAwaitingEnd || acknowledgement?.silences === 'worsening'
      ? []
      : [
          `the value moves further ${condition.when} the threshold, to ${valueInWords(metric, formatDecimal(step), unitShown(metric, unit))}`,
        ]),
    ...(repeatPolicy.reminder === undefined || isAwaitingEnd || acknowledgement !== undefined
      ? []
      : [`the next reminder is due (${moment(wakeAt(watch))})`]),
  ];
  const measured =
    mute === undefined
      ? `The rule fired on ${moment(firedAt)} and sent an alert.`
      : `The rule fired on ${moment(firedAt)}.`;
  return next.length === 0
    ? `${measured} No alert is sent when the rule recovers, because \`notifyRecovery\` is false.`
    : `${measured} The next alert is sent when ${next.join(', or when ')}.`;
}

function whatElse(
  { state }: Watch,
  { health, mute, acknowledgement }: Circumstances,
): readonly string[] {
  const isUnsound =
    health.state === 'stale' || (health.state === 'disputed' && state !== 'unknown');
  return [
    ...(mute === undefined ? [] : [muted(mute)]),
    ...(acknowledgement === undefined
      ? []
      : [
          `${acknowledgement.silences === 'worsening' ? 'Its reminders and worsening alerts are' : 'Its reminders are'} silenced, because the episode was acknowledged on ${moment(acknowledgement.at)}.`,
        ]),
    ...(isUnsound && state !== 'ended' ? [`The data are ${health.state}: ${health.reason}.`] : []),
  ];
}

function muted({ until, episodes }: NonNullable<Circumstances['mute']>): string {
  return episodes === undefined
    ? `The rule is muted: its alerts are held until ${moment(until)}.`
    : `The rule is muted until its episode ends, or until ${moment(until)} at the latest: alerts of the episode are held, but the recovery alert is sent.`;
}

function moment(instant: Instant | undefined): string {
  return instant === undefined ? 'an unknown time' : formatInstant(instant);
}
