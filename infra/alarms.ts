import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarm,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ActorQueue } from './actor-queue.ts';
import type { MeasuredFunction, Measures } from './measures.ts';
import type { Stage } from './stages.ts';
import { RUNBOOK, THRESHOLDS } from './thresholds.ts';

export type AlarmsProps = {
  readonly stage: Stage;
  readonly measures: Measures;
  readonly topic: ITopic;
};

/** A state of the stack that somebody must know of. */
type Warning = {
  readonly metric: IMetric;
  /** It is wrong from here on; for `NoTicks` below. */
  readonly threshold: number;
  readonly below?: true;
  /** So many of the last periods must be wrong; one of one if left out. */
  readonly periods?: readonly [wrong: number, of: number];
  /**
   * What no value means: `unknown` leaves the alarm as it was, since the lack has an alarm of its
   * own (`NoTicks`); `well` is for what has values only when something happens.
   */
  readonly missing: 'wrong' | 'unknown' | 'well';
  /** What has happened cannot end: only of what lasts the end is reported, too. */
  readonly isEvent?: true;
  /** What the person hears whom it wakes, before where the rest is to be read. */
  readonly text: string;
  /** The heading in the runbook that says what to look at and what to do. */
  readonly section: string;
};

const MISSING = {
  wrong: TreatMissingData.BREACHING,
  unknown: TreatMissingData.IGNORE,
  well: TreatMissingData.NOT_BREACHING,
} as const;

/** What wakes somebody. Each alarm says what is wrong, and which section of the runbook to open. */
export class Alarms extends Construct {
  readonly all: IAlarm[] = [];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { measures } = props;
    const warn = (place: Construct, name: string, warning: Warning) =>
      this.warn(props, place, name, warning);
    this.ofThePolls(measures, warn);
    this.ofTheAlerts(measures, warn);
    for (const queue of measures.queues) this.ofAQueue(measures, queue, warn);
    for (const lambda of measures.functions) this.ofAFunction(measures, lambda, warn);
    this.ofTheRest(measures, warn);
  }

  private ofThePolls({ own }: Measures, warn: Warn): void {
    warn(this, 'NoTicks', {
      metric: own('Ticks', 'Sum', Duration.minutes(1)),
      threshold: 1,
      below: true,
      periods: [THRESHOLDS.withoutTicksMinutes, THRESHOLDS.withoutTicksMinutes],
      missing: 'wrong',
      text: 'No round of work was finished for five minutes: nothing is polled, nothing that is due is sent again.',
      section: 'No ticks',
    });
    warn(this, 'UpstreamDenied', {
      metric: own('UpstreamDenied', 'Maximum'),
      threshold: 1,
      missing: 'unknown',
      text: 'The data provider refuses our key, or its quota is used up: no price is learned of until that ends.',
      section: 'Upstream denied',
    });
    const budget = (used: 'DayBudgetUsed' | 'MonthBudgetUsed', span: string) =>
      warn(this, used, {
        metric: own(used, 'Maximum'),
        threshold: THRESHOLDS.budgetPercent,
        missing: 'unknown',
        text: `Four fifths of the ${span}'s budget for the data provider are spent; with all of it spent, polls wait for the next ${span}.`,
        section: 'Upstream budget',
      });
    budget('DayBudgetUsed', 'day');
    budget('MonthBudgetUsed', 'month');
    warn(this, 'DataAge', {
      metric: own('FreshestDataAge', 'Maximum'),
      threshold: Duration.hours(THRESHOLDS.dataAgeHours).toSeconds(),
      periods: [3, 3],
      missing: 'unknown',
      text: 'The newest floor of all watched contracts is older than six hours: either nothing is asked, or the provider reports nothing new.',
      section: 'Data age',
    });
    warn(this, 'ContractsSilent', {
      metric: own('ContractsSilent', 'Maximum'),
      threshold: THRESHOLDS.silentPercent,
      periods: [3, 3],
      missing: 'unknown',
      text: 'Nothing usable was reported of half of the watched contracts for an hour.',
      section: 'Data age',
    });
  }

  private ofTheAlerts({ own }: Measures, warn: Warn): void {
    warn(this, 'WorkOverdue', {
      metric: own('WorkOverdue', 'Maximum'),
      threshold: Duration.minutes(THRESHOLDS.overdueMinutes).toSeconds(),
      periods: [2, 2],
      missing: 'unknown',
      text: 'An outbox with alerts, a change of a list or a channel has waited for ten minutes to be looked after.',
      section: 'Overdue work',
    });
    warn(this, 'AlertsLate', {
      metric: own('AlertsLate', 'Sum'),
      threshold: 1,
      missing: 'well',
      isEvent: true,
      text: 'Alerts were reported late: of prices that were old when we saw them, or minutes after they were made.',
      section: 'Late alerts',
    });
    warn(this, 'MessagesFailed', {
      metric: own('MessagesFailed', 'Sum'),
      threshold: 1,
      periods: [3, 3],
      missing: 'well',
      text: 'For a quarter of an hour messages of our queues could not be handled. They come again, four times at most.',
      section: 'Failing messages',
    });
    warn(this, 'BrokenItems', {
      metric: own('BrokenItems', 'Sum'),
      threshold: 1,
      missing: 'unknown',
      text: 'Something in the table cannot be read or evaluated: whoever waits for it hears nothing.',
      section: 'Broken items',
    });
  }

  private ofAQueue(measures: Measures, { node, queue, deadLetters }: ActorQueue, warn: Warn): void {
    const place = new Construct(this, node.id);
    warn(place, 'QueueAge', {
      metric: measures.ageOf(queue),
      threshold: Duration.minutes(5).toSeconds(),
      periods: [2, 2],
      missing: 'well',
      text: `A message has waited in the queue ${node.id} for five minutes; after fifteen it vanishes, and is sent again when it is due.`,
      section: 'Queue age',
    });
    warn(place, 'DeadLetters', {
      metric: measures.depthOf(deadLetters),
      threshold: 1,
      missing: 'well',
      text: `A message of the queue ${node.id} was given up after four tries: that is a bug.`,
      section: 'Dead letters',
    });
  }

  private ofAFunction(measures: Measures, { node, lambda }: MeasuredFunction, warn: Warn): void {
    const place = new Construct(this, node.id);
    warn(place, 'Errors', {
      metric: measures.of(lambda, 'Errors', 'Sum'),
      threshold: 1,
      periods: [2, 3],
      missing: 'well',
      text: `The function ${node.id} failed: it threw, ran out of time or memory, or could not start.`,
      section: 'Function errors',
    });
    warn(place, 'Throttles', {
      metric: measures.of(lambda, 'Throttles', 'Sum'),
      threshold: 1,
      periods: [2, 3],
      missing: 'well',
      text: `The function ${node.id} was not started, since the account runs as many functions at once as it may.`,
      section: 'Function throttles',
    });
  }

  private ofTheRest(measures: Measures, warn: Warn): void {
    warn(this, 'MissedTicks', {
      metric: measures.depthOf(measures.missedTicks),
      threshold: 1,
      missing: 'well',
      text: 'A tick could not be delivered or failed. The next one has caught up with it.',
      section: 'Missed ticks',
    });
    warn(this, 'ApiErrors', {
      metric: measures.ofApi('5XXError', 'Average'),
      threshold: 0.05,
      periods: [3, 3],
      missing: 'well',
      text: 'One of twenty requests to the interface, or more, was answered with a 5xx for a quarter of an hour: by a fault of ours, or one of the data provider that is passed on.',
      section: 'Errors of the interface',
    });
    for (const [name, metric] of Object.entries(measures.throttlesOfTable)) {
      warn(this, name, {
        metric,
        threshold: 1,
        periods: [2, 3],
        missing: 'well',
        text: 'The table refuses reads or writes: more is asked of it, or of one of its partitions, than it takes.',
        section: 'Table throttles',
      });
    }
  }

  private warn({ stage, topic }: AlarmsProps, place: Construct, id: string, warning: Warning) {
    const { metric, threshold, text, section, periods: [wrong, of] = [1, 1] } = warning;
    const name = place === this ? id : `${place.node.id}${id}`;
    const alarm = new Alarm(place, id, {
      alarmName: `floorwatch-${stage.name}-${name}`,
      alarmDescription: `${text} Runbook: ${RUNBOOK}, "${section}".`,
      metric,
      threshold,
      comparisonOperator: warning.below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: wrong,
      evaluationPeriods: of,
      treatMissingData: MISSING[warning.missing],
    });
    const action = new SnsAction(topic);
    alarm.addAlarmAction(action);
    if (!warning.isEvent) alarm.addOkAction(action);
    this.all.push(alarm);
  }
}

type Warn = (place: Construct, name: string, warning: Warning) => void;
