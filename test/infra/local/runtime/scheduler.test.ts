import { expect, it } from 'vitest';
import { scheduledEvent } from '#infra/local/runtime/scheduler.ts';

it('a tick reports the function its time as the schedule has it', () => {
  const input = '{"time":"<aws.scheduler.scheduled-time>"}';

  expect(scheduledEvent(input, Date.parse('2022-01-10T12:01:00Z'))).toEqual({
    time: '2022-01-10T12:01:00Z',
  });
});
