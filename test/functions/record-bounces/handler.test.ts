import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';

const documents = mockClient(DynamoDBDocumentClient);

beforeEach(() => {
  vi.stubEnv('WATCH_TABLE', 'watches');
  vi.stubEnv('STAGE', 'test');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  documents.reset();
  documents.on(GetCommand).resolves({});
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => documents.restore());

it('each message that SNS gives up is measured, so that the alarm AlertsGivenUp fires', async () => {
  vi.resetModules();
  const { handler } = await import('#functions/record-bounces/handler.ts');
  const Records = ['m1', 'm2'].map((messageId) => ({ messageId, body: '{}' }));

  await handler({ Records }, { awsRequestId: 'r1' } as Context);

  const lines = vi
    .mocked(process.stdout.write)
    .mock.calls.map(([line]) => JSON.parse(String(line)));
  expect(lines).toContainEqual(expect.objectContaining({ Stage: 'test', AlertsGivenUp: 2 }));
});
