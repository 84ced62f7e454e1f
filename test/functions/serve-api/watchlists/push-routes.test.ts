import { expect, it } from 'vitest';
import { createPushKeyReader, publicPushKeyOf } from '#shared/clients/push-key.ts';
import { MissingSecretError } from '#shared/clients/secrets.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';
import { world } from './world.ts';

it('GET /v1/push-key reports the public key for subscriptions of browsers', async () => {
  const { ask } = world();

  const { status, body } = await ask('GET /v1/push-key');

  expect([status, body]).toEqual([200, { publicKey: publicPushKeyOf(PUSH_KEY) }]);
});

it('GET /v1/push-key returns 503 if the stack has no key yet', async () => {
  const missing = new MissingSecretError(
    'parameter /floorwatch/dev/push-public-key does not exist',
  );
  const { ask } = world({ getPushKey: createPushKeyReader(() => Promise.reject(missing)) });

  const { status, body } = await ask('GET /v1/push-key');

  expect([status, body.type]).toEqual([503, 'urn:floorwatch:problem:secrets_unavailable']);
  expect(JSON.stringify(body)).not.toContain('/floorwatch/dev');
});
