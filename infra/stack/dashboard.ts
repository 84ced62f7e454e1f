import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Color,
  Dashboard,
  GraphWidget,
  type GraphWidgetProps,
  type IAlarm,
  type IMetric,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Measures } from './measures.ts';
import type { Stage } from './stages.ts';
import { THRESHOLDS } from './thresholds.ts';

export type StackDashboardProps = {
  readonly stage: Stage;
  readonly measures: Measures;
  readonly alarms: readonly IAlarm[];
};

const WIDTH = 24;
const NUMBER_WIDTH = 6;

/** One page about the state of the stack; each row answers a question. */
export class StackDashboard extends Construct {
  readonly dashboardName: string;

  constructor(scope: Construct, id: string, { stage, measures, alarms }: StackDashboardProps) {
    super(scope, id);
    this.dashboardName = `floorwatch-${stage.name}`;
    const dashboard = new Dashboard(this, 'Page', {
      dashboardName: this.dashboardName,
      defaultInterval: Duration.hours(12),
    });
    dashboard.addWidgets(
      new SingleValueWidget({
        title: `Alerts delivered within a minute, percent (objective: ${THRESHOLDS.inTimePercent})`,
        metrics: [measures.ofDelivered('100 * (1 - late / delivered)', 'within a minute')],
        start: '-P28D',
        setPeriodToTimeRange: true,
        fullPrecision: true,
        width: NUMBER_WIDTH,
        height: 5,
      }),
      new AlarmStatusWidget({
        title: 'Alarms',
        width: WIDTH - NUMBER_WIDTH,
        height: 5,
        alarms: [...alarms],
      }),
    );
    for (const { question, graphs } of rows(measures)) {
      dashboard.addWidgets(new TextWidget({ markdown: `## ${question}`, width: WIDTH, height: 1 }));
      const width = WIDTH / graphs.length;
      dashboard.addWidgets(...graphs.map((graph) => new GraphWidget({ ...graph, width })));
    }
  }
}

type Row = { readonly question: string; readonly graphs: readonly GraphWidgetProps[] };

function rows(measures: Measures): readonly Row[] {
  const { own, of, ofApi, ofTable, queues, functions, missedTicks } = measures;
  const ofEach = (metricName: string, statistic: 'Sum' | 'p95') =>
    functions.map(({ node, lambda }) => of(lambda, metricName, statistic).with({ label: node.id }));
  return [
    {
      question: 'Is the work done every minute?',
      graphs: [
        graph('Ticks in five minutes', [own('Ticks', 'Sum')]),
        graph('Postponed polls', [own('PollsPutOff', 'Sum')]),
        graph('Contracts watched', [own('ContractsWatched', 'Maximum')]),
        graph('Overdue work, seconds', [own('WorkOverdue', 'Maximum')]),
      ],
    },
    {
      question: 'How does the data provider respond, and what does it cost?',
      graphs: [
        graph(
          'Calls by outcome',
          CALLS.map((call) => own(call, 'Sum')),
          { stacked: true },
        ),
        graph('Budget used, percent', [own('BudgetUsed', 'Maximum')], {
          leftAnnotations: [{ value: THRESHOLDS.budgetPercent, color: Color.RED, label: 'alarm' }],
        }),
        graph('Minutes between polls', [own('Cadence', 'Maximum')]),
        graph('Access denied (1 means yes)', [own('UpstreamDenied', 'Maximum')]),
        graph('Time until the key expires, seconds', [own('UpstreamKeyLeft', 'Maximum')]),
      ],
    },
    {
      question: 'How old is the data?',
      graphs: [
        graph('Age of the newest floor, seconds', [own('FreshestDataAge', 'Maximum')]),
        graph('Contracts without usable responses, percent', [own('ContractsSilent', 'Maximum')]),
        graph('Broken items', [own('BrokenItems', 'Sum')]),
        graph('Records skipped', [own('RecordsSkipped', 'Sum')]),
      ],
    },
    {
      question: 'Do alerts reach people in time?',
      graphs: [
        graph('Alerts', [
          own('AlertsMade', 'Sum'),
          own('AlertsDelivered', 'Sum'),
          own('AlertsGivenUp', 'Sum'),
        ]),
        graph('Alerts delivered after more than a minute', [own('AlertsLate', 'Sum')]),
        graph('Failed attempts to send a notification', [own('SendsFailed', 'Sum')]),
      ],
    },
    {
      question: 'Do queues grow?',
      graphs: [
        graph(
          'Age of the oldest message, seconds',
          queues.map(({ node, queue }) => measures.ageOf(queue).with({ label: node.id })),
        ),
        graph(
          'Waiting messages',
          queues.map(({ node, queue }) => measures.depthOf(queue).with({ label: node.id })),
        ),
        graph('Dead letters and missed ticks', [
          ...queues.map(({ node, deadLetters }) =>
            measures.depthOf(deadLetters).with({ label: node.id }),
          ),
          measures.depthOf(missedTicks).with({ label: 'MissedTicks' }),
        ]),
      ],
    },
    {
      question: 'Are the functions healthy?',
      graphs: [
        graph('Errors', ofEach('Errors', 'Sum')),
        graph('Redelivered messages', [own('MessagesFailed', 'Sum')]),
        graph('Duration, p95, milliseconds', ofEach('Duration', 'p95')),
        graph('Throttles', [...ofEach('Throttles', 'Sum'), ...measures.throttlesOfTable]),
      ],
    },
    {
      question: 'How does the API respond?',
      graphs: [
        graph('Errors', [ofApi('4XXError', 'Sum'), ofApi('5XXError', 'Sum')]),
        graph('Latency, milliseconds', [
          ofApi('Latency', 'p50').with({ label: 'p50' }),
          ofApi('Latency', 'p95').with({ label: 'p95' }),
        ]),
      ],
    },
    {
      question: 'What drives the bill?',
      graphs: [
        graph('API requests', [ofApi('Count', 'Sum')]),
        graph('Invocations', ofEach('Invocations', 'Sum'), { stacked: true }),
        graph('Total function duration, milliseconds', ofEach('Duration', 'Sum'), {
          stacked: true,
        }),
        graph('Table capacity, units', [
          ofTable('ConsumedReadCapacityUnits'),
          ofTable('ConsumedWriteCapacityUnits'),
        ]),
      ],
    },
  ];
}

const CALLS = [
  'CallsOk',
  'CallsEmpty',
  'CallsNotReady',
  'CallsNotFound',
  'CallsUnsupported',
  'CallsDenied',
  'CallsThrottled',
  'CallsFailed',
] as const;

function graph(
  title: string,
  left: IMetric[],
  more: Pick<GraphWidgetProps, 'stacked' | 'leftAnnotations'> = {},
): GraphWidgetProps {
  return { title, left, leftYAxis: { min: 0, showUnits: false }, ...more };
}
