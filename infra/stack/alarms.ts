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
import type { Measures } from './measures.ts';
import { alarmText, type Section } from './runbook.ts';
import type { Stage } from './stages.ts';
import { THRESHOLDS } from './thresholds.ts';

export type AlarmsProps = {
  readonly stage: Stage;
  readonly measures: Measures;
  readonly topics: Readonly<Record<Severity, ITopic>>;
};

export type Severity = 'page' | 'ticket';

/** A condition of the stack that operators must know about. */
type Warning = {
  readonly metric: IMetric;
  /**
   * The alarm fires if the metric is at or above this value; with `below`, if it is under this
   * value.
   */
  readonly threshold: number;
  readonly below?: true;
  /** The M of N periods that must breach the threshold; by default one of one. */
  readonly periods?: readonly [wrong: number, of: number];
  /**
   * How missing data affect the alarm. `wrong` counts them as a breach. `unknown` keeps the state
   * of the alarm, because `NoTicks` already reports a lack of data. `well` is for metrics that have
   * values only when something happens.
   */
  readonly missing: 'wrong' | 'unknown' | 'well';
  /** Reports an event, not a state, so no OK is sent. */
  readonly isEvent?: true;
  /**
   * A `page` is for failures that users notice, so it may wake an operator. A `ticket` can wait for
   * the morning.
   */
  readonly severity: Severity;
  /** The section of the runbook from which the text of the alarm is taken. */
  readonly section: Section;
};

const MISSING = {
  wrong: TreatMissingData.BREACHING,
  unknown: TreatMissingData.IGNORE,
  well: TreatMissingData.NOT_BREACHING,
} as const;

/** The alarms of the stack. The text of each alarm is taken from the runbook. */
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
    this.ofTheAccount(measures, warn);
  }

  private ofThePolls(
    { stage }: AlarmsProps,
    { own, successesOf, wakeWork }: Measures,
    warn: Warn,
  ): void {
    const minute = Duration.minutes(1);
    for (const [name, metric] of [
      ['NoTicks', own('Ticks', 'Sum', minute)],
      ['NoWakes', successesOf(wakeWork, minute)],
    ] as const) {
      warn(this, name, {
        metric,
        threshold: 1,
        below: true,
        periods: [THRESHOLDS.withoutTicksMinutes, THRESHOLDS.withoutTicksMinutes],
        missing: 'wrong',
        severity: 'page',
        section: 'No ticks',
      });
    }
    warn(this, 'UpstreamDenied', {
      metric: own('UpstreamDenied', 'Maximum'),
      threshold: 1,
      missing: 'well',
      severity: 'page',
      section: 'Upstream denied',
    });
    if (stage.upstreamKeyEndsAt !== undefined) {
      warn(this, 'UpstreamKeyEnds', {
        metric: own('UpstreamKeyLeft', 'Maximum'),
        threshold: Duration.hours(THRESHOLDS.keyEndsWithinHours).toSeconds(),
        below: true,
        missing: 'unknown',
        severity: 'ticket',
        section: 'Upstream key expires',
      });
    }
    warn(this, 'BudgetUsed', {
      metric: own('BudgetUsed', 'Maximum'),
      threshold: THRESHOLDS.budgetPercent,
      missing: 'unknown',
      severity: 'ticket',
      section: 'Upstream budget',
    });
    warn(this, 'DataAge', {
      metric: own('FreshestDataAge', 'Maximum'),
      threshold: Duration.hours(THRESHOLDS.dataAgeHours).toSeconds(),
      periods: [3, 3],
      missing: 'unknown',
      severity: 'page',
      section: 'Data age',
    });
    warn(this, 'ContractsSilent', {
      metric: own('ContractsSilent', 'Maximum'),
      threshold: THRESHOLDS.silentPercent,
      periods: [3, 3],
      missing: 'well',
      severity: 'page',
      section: 'Data age',
    });
  }

  private ofTheAlerts({ own, ofDelivered, canary }: Measures, warn: Warn): void {
    warn(this, 'WorkOverdue', {
      metric: own('WorkOverdue', 'Maximum'),
      threshold: Duration.minutes(THRESHOLDS.overdueMinutes).toSeconds(),
      periods: [2, 2],
      missing: 'well',
      severity: 'page',
      section: 'Overdue work',
    });
    const { burnRates, inTimePercent, lateAlerts, canaryAgeHours } = THRESHOLDS;
    for (const [name, { hours, rate }, severity] of [
      ['LateFast', burnRates.fast, 'page'],
      ['LateSlow', burnRates.slow, 'ticket'],
    ] as const) {
      warn(this, name, {
        metric: ofDelivered(
          `IF(late >= ${lateAlerts}, 100 * late / delivered, 0)`,
          'Late alerts, percent',
          Duration.hours(hours),
        ),
        threshold: rate * (100 - inTimePercent),
        missing: 'well',
        severity,
        section: 'Late alerts',
      });
    }
    warn(this, 'AlertsGivenUp', {
      metric: own('AlertsGivenUp', 'Sum'),
      threshold: 1,
      missing: 'well',
      isEvent: true,
      severity: 'ticket',
      section: 'Alerts given up',
    });
    warn(this, 'Canary', {
      metric: canary.metricNumberOfMessagesSent({ period: Duration.hours(1) }),
      threshold: 1,
      below: true,
      periods: [canaryAgeHours, canaryAgeHours],
      missing: 'wrong',
      severity: 'page',
      section: 'Canary',
    });
    warn(this, 'BrokenItems', {
      metric: own('BrokenItems', 'Sum'),
      threshold: 1,
      missing: 'well',
      severity: 'ticket',
      section: 'Broken items',
    });
  }

  private ofAQueue(measures: Measures, { node, queue, deadLetters }: ActorQueue, warn: Warn): void {
    const place = new Construct(this, node.id);
    // Work that passes through the other queues has timers, which `WorkOverdue` monitors.
    if (node.id === 'Contracts') {
      warn(place, 'QueueAge', {
        metric: measures.ageOf(queue),
        threshold: Duration.minutes(5).toSeconds(),
        periods: [2, 2],
        missing: 'well',
        severity: 'page',
        section: 'Queue age',
      });
    }
    warn(place, 'DeadLetters', {
      metric: measures.depthOf(deadLetters),
      threshold: 1,
      missing: 'well',
      severity: 'ticket',
      section: 'Dead letters',
    });
  }

  private ofTheAccount({ ofAllFunctions, ofApi }: Measures, warn: Warn): void {
    for (const [metric, section] of [
      ['Errors', 'Function errors'],
      ['Throttles', 'Function throttles'],
    ] as const) {
      warn(this, metric, {
        metric: ofAllFunctions(metric),
        threshold: 1,
        periods: [2, 3],
        missing: 'well',
        severity: 'ticket',
        section,
      });
    }
    warn(this, 'ApiErrors', {
      metric: ofApi('5XXError', 'Average'),
      threshold: 0.05,
      periods: [3, 3],
      missing: 'well',
      severity: 'page',
      section: 'API errors',
    });
  }

  private warn({ stage, topics }: AlarmsProps, place: Construct, id: string, warning: Warning) {
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
    const action = new SnsAction(topics[warning.severity]);
    alarm.addAlarmAction(action);
    if (!warning.isEvent) alarm.addOkAction(action);
    this.all.push(alarm);
  }
}

type Warn = (place: Construct, name: string, warning: Warning) => void;
