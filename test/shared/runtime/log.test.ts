import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { afterEach, expect, it, vi } from 'vitest';
import { createLog, type Log } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { withTrace } from '#shared/runtime/trace.ts';

afterEach(() => vi.restoreAllMocks());

/** The lines that a log writes. */
function written(work: (log: Log) => void): unknown[] {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  work(createLog('poll'));
  return lines.map((line) => JSON.parse(line));
}

it('logs each event as one line of JSON, with exact numbers and the causes of errors', () => {
  const error = new TypeError('no', { cause: new Error('because') });

  const lines = written((log) => {
    log.info('polled', { price: 10n ** 20n });
    log.error('failed', { error });
  });

  expect(lines).toMatchObject([
    { level: 'info', function: 'poll', event: 'polled', price: '100000000000000000000' },
    {
      level: 'error',
      event: 'failed',
      error: { name: 'TypeError', message: 'no', cause: { message: 'because' } },
    },
  ]);
});

it('adds the trace to each log line, if there is a trace', () => {
  const lines = written((log) => {
    withTrace('tick-1', () => log.info('polled'));
    log.info('polled');
  });

  expect(lines[0]).toMatchObject({ trace: 'tick-1' });
  expect(lines[1]).not.toHaveProperty('trace');
});

it('logs a report of a use case and passes it to the metrics', () => {
  const heard: unknown[] = [];

  const lines = written((log) => {
    const report = createReport<{ sold: { count: number }; bought: { count: number } }>(log, {
      sold: ({ count }) => heard.push(count),
    });
    report('sold', { count: 2 });
    report('bought', { count: 3 });
  });

  expect(heard).toEqual([2]);
  expect(lines).toMatchObject([
    { event: 'sold', count: 2 },
    { event: 'bought', count: 3 },
  ]);
});

it('writes the metrics of an invocation on its last line', async () => {
  const metrics = createMetrics('test', Date.now);
  const events: unknown[] = [];
  const handler = middy<string, void>()
    .use(logged({ info: (...line) => void events.push(line), error: () => {} }, metrics.flush))
    .handler(async () => metrics.measure('Ticks'));

  await handler('', { awsRequestId: 'r1' } as Context);

  expect(events).toEqual([
    ['invocation_finished', expect.objectContaining({ requestId: 'r1', Stage: 'test', Ticks: 1 })],
  ]);
});

it('hides secrets in a log by the names of members and by patterns, including in errors and their causes', () => {
  const canary = 'c4nary0123456789';
  const url = `https://hooks.slack.com/services/T0/B0/${canary}`;
  const cause = Object.assign(new Error(`POST ${url} failed`), { request: { url, body: canary } });
  const error = new AggregateError(
    [new Error(`key fw_${canary}`)],
    `sealed v2.0123abcd.${canary}.${canary}`,
    {
      cause,
    },
  );

  const lines = written((log) => {
    log.error('failed', {
      error,
      given: { 'X-API-Key': canary, secrets: [canary] },
      channel: 'chat',
    });
    log.info(`whsec_${canary}`, { kept: 'kept:1a2b3c4d', token: undefined });
  });

  expect(JSON.stringify(lines)).not.toContain(canary);
  expect(lines).toMatchObject([
    {
      channel: 'chat',
      given: { 'X-API-Key': '[hidden]', secrets: '[hidden]' },
      error: { cause: { message: 'POST https://hooks.slack.com/services/[hidden] failed' } },
    },
    { event: '[hidden]', kept: 'kept:1a2b3c4d' },
  ]);
  expect(lines[1]).not.toHaveProperty('token');
});

it.each([
  { ends: 'well', event: 'invocation_finished' },
  { ends: 'badly', event: 'invocation_failed' },
  { ends: 'with an error that was answered', event: 'invocation_finished' },
])(
  'logs the end of an invocation that ends $ends, and rethrows an error that was not answered',
  async ({ ends, event }) => {
    const events: unknown[] = [];
    const note = (...line: unknown[]) => void events.push(line);
    const handler = middy<string, string>()
      .use(logged({ info: note, error: note }))
      .use({
        onError: (request) => {
          if (ends !== 'badly') request.response = 'answered';
        },
      })
      .handler(async () => {
        if (ends !== 'well') throw new Error('no');
        return 'done';
      });

    const result = await handler('', { awsRequestId: 'r1' }).catch((error: Error) => error.message);

    expect(result).toBe({ well: 'done', badly: 'no' }[ends] ?? 'answered');
    expect(events).toEqual([
      [event, expect.objectContaining({ requestId: 'r1', milliseconds: expect.any(Number) })],
    ]);
  },
);
