import { expect, it } from 'vitest';
import { mistakeIn } from '#infra/command-line/mistake-in.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

it.each([
  [new UsageError('give --stage'), 'give --stage'],
  [
    named('CredentialsProviderError', 'Could not load credentials from any providers'),
    'AWS rejected the credentials of this environment, or found none (Could not load credentials from any providers): log in, for example with aws sso login, and set AWS_PROFILE',
  ],
  [named('ExpiredTokenException', 'expired'), expect.stringContaining('(expired): log in')],
  [new Error('a bug'), undefined],
  ['a text', undefined],
])(
  'mistakeIn returns a message for a mistake of the user, and undefined for a bug: %s',
  (error, mistake) => {
    expect(mistakeIn(error)).toEqual(mistake);
  },
);

it('the message about a missing AWS region names the environment variable AWS_REGION', () => {
  expect(mistakeIn(new Error('Region is missing'))).toContain('set AWS_REGION');
});
