import { useState } from 'preact/hooks';
import { endMutes, type Mute, splitMutes, WiderMute } from '#console/alerts/wider-mute.tsx';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { linkTo } from '#console/shell/place.ts';
import { amount, measuredAmount, percentage, shortAmount } from '#console/words/amounts.ts';
import { PlainWords } from '#console/words/plain-words.tsx';
import { ruleName } from '#console/words/rule-name.ts';
import { chosenEnd, mutedUntil, snoozedInWords } from '#console/words/snoozes.ts';
import { StatusWord } from '#console/words/status.tsx';
import {
  SNOOZE_CHOICES,
  type SnoozeChoice,
  snoozeInWords,
} from '#shared/domain/alerting/snooze-choice.ts';

export type FoundWatch = Answer<'GET /v1/watches'>['watches'][number];

type RuleCardProps = {
  readonly watch: FoundWatch;
  readonly onMoveLine: (() => void) | undefined;
  readonly onSaid: (said: string) => void;
};

/** A rule on the collection: its status with the reason, and the distance to its line. */
export function RuleCard({ watch, onMoveLine, onSaid }: RuleCardProps) {
  const [isSnoozing, setSnoozing] = useState(false);
  /** Wider mutes that still hold the rule's alerts after its snooze has ended. */
  const [wider, setWider] = useState<readonly Mute[]>([]);
  const { watchlist, rule, contract, metric, status, severity, value, unit, why } = watch;
  const [longest, ...shorter] = wider;
  const next = nextOf(watch);

  const isFiring = watch.state === 'firing' || watch.state === 'recovering';
  const snooze = async (choice: SnoozeChoice) => {
    setSnoozing(false);
    const outcome = await ask('POST /v1/watchlists/{watchlist}/mutes', {
      path: { watchlist },
      body: { rule, contract, ...chosenEnd(choice) },
    });
    if (outcome.kind === 'answered') onSaid(`${snoozedInWords(choice)}.`);
    else onSaid(problemOf(outcome, 'The rule was not snoozed')?.detail ?? '');
    refreshAll();
  };
  const end = async (mutes: readonly Mute[], left: readonly Mute[]) => {
    const problem = problemOf(await endMutes(watchlist, mutes), 'The snooze could not be ended');
    if (problem !== undefined) onSaid(problem.detail);
    else {
      setWider(left);
      if (left.length === 0) onSaid('The snooze has ended. The rule can send alerts again.');
    }
    refreshAll();
  };
  const wake = async () => {
    const known = await ask('GET /v1/watchlists/{watchlist}/mutes', { path: { watchlist } });
    if (known.kind !== 'answered') {
      onSaid(problemOf(known, 'The snooze could not be ended')?.detail ?? '');
      return;
    }
    const covering = known.answer.mutes.filter(
      (mute) =>
        (mute.rule ?? rule) === rule &&
        (mute.contract ?? contract) === contract &&
        (mute.severity ?? severity) === severity,
    );
    if (covering.length === 0) {
      onSaid('This rule is no longer muted. The rule can send alerts again.');
      refreshAll();
      return;
    }
    const mutes = splitMutes(covering);
    await end(mutes.narrow, mutes.wider);
  };

  return (
    <li class="panel rule-card">
      <div class="row spread title-line">
        <h3>{ruleName(watch)}</h3>
        <StatusWord status={status} />
      </div>
      <p class="figures">
        {value !== null && (
          <strong>
            {isTraded(metric) ? shortAmount(value, unit) : measuredAmount(value, unit)}
          </strong>
        )}
        {watch.distancePct !== null && !watch.distancePct.startsWith('-') && (
          <span>
            {percentage(watch.distancePct)} to {amount(watch.line ?? '', unit)}
          </span>
        )}
      </p>
      <p class="quiet small">
        <PlainWords text={why} />
      </p>
      {next !== undefined && <p class="small">Next: {next}</p>}
      {watch.mutedUntil !== null && (
        <p class="small">Snoozed {mutedUntil(watch.mutedUntil, watch.mutedUntilRecovered)}.</p>
      )}
      <div class="row actions">
        {onMoveLine !== undefined && (
          <button type="button" onClick={onMoveLine}>
            Move line
          </button>
        )}
        <a class="button" href={linkTo('collections', contract, 'rules', watchlist, rule)}>
          Edit
        </a>
        {watch.mutedUntil === null ? (
          <button type="button" aria-expanded={isSnoozing} onClick={() => setSnoozing(!isSnoozing)}>
            Snooze
          </button>
        ) : (
          <button type="button" onClick={() => void wake()}>
            End snooze
          </button>
        )}
        {isSnoozing &&
          SNOOZE_CHOICES.filter((choice) => isFiring || choice !== 'until-recovered').map(
            (choice) => (
              <button type="button" key={choice} onClick={() => void snooze(choice)}>
                {snoozeInWords(choice)}
              </button>
            ),
          )}
      </div>
      {longest !== undefined && watch.mutedUntil !== null && (
        <WiderMute
          watchlist={watchlist}
          mute={longest}
          onEnd={() => void end([longest], shorter)}
          onKeep={() => setWider([])}
        />
      )}
    </li>
  );
}

/** Whether a metric is a sum or an average of trades. */
function isTraded(metric: string): boolean {
  return /^(volume|average_price)\./.test(metric);
}

/**
 * The next event of the watch, for the text after "Next:". Undefined if the reason for the status
 * already states it.
 */
function nextOf(watch: FoundWatch): string | undefined {
  const { admin, state, direction, distance, line, unit, all, severity, when } = watch;
  const { threshold, waitsFor } = watch;
  if (admin === 'paused' || admin === 'expired') return 'no alerts. Edit the rule to resume it.';
  if (state === 'ended') return 'no more alerts. This rule fires only once.';
  if (state === 'disarmed') {
    if (threshold === null || all !== null) return undefined;
    const way = waitsFor.rising === null ? 'falls' : 'rises';
    return `the rule can fire after the value ${way} past ${amount(threshold, unit)}.`;
  }
  const isAhead = distance !== null && !/^-|^0(\.0*)?$/.test(distance);
  if (state !== 'ok' || !isAhead || direction === null || line === null) return undefined;
  const what = severity === 'critical' ? 'a critical alert' : `an alert (${severity})`;
  const joint = all === null ? '' : " and the rule's other conditions hold";
  const past = when === 'outside' ? 'past' : 'to';
  return `${what} when the value ${direction} ${past} ${amount(line, unit)}${joint}.`;
}
