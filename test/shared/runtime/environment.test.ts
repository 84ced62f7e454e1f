import { afterEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { EnvironmentError, readEnvironment } from '#shared/runtime/environment.ts';

const Schema = z.object({ TABLE: z.string().min(1), QUEUE: z.url(), PACE: z.coerce.number() });

afterEach(() => vi.unstubAllEnvs());

it('reads the variables as the schema reports them', () => {
  vi.stubEnv('TABLE', 'watches');
  vi.stubEnv('QUEUE', 'https://sqs.example.com/1');
  vi.stubEnv('PACE', '5');

  expect(readEnvironment(Schema)).toEqual({
    TABLE: 'watches',
    QUEUE: 'https://sqs.example.com/1',
    PACE: 5,
  });
});

it('names every wrong variable, and returns the value of none', () => {
  vi.stubEnv('TABLE', '');
  vi.stubEnv('QUEUE', 's3cret');
  vi.stubEnv('PACE', 'fast');
  const read = () => readEnvironment(Schema);

  expect(read).toThrow(EnvironmentError);
  expect(read).toThrow(/^wrong environment: TABLE: .*; QUEUE: .*; PACE: .*/);
  expect(read).toThrow(expect.objectContaining({ code: 'wrong_environment' }));
  expect(read).not.toThrow(/s3cret/);
});
