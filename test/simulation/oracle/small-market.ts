import type { RuleDocument } from '#test/simulation/invariants/documents.ts';
import { follow } from './follow.ts';
import { type Instant, observe, type PricePoint } from './points.ts';
import { readRule } from './read-rule.ts';
import type { OracleRule } from './rule.ts';
import { type Answer, commit, createTimeline, recordedFloors } from './timeline.ts';
import type { ExpectedAlert, WatchState } from './watch.ts';

export const minute = (minutes: number): Instant => minutes * 60_000;

/** A price from whole tenths. */
export const tenths = (price: number): bigint => BigInt(Math.round(price)) * 10n ** 17n;

/** A floor at a minute, priced in tenths of ETH. */
export function floorAt(minutes: number, price: number, given: Partial<PricePoint> = {}) {
  return {
    ...{ kind: 'price' as const, time: minute(minutes), price: tenths(price), currency: 'eth' },
    ...given,
  };
}

/** The answer of a provider about floors at a minute; by default without a new floor. */
export function answerAt(minutes: number, given: Partial<Answer> = {}): Answer {
  return {
    ...{ asked: minute(minutes), answered: ['floor'], floors: [], sales: {}, isTimerDue: true },
    ...given,
  };
}

/** A rule with the defaults of a document. */
export function aRule(given: Partial<RuleDocument>): OracleRule {
  return readRule(aDocument(given));
}

export function aDocument(given: Partial<RuleDocument>): RuleDocument {
  return {
    ...{ id: 'rule', since: 1, on: '*', enabled: true, severity: 'warning', arm: 'level' },
    ...{ outliers: 'confirm', notifyRecovery: true, repeat: 'every', noData: 'keep' },
    ...given,
  };
}

/** Evaluates a watch over the answers of a contract without an earlier history. */
export function live(rule: OracleRule, watch: WatchState, answers: readonly Answer[]) {
  const alerts: ExpectedAlert[] = [];
  let timeline = createTimeline();
  let lived = watch;
  for (const answer of answers) {
    const { reading } = timeline;
    const committed = commit(timeline, answer);
    timeline = committed.timeline;
    const observations = observe(reading, committed.steps, recordedFloors(timeline));
    const followed = follow(rule, lived, observations);
    lived = followed.watch;
    alerts.push(...followed.alerts);
  }
  return { watch: lived, alerts };
}

/** Kind and data time in minutes of each alert. */
export function inShort(alerts: readonly ExpectedAlert[]): readonly string[] {
  return alerts.map(({ kind, time }) => `${kind} ${time / minute(1)}`);
}
