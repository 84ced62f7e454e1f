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
import { alarmText, type Section } from './runbook.ts';
import type { Stage } from './stages.ts';
import { THRESHOLDS } from './thresholds.ts';

export type AlarmsProps = {
  readonly stage: Stage;
  readonly measures: Measures;
  readonly topic: ITopic;
};

/** A state of the stack that operators must know. */
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
  /** An event, not a state: no OK is sent. */
  readonly isEvent?: true;
  /** The entry of the runbook that makes its text. */
  readonly section: Section;
};

const MISSING = {
  wrong: TreatMissingData.BREACHING,
  unknown: TreatMissingData.IGNORE,
  well: TreatMissingData.NOT_BREACHING,
} as const;

/** The alarms of the stack. The text of each comes from the runbook. */
export class Alarms extends Construct {
  readonly all: IAlarm[] = [];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { measures } = props;
    const warn = (place: Construct, name: string, warning: Warning) =>
      this.warn(props, place, name, warning);
    this.ofThePolls(props, measures, warn);
    this.ofTheAlerts(measures, warn);
    for (const queue of measures.queues) this.ofAQueue(measures, queue, warn);
    for (const lambda of measures.functions) this.ofAFunction(measures, lambda, warn);
    this.ofTheRest(measures, warn);
  }

  private ofThePolls({ stage }: AlarmsProps, { own }: Measures, warn: Warn): void {
    warn(this, 'NoTicks', {
      metric: own('Ticks', 'Sum', Duration.minutes(1)),
      threshold: 1,
      below: true,
      periods: [THRESHOLDS.withoutTicksMinutes, THRESHOLDS.withoutTicksMinutes],
      missing: 'wrong',
      section: 'No ticks',
    });
    warn(this, 'UpstreamDenied', {
      metric: own('UpstreamDenied', 'Maximum'),
      threshold: 1,
      missing: 'unknown',
      section: 'Upstream denied',
    });
    if (stage.upstreamKeyEndsAt !== undefined) {
      warn(this, 'UpstreamKeyEnds', {
        metric: own('UpstreamKeyLeft', 'Maximum'),
        threshold: Duration.hours(THRESHOLDS.keyEndsWithinHours).toSeconds(),
        below: true,
        missing: 'unknown',
        section: 'Upstream key ends',
      });
    }
    for (const used of ['DayBudgetUsed', 'MonthBudgetUsed'] as const) {
      warn(this, used, {
        metric: own(used, 'Maximum'),
        threshold: THRESHOLDS.budgetPercent,
        missing: 'unknown',
        section: 'Upstream budget',
      });
    }
    warn(this, 'DataAge', {
      metric: own('FreshestDataAge', 'Maximum'),
      threshold: Duration.hours(THRESHOLDS.dataAgeHours).toSeconds(),
      periods: [3, 3],
      missing: 'unknown',
      section: 'Data age',
    });
    warn(this, 'ContractsSilent', {
      metric: own('ContractsSilent', 'Maximum'),
      threshold: THRESHOLDS.silentPercent,
      periods: [3, 3],
      missing: 'unknown',
      section: 'Data age',
    });
  }

  private ofTheAlerts({ own }: Measures, warn: Warn): void {
    warn(this, 'WorkOverdue', {
      metric: own('WorkOverdue', 'Maximum'),
      threshold: Duration.minutes(THRESHOLDS.overdueMinutes).toSeconds(),
      periods: [2, 2],
      missing: 'unknown',
      section: 'Overdue work',
    });
    warn(this, 'AlertsLate', {
      metric: own('AlertsLate', 'Sum'),
      threshold: 1,
      missing: 'well',
      isEvent: true,
      section: 'Late alerts',
    });
    warn(this, 'OperatorAlertsGivenUp', {
      metric: own('OperatorAlertsGivenUp', 'Sum'),
      threshold: 1,
      missing: 'well',
      isEvent: true,
      section: 'Operators without alerts',
    });
    warn(this, 'MessagesFailed', {
      metric: own('MessagesFailed', 'Sum'),
      threshold: 1,
      periods: [3, 3],
      missing: 'well',
      section: 'Failing messages',
    });
    warn(this, 'BrokenItems', {
      metric: own('BrokenItems', 'Sum'),
      threshold: 1,
      missing: 'unknown',
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
      section: 'Queue age',
    });
    warn(place, 'DeadLetters', {
      metric: measures.depthOf(deadLetters),
      threshold: 1,
      missing: 'well',
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
      section: 'Function errors',
    });
    warn(place, 'Throttles', {
      metric: measures.of(lambda, 'Throttles', 'Sum'),
      threshold: 1,
      periods: [2, 3],
      missing: 'well',
      section: 'Function throttles',
    });
  }

  private ofTheRest(measures: Measures, warn: Warn): void {
    warn(this, 'MissedTicks', {
      metric: measures.depthOf(measures.missedTicks),
      threshold: 1,
      missing: 'well',
      section: 'Missed ticks',
    });
    warn(this, 'ApiErrors', {
      metric: measures.ofApi('5XXError', 'Average'),
      threshold: 0.05,
      periods: [3, 3],
      missing: 'well',
      section: 'Errors of the interface',
    });
    for (const [name, metric] of Object.entries(measures.throttlesOfTable)) {
      warn(this, name, {
        metric,
        threshold: 1,
        periods: [2, 3],
        missing: 'well',
        section: 'Table throttles',
      });
    }
  }

  private warn({ stage, topic }: AlarmsProps, place: Construct, id: string, warning: Warning) {
    const { metric, threshold, section, periods: [wrong, of] = [1, 1] } = warning;
    const name = place === this ? id : `${place.node.id}${id}`;
    const alarm = new Alarm(place, id, {
      alarmName: `floorwatch-${stage.name}-${name}`,
      alarmDescription: alarmText(section),
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
