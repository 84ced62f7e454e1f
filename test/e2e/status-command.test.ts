import { startFauxqs } from 'fauxqs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { operate } from '#test/support/operate.ts';
import { anOperatorSns } from '#test/support/operator-sns.ts';
import { aStackTable, awsAt, DEPLOYED_TABLE } from '#test/support/stack-table.ts';

const OPERATORS = {
  'alarms-of-floorwatch-dev': { 'ops@example.com': 'confirmed' },
  'tickets-of-floorwatch-dev': { 'ops@example.com': 'confirmed' },
} as const;

async function someQueues(...names: readonly string[]) {
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  onTestFinished(() => server.stop());
  for (const name of names) server.createQueue(name);
  return server;
}

describe('npm run operate -- status', () => {
  it('npm run operate -- status reports a deployed stage without problems, and exits with 0', async () => {
    const { endpoint, client } = await aStackTable();
    const canary = 'canary-of-floorwatch-dev';
    const queues = await someQueues('floorwatch-dev-PollingMissedTicks1', canary);
    for (let day = 0; day < 3; day += 1) queues.sendMessage(canary, '{}');
    const progress = createPollProgressStore(
      createDynamoTable(client, DEPLOYED_TABLE, tableRuntime),
    );
    const now = Date.now();
    await progress.put({
      version: 0,
      tickedAt: now,
      polledUntil: Math.floor(now / 60_000),
      again: [],
    });
    const sns = await anOperatorSns(OPERATORS);
    const env = {
      ...awsAt(endpoint),
      ...{ AWS_ENDPOINT_URL_SQS: queues.address, AWS_ENDPOINT_URL_SNS: sns.endpoint },
    };

    const inWords = await status(['--stage', 'dev'], env);
    const inJson = await status(['--stage', 'dev', '--json'], env);

    expect(inWords).toMatchObject({ exit: 0, error: '' });
    expect(inWords.out).toContain('No problems found.\n');
    expect(sns.published).toEqual([]);
    expect(inJson.exit).toBe(0);
    expect(JSON.parse(inJson.out)).toMatchObject({
      healthy: true,
      troubles: [],
      source: { kind: 'table', whyNoInterface: 'FLOORWATCH_API_KEY is not set' },
      operations: { tick: { at: new Date(now).toISOString() } },
      account: { canary: { lastAt: expect.stringMatching(/^20\d\d-/) } },
    });
  });

  it('npm run operate -- status reports that no canary message has returned', async () => {
    const { endpoint } = await aStackTable();
    const queues = await someQueues('canary-of-floorwatch-dev');
    const sns = await anOperatorSns(OPERATORS);
    const env = {
      ...awsAt(endpoint),
      ...{ AWS_ENDPOINT_URL_SQS: queues.address, AWS_ENDPOINT_URL_SNS: sns.endpoint },
    };

    const { exit, out } = await status(['--stage', 'dev'], env);

    expect(exit).toBe(3);
    expect(out).toContain(
      'problem: no canary message has arrived in the last three days. To fix it: ',
    );
  });

  it('npm run operate -- status exits with 3 if there is a problem', async () => {
    const { endpoint } = await aStackTable();
    const queues = await someQueues('floorwatch-dev-PollingMissedTicks1');
    for (let missed = 0; missed < 10; missed += 1) {
      queues.sendMessage('floorwatch-dev-PollingMissedTicks1', '{}');
    }
    const sns = await anOperatorSns(OPERATORS);
    const env = {
      ...awsAt(endpoint),
      ...{ AWS_ENDPOINT_URL_SQS: queues.address, AWS_ENDPOINT_URL_SNS: sns.endpoint },
    };

    const { exit, out } = await status(['--stage', 'dev', '--json'], env);

    expect(exit).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      healthy: false,
      troubles: [{ section: 'No ticks' }, { section: 'No ticks' }],
    });
  });

  it('npm run operate -- status --page pages the operators, and names those without a confirmed subscription', async () => {
    const { endpoint } = await aStackTable();
    const queues = await someQueues('floorwatch-dev-PollingMissedTicks1');
    const pages = {
      'ops@example.com': 'confirmed',
      'night@example.com': 'PendingConfirmation',
    } as const;
    const sns = await anOperatorSns({ ...OPERATORS, 'alarms-of-floorwatch-dev': pages });
    const env = {
      ...awsAt(endpoint),
      ...{ AWS_ENDPOINT_URL_SQS: queues.address, AWS_ENDPOINT_URL_SNS: sns.endpoint },
    };

    const { exit, out } = await status(['--stage', 'dev', '--page'], env);

    expect(exit).toBe(3);
    expect(out).toContain('operators     ops@example.com for pages, ops@example.com for tickets\n');
    expect(out).toContain(
      'problem: night@example.com gets no messages from alarms-of-floorwatch-dev',
    );
    expect(out).toContain('Sent a test page to ops@example.com.\n');
    expect(sns.published.map(({ Subject }) => Subject)).toEqual(['Test page from floorwatch dev']);
  });

  it.each([
    { args: ['--stage', 'nowhere'], issue: 'there is no stage "nowhere"' },
    { args: ['--page'], issue: '--page needs --stage' },
  ])('npm run operate -- status reports the mistake in $args', async ({ args, issue }) => {
    const { exit, error } = await status(args);

    expect(exit).toBe(2);
    expect(error).toContain(issue);
    expect(error.split('\n')).toHaveLength(2);
  });
});

const status = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  operate(['status', ...args], env);
