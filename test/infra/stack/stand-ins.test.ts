import { afterEach, expect, it, vi } from 'vitest';
import { defaultProvider } from '#infra/stack/stand-ins/environment-credentials.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('the stand-in for the credential chain returns the credentials in the environment variables', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKID');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'token');

  expect(await defaultProvider()()).toEqual({
    accessKeyId: 'AKID',
    secretAccessKey: 'secret',
    sessionToken: 'token',
  });
});

it('the error about missing credentials names the missing variables', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);

  await expect(defaultProvider()()).rejects.toThrow('AWS_ACCESS_KEY_ID');
});
