import { expect, it } from 'vitest';
import * as z from 'zod';
import { EnvironmentError, readEnvironment } from '#shared/runtime/environment.ts';

const Schema = z.object({ TABLE: z.string().min(1), QUEUE: z.url(), PACE: z.coerce.number() });

it('reads the variables as the schema reports them', () => {
  const variables = { TABLE: 'watches', QUEUE: 'https://sqs.example.com/1', PACE: '5' };

  expect(readEnvironment(Schema, variables)).toEqual({
    TABLE: 'watches',
    QUEUE: 'https://sqs.example.com/1',
    PACE: 5,
  });
});

it('names every wrong variable, and returns the value of none', () => {
  const read = () => readEnvironment(Schema, { TABLE: '', QUEUE: 's3cret', PACE: 'fast' });

  expect(read).toThrow(EnvironmentError);
  expect(read).toThrow(/^wrong environment: TABLE: .*; QUEUE: .*; PACE: .*/);
  expect(read).toThrow(expect.objectContaining({ code: 'wrong_environment' }));
  expect(read).not.toThrow(/s3cret/);
});
