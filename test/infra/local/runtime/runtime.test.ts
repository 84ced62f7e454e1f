import { describe, expect, it } from 'vitest';
import { aFunction, world } from './world.ts';

const { signal } = new AbortController();
const noon = Date.parse('2022-01-10T12:00:00Z');

describe('a schedule', () => {
  it('hands its function the time of each tick', async () => {
    const { tick, quiet, functionIn } = await aSchedule(`
      const seen = [];
      export const handler = async (event) => {
        if (event.time) seen.push(event.time);
        return seen;
      };`);

    tick(noon);
    await quiet(signal);
    tick(noon + 60_000);
    await quiet(signal);

    const seen = await functionIn('work').invoke({});
    expect(seen).toEqual(['2022-01-10T12:00:00Z', '2022-01-10T12:01:00Z']);
  });

  it('gives up a tick that fails, and keeps it with the dead letters', async () => {
    const { tick, quiet, failures, deadLetters } = await aSchedule(
      `export const handler = async () => { throw new Error('no table'); };`,
    );

    tick(noon);
    await quiet(signal);

    expect(failures.map(String)).toEqual(['FunctionError: work failed: Error: no table']);
    await expect.poll(deadLetters).toEqual([{ name: 'Missed', waiting: 1, inFlight: 0 }]);
  });

  it('does not tick while it is disabled', async () => {
    const { tick, quiet, failures } = await aSchedule(
      `export const handler = async () => { throw new Error('ran'); };`,
      'DISABLED',
    );

    tick(noon);
    await quiet(signal);

    expect(failures).toEqual([]);
  });
});

it('refuses a template whose event source names a function that is not there', async () => {
  const starting = world({
    resources: {
      Queue: { Type: 'AWS::SQS::Queue' },
      Source: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
          FunctionName: 'gone',
        },
      },
    },
    handlers: {},
  });

  await expect(starting).rejects.toThrow('the template holds no function gone');
});

function aSchedule(handler: string, state = 'ENABLED') {
  return world({
    resources: {
      Work: aFunction('work'),
      Missed: { Type: 'AWS::SQS::Queue' },
      Tick: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(1 minute)',
          State: state,
          Target: {
            Arn: { 'Fn::GetAtt': ['Work', 'Arn'] },
            Input: '{"time":"<aws.scheduler.scheduled-time>"}',
            DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['Missed', 'Arn'] } },
          },
        },
      },
    },
    handlers: { work: handler },
  });
}
