import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  alarmText,
  RUNBOOK,
  RUNBOOK_PAGE,
  runbookPage,
  type Section,
} from '#infra/stack/runbook.ts';
import { METRICS } from '#shared/runtime/metrics.ts';
import {
  FULL_STAGE,
  type Resource,
  resourcesOf,
  synthesize,
  textOf,
} from '#test/infra/synthesized.ts';

const { operatorEmails, upstreamKeyEndsAt } = FULL_STAGE;
const template = synthesize(FULL_STAGE);
const alarms = Object.entries(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(
  ([path, { Properties }]) => ({
    name: path.replace('Monitoring/Alarms/', ''),
    ...Alarm().parse(Properties),
  }),
);
const SECTIONS = Object.keys(RUNBOOK) as Section[];
const byName = new Map(alarms.map((alarm) => [alarm.name, alarm]));
const functions = Object.keys(resourcesOf(template, 'AWS::Lambda::Function')).map((path) =>
  path.split('/').at(-2),
);

describe('alarms', () => {
  it('alarms exist for each known failure', () => {
    expect(alarms.map(({ name }) => name).toSorted()).toEqual(
      [
        ...['NoTicks', 'NoWakes', 'UpstreamDenied', 'UpstreamKeyEnds', 'BudgetUsed'],
        ...['DataAge', 'ContractsSilent', 'Contracts/QueueAge', 'WorkOverdue'],
        ...['LateFast', 'LateSlow', 'Canary', 'AlertsGivenUp', 'BrokenItems'],
        ...['Contracts/DeadLetters', 'Lists/DeadLetters', 'Channels/DeadLetters'],
        ...['Errors', 'Throttles', 'ApiErrors'],
      ].toSorted(),
    );
  });

  it('an alarm fires two days before the key of the upstream expires, if that key has an end', () => {
    const permanent = synthesize();
    const planner = resourcesOf(template, 'AWS::Lambda::Function')['Polling/PollPrices/Lambda'];

    expect(byName.get('UpstreamKeyEnds')).toMatchObject({
      MetricName: 'UpstreamKeyLeft',
      Threshold: 48 * 3600,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'ignore',
    });
    expect(JSON.stringify(planner)).toContain(`"UPSTREAM_KEY_ENDS_AT":"${upstreamKeyEndsAt}"`);
    expect(Object.keys(resourcesOf(permanent, 'AWS::CloudWatch::Alarm'))).not.toContain(
      'Monitoring/Alarms/UpstreamKeyEnds',
    );
  });

  it('the alarm NoTicks treats missing data as breaching, because each minute has a tick', () => {
    expect(byName.get('NoTicks')).toMatchObject({
      Namespace: 'floorwatch',
      MetricName: 'Ticks',
      Dimensions: [{ Name: 'Stage', Value: 'dev' }],
      Period: 60,
      Statistic: 'Sum',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      EvaluationPeriods: 5,
      TreatMissingData: 'breaching',
    });
  });

  it('alarms ignore missing data of gauges, and treat missing data of failure metrics as not breaching', () => {
    const missing = (name: string) => byName.get(name)?.TreatMissingData;

    for (const gauge of ['BudgetUsed', 'DataAge']) expect(missing(gauge)).toBe('ignore');
    for (const trouble of ['UpstreamDenied', 'ContractsSilent', 'WorkOverdue', 'BrokenItems']) {
      expect(missing(trouble)).toBe('notBreaching');
    }
  });

  it('alarms use only metrics that the functions write', () => {
    const own = alarms.filter(({ Namespace }) => Namespace === 'floorwatch');

    expect(own).not.toHaveLength(0);
    for (const { MetricName } of own) expect(Object.keys(METRICS)).toContain(MetricName);
  });

  it.each([
    { name: 'UpstreamDenied', Threshold: 1 },
    { name: 'BudgetUsed', Threshold: 80 },
    { name: 'DataAge', Threshold: 6 * 3600 },
    { name: 'WorkOverdue', Threshold: 600 },
    { name: 'Lists/DeadLetters', Threshold: 1 },
    { name: 'ApiErrors', Threshold: 0.05 },
  ])('the alarm $name fires at $Threshold', ({ name, Threshold }) => {
    expect(byName.get(name)).toMatchObject({
      Threshold,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
  });

  it('each alarm about a queue monitors that queue', () => {
    const queueOf = (name: string) =>
      byName.get(name)?.Dimensions?.map(({ Value }) => textOf(template, Value));

    expect(queueOf('Lists/DeadLetters')).toEqual(['Alerting/Lists/DeadLetters']);
    expect(queueOf('Contracts/QueueAge')).toEqual(['Polling/Contracts/Queue']);
  });

  it('alarms use a single metric each, except those with a formula, because each metric is billed', () => {
    const formulas = alarms.filter(({ MetricName }) => MetricName === undefined);

    expect(formulas.map(({ name }) => name)).toEqual(['NoWakes', 'LateFast', 'LateSlow']);
  });

  it.each([
    { late: 0, delivered: 1, rings: [] },
    { late: 1, delivered: 1, rings: [] },
    { late: 2, delivered: 2, rings: [] },
    { late: 3, delivered: 3, rings: ['LateFast', 'LateSlow'] },
    { late: 3, delivered: 42, rings: ['LateSlow'] },
    { late: 3, delivered: 100, rings: ['LateSlow'] },
    { late: 3, delivered: 101, rings: [] },
    { late: 7_200, delivered: 100_000, rings: ['LateFast', 'LateSlow'] },
    { late: 2_999, delivered: 100_000, rings: [] },
  ])(
    '$late late alerts among $delivered delivered alerts trigger the alarms $rings',
    ({ late, delivered, rings }) => {
      const IF = (condition: boolean, then: number, otherwise: number) =>
        condition ? then : otherwise;
      const ringing = alarms.filter(({ Metrics = [], Threshold }) =>
        Metrics.some(
          ({ Expression }) =>
            Expression?.includes('late') === true &&
            Number(runInNewContext(Expression, { IF, late, delivered })) >= Threshold,
        ),
      );

      expect(ringing.map(({ name }) => name)).toEqual(rings);
    },
  );

  it.each([
    { name: 'LateFast', hours: 1 },
    { name: 'LateSlow', hours: 6 },
  ])(
    'the alarm $name evaluates the late and delivered alerts of the last $hours hours, and is OK without data',
    ({ name, hours }) => {
      const { Metrics = [], ...alarm } = byName.get(name) ?? {};
      const looked = Metrics.flatMap(({ Id, MetricStat }) =>
        MetricStat ? [[Id, MetricStat]] : [],
      );
      const sumOf = (MetricName: string) =>
        expect.objectContaining({
          Metric: expect.objectContaining({ Namespace: 'floorwatch', MetricName }),
          Period: hours * 3600,
          Stat: 'Sum',
        });

      expect(alarm).toMatchObject({ EvaluationPeriods: 1, TreatMissingData: 'notBreaching' });
      expect(Object.fromEntries(looked)).toEqual({
        late: sumOf('AlertsLate'),
        delivered: sumOf('AlertsDelivered'),
      });
    },
  );

  it('the name of an alarm contains its stage', () => {
    for (const { AlarmName } of alarms) expect(AlarmName).toMatch(/^floorwatch-dev-[A-Za-z]+$/);
    expect(new Set(alarms.map(({ AlarmName }) => AlarmName)).size).toBe(alarms.length);
  });

  it('alarms page only for failures that users notice', () => {
    const topicOf = ({ AlarmActions }: { readonly AlarmActions: readonly unknown[] }) =>
      textOf(template, AlarmActions[0]);
    const pages = alarms.filter((alarm) => topicOf(alarm) === 'Monitoring/AlarmTopic');
    const tickets = alarms.filter((alarm) => topicOf(alarm) === 'Monitoring/TicketTopic');

    expect(pages.length + tickets.length).toBe(alarms.length);
    expect(pages.map(({ name }) => name).toSorted()).toEqual(
      [
        ...[
          'NoTicks',
          'NoWakes',
          'UpstreamDenied',
          'DataAge',
          'ContractsSilent',
          'Contracts/QueueAge',
        ],
        ...['WorkOverdue', 'LateFast', 'Canary', 'ApiErrors'],
      ].toSorted(),
    );
  });

  it('alarms also notify their topic when they return to OK, except alarms about single events', () => {
    const topics = (actions: readonly unknown[] = []) =>
      actions.map((action) => textOf(template, action));

    for (const { name, AlarmActions, OKActions } of alarms) {
      const isEvent = name === 'AlertsGivenUp';
      expect(topics(OKActions)).toEqual(isEvent ? [] : topics(AlarmActions));
    }
  });
});

describe('the runbook', () => {
  const sectionOf = ({ AlarmDescription }: { readonly AlarmDescription: string }) =>
    SECTIONS.find((section) => AlarmDescription === alarmText(section));
  const alarmsOf = new Map(
    SECTIONS.map((section) => [
      section,
      [
        ...new Set(
          alarms
            .filter((alarm) => sectionOf(alarm) === section)
            .map(({ name }) => name.replace(/^.*\//, '')),
        ),
      ],
    ]),
  );

  it('each alarm has a section in the runbook, and each section has an alarm', () => {
    expect(alarms.map(sectionOf)).not.toContain(undefined);
    for (const [section, names] of alarmsOf) expect(names, section).not.toEqual([]);
  });

  it('the generated runbook equals the committed page (npm test -- -u writes it)', async () => {
    await expect(runbookPage(alarmsOf)).toMatchFileSnapshot(`../../../${RUNBOOK_PAGE}`);
  });
});

describe.each(['AlarmTopic', 'TicketTopic'])('the topic %s', (name) => {
  const topic = resourcesOf(template, 'AWS::SNS::Topic')[`Monitoring/${name}`];

  it('alarm topics accept only alarms of this stage from CloudWatch, and only over TLS', () => {
    const policy = Object.values(resourcesOf(template, 'AWS::SNS::TopicPolicy')).find(
      ({ Properties }) => textOf(template, Properties.Topics[0]) === `Monitoring/${name}`,
    );
    const statements: Resource['Properties'][] = policy?.Properties.PolicyDocument.Statement ?? [];
    const [allows] = statements.filter(({ Effect }) => Effect === 'Allow');

    expect(allows).toMatchObject({
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
    });
    expect(textOf(template, allows?.Condition.ArnLike['aws:SourceArn'])).toMatch(
      /:alarm:floorwatch-dev-\*$/,
    );
    expect(statements.some(({ Effect, Condition }) => Effect === 'Deny' && Condition.Bool)).toBe(
      true,
    );
  });

  it("alarm topics do not use SNS's own key, because CloudWatch cannot publish with it", () => {
    expect(topic?.Properties).not.toHaveProperty('KmsMasterKeyId');
  });

  it('all operators subscribe to alarm topics', () => {
    const subscribed = Object.values(resourcesOf(template, 'AWS::SNS::Subscription')).filter(
      ({ Properties }) => textOf(template, Properties.TopicArn) === `Monitoring/${name}`,
    );

    expect(subscribed.map(({ Properties }) => Properties.Endpoint)).toEqual(operatorEmails);
  });
});

it('a stage has no dashboard by default', () => {
  expect(resourcesOf(synthesize(), 'AWS::CloudWatch::Dashboard')).toEqual({});
});

describe('the dashboard', () => {
  const [dashboard] = Object.values(resourcesOf(template, 'AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);

  it('the dashboard shows every metric of the functions', () => {
    const missing = Object.keys(METRICS).filter((metric) => !body.includes(`\\"${metric}\\"`));

    expect(missing).toEqual([]);
  });

  it('the dashboard starts with the percentage of alerts sent in time, as one number for the selected time range', () => {
    const first = body.slice(0, body.indexOf('\\"type\\":\\"alarm\\"'));

    expect(first).toContain('100 * (1 - late / delivered)');
    expect(first).toContain('\\"view\\":\\"singleValue\\"');
    expect(first).toContain('objective: 99.5');
    expect(first).toContain('\\"setPeriodToTimeRange\\":true');
  });

  it('the dashboard shows every function, every queue, the API and the table', () => {
    for (const name of [...functions, 'Contracts', 'Lists', 'Channels', 'MissedTicks']) {
      expect(body).toContain(`\\"label\\":\\"${name}\\"`);
    }
    for (const metric of ['5XXError', 'Latency', 'ConsumedWriteCapacityUnits']) {
      expect(body).toContain(`\\"${metric}\\"`);
    }
  });

  it('each row of the dashboard answers a question that the README about the status explains', () => {
    const questions = [...body.matchAll(/## ([^"\\]+)/g)].map(([, question = '']) => question);
    const readme = readFileSync('infra/operate/status/README.md', 'utf8');

    expect(questions).toHaveLength(8);
    for (const question of questions) expect(readme).toContain(`| ${question} |`);
  });
});

function Alarm() {
  return z.object({
    AlarmName: z.string(),
    AlarmDescription: z.string().max(1024),
    Namespace: z.string().optional(),
    MetricName: z.string().optional(),
    Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).optional(),
    Metrics: z
      .array(
        z.object({
          Id: z.string(),
          Expression: z.string().optional(),
          MetricStat: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .optional(),
    Period: z.number().optional(),
    Statistic: z.string().optional(),
    ComparisonOperator: z.string(),
    Threshold: z.number(),
    EvaluationPeriods: z.number(),
    DatapointsToAlarm: z.number(),
    TreatMissingData: z.string(),
    AlarmActions: z.array(z.unknown()),
    OKActions: z.array(z.unknown()).optional(),
  });
}
