import * as z from 'zod';

/** What an `AWS::Scheduler::Schedule` asks for; of its rates, the one that the stack uses. */
export const Schedule = z.object({
  ScheduleExpression: z.literal('rate(1 minute)'),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Target: z.object({
    Arn: z.string(),
    Input: z.string().default('{}'),
    DeadLetterConfig: z.object({ Arn: z.string() }).optional(),
  }),
});

/** What a schedule hands to its function at that instant. */
export function scheduledEvent(input: string, instant: number): unknown {
  const time = new Date(instant).toISOString().replace('.000Z', 'Z');
  return JSON.parse(input.replaceAll('<aws.scheduler.scheduled-time>', time));
}
