import { expect, it } from 'vitest';
import * as z from 'zod';
import { EnvironmentError, readEnvironment } from '#shared/runtime/environment.ts';

const Schema = z.object({ TABLE: z.string().min(1), QUEUE: z.url(), PACE: z.coerce.number() });

it('reads the environment as the schema converts it', () => {
  const variables = { TABLE: 'watches', QUEUE: 'https://sqs.example.com/1', PACE: '5' };

  expect(readEnvironment(Schema, variables)).toEqual({
    TABLE: 'watches',
    QUEUE: 'https://sqs.example.com/1',
    PACE: 5,
  });
});

it('names every wrong variable of the environment, without values', () => {
  const read = () => readEnvironment(Schema, { TABLE: '', QUEUE: 's3cret', PACE: 'fast' });

  expect(read).toThrow(EnvironmentError);
  expect(read).toThrow(/^invalid environment variables: TABLE: .*; QUEUE: .*; PACE: .*/);
  expect(read).toThrow(expect.objectContaining({ code: 'wrong_environment' }));
  expect(read).not.toThrow(/s3cret/);
});
