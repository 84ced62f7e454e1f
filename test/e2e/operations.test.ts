import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { State } from '#infra/operate/status/find-troubles.ts';
import { METRICS } from '#shared/runtime/metrics.ts';
import { startLocalStack } from '#test/support/local-stack.ts';
import { operate } from '#test/support/operate.ts';

const Line = z.looseObject({
  function: z.string(),
  event: z.string(),
  trace: z.string().optional(),
  requestId: z.string().optional(),
  traces: z.array(z.string()).optional(),
  alerts: z.unknown().optional(),
  notification: z.string().optional(),
});
type Line = z.output<typeof Line>;

/** The functions that process an alert until its notification is sent. */
const ON_THE_WAY = ['run-contracts', 'deliver-messages'];

/**
 * The logs of the local stack until some alerts have reached their receivers, and its status then.
 */
async function someMinutes() {
  const minutes = ['--from', '2026-01-05T12:00Z', '--to', '2026-01-05T16:00Z', '--verbose'];
  await using stack = startLocalStack(minutes, 'log');
  let notifications = 0;
  let [url, apiKey] = ['', ''];
  for await (const event of stack.events) {
    if (event.event === 'ready') ({ url, apiKey } = event);
    if (event.event === 'notification') notifications += 1;
    if (notifications < 5) continue;
    const lines = stack.log().flatMap(lineOf);
    // The function that sent a notification may send more, and logs its handled messages only when
    // it is done.
    if (handledIn(lines, sentIn(lines)).size < ON_THE_WAY.length) continue;
    // The loop must read the status: the stack ends as soon as nobody reads its output.
    return { status: await statusOf(url), asked: await statusOf(url, apiKey), lines };
  }
  throw new Error('the stack ended before five notifications came');
}

/** The first notification that its receiver accepted, and whose alert is in the log. */
function sentIn(lines: readonly Line[]): Line | undefined {
  return lines.find(
    ({ event, notification }) =>
      event === 'message_accepted' && lines.some(({ alerts }) => isIn(alerts, notification)),
  );
}

/** The functions that have handled a message with the trace of this line. */
function handledIn(
  lines: readonly Line[],
  { trace = '' }: Partial<Line> = {},
): ReadonlySet<string> {
  const handled = lines.filter(({ traces }) => traces?.includes(trace));
  return new Set(handled.map((line) => line.function));
}

function lineOf(text: string): readonly Line[] {
  const [, json] = /^\[[a-z-]+\] (\{.*\})$/.exec(text) ?? [];
  return json === undefined ? [] : [Line.parse(JSON.parse(json))];
}

async function statusOf(url: string, key?: string) {
  const env = key === undefined ? {} : { FLOORWATCH_API_KEY: key };
  const { out, error, exit } = await operate(['status', '--url', url, '--json'], env);
  expect(error).toBe('');
  return { exit, reported: JSON.parse(out) };
}

describe('the stack of npm start', () => {
  let lines: readonly Line[];
  let status: Awaited<ReturnType<typeof statusOf>>;
  let asked: typeof status;
  beforeAll(async () => {
    ({ lines, status, asked } = await someMinutes());
  });

  it('one trace follows an alert from the tick to its notification', () => {
    const sent = sentIn(lines);
    const path = lines.filter(({ trace }) => trace === sent?.trace && trace !== undefined);

    expect(path.map(({ event }) => event)).toEqual(
      expect.arrayContaining([...['prices_polled', 'alerts_made', 'message_accepted']]),
    );
    const about = path.filter(({ alerts }) => isIn(alerts, sent?.notification));
    expect(about.map(({ event }) => event)).toEqual(['alerts_made']);
    expect(handledIn(lines, sent)).toEqual(new Set(ON_THE_WAY));
  });

  it('all metrics in the log are documented, with the stage as their only dimension', () => {
    const measured = lines.filter((line) => '_aws' in line);

    expect(measured).not.toHaveLength(0);
    for (const line of measured) {
      const { _aws, Stage } = Embedded.parse(line);
      const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
      expect({ Namespace, Dimensions, Stage }).toEqual({
        ...{ Namespace: 'floorwatch', Dimensions: [['Stage']], Stage: 'local' },
      });
      for (const { Name, Unit } of Metrics) {
        expect(METRICS).toHaveProperty(Name, Unit);
        expect(line[Name]).toBeTypeOf('number');
      }
    }
  });

  it('npm run operate -- status reports no problem of the local stack', () => {
    const { exit, reported } = status;

    // The troubles are compared first, because a failure of the next assertion would hide them.
    expect(reported.troubles).toEqual([]);
    expect({ exit, reported }).toMatchObject({
      ...{ exit: 0, reported: { healthy: true, table: { data: { silent: 0 } } } },
    });
    expect(reported.table.data.watched).toBeGreaterThan(0);
  });

  it('the status read from the API equals the status read from the table', () => {
    // Between the two requests, polls spend units and work becomes due.
    const steady = ({ operations }: typeof status.reported) => ({
      cadence: operations.cadence,
      limits: operations.providers.map(({ provider, budgets }: StatusProvider) => [
        provider,
        ...budgets.map(({ span, limit }) => [span, limit]),
      ]),
    });

    expect(status.reported.source.kind).toBe('table');
    expect(asked.reported.source).toEqual({ kind: 'interface', whyNoTable: null });
    expect(steady(asked.reported)).toEqual(steady(status.reported));
    expect(asked.reported.operations.queues).toHaveLength(3);
    expect(asked.reported.table.data.watched).toBe(status.reported.table.data.watched);
  });
});

type StatusProvider = State['operations']['providers'][number];

const Embedded = z.object({
  Stage: z.string(),
  _aws: z.object({
    Timestamp: z.number(),
    CloudWatchMetrics: z.tuple([
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string(), Unit: z.string() })),
      }),
    ]),
  }),
});

function isIn(alerts: unknown, notification: string | undefined): boolean {
  return Array.isArray(alerts) && alerts.includes(notification);
}
