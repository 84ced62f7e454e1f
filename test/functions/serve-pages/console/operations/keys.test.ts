import { expect, it } from 'vitest';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  KEY,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';

const HASH = '#/operations';
const DELETE = 'DELETE /v1/keys/{key}';
const ALL = ['view', 'read', 'write', 'admin'] as const;

const forAdmin = (replies: Parameters<typeof fakeInterface>[0] = {}) =>
  fakeInterface(replies, { [KEY]: { scopes: ['admin'], may: [...ALL] } });

it('a new key has the ticked scopes, and its expiry is relative to the clock of the API', async () => {
  // The clock of the device is two hours behind.
  const date = { Date: 'Sat, 21 Nov 2026 14:05:00 GMT' };
  const backend = forAdmin({
    'GET /v1/keys': () => new Response(JSON.stringify(example('GET /v1/keys')), { headers: date }),
    'POST /v1/keys': () =>
      new Response(JSON.stringify(example('POST /v1/keys')), { headers: date }),
  });
  const tab = await openTab(backend, { hash: HASH });

  await tab.type('Purpose of the key', ' the wall ');
  await tab.choose('Expires', 'in 30 days');
  await tab.check(/^read:/);
  await tab.check(/^view:/);
  await tab.click('Create key');

  const { key } = example('POST /v1/keys');
  expect(backend.asked('POST /v1/keys').map(({ body }) => body)).toEqual([
    {
      name: 'the wall',
      scopes: ['view'],
      expiresAt: expect.stringMatching(/^2026-12-21T14:05:00/),
    },
  ]);
  expect(tab.window.document.querySelector<HTMLInputElement>('.secret')?.value).toBe(key);
  await tab.click('Done');
  expect(tab.window.document.querySelector('.secret')).toBeNull();
});

it('revoking a key needs a confirmation, and the last admin key a second one', async () => {
  const refusals = [refusal('the last key', { type: 'in_use' })];
  const backend = forAdmin({
    [DELETE]: () => refusals.shift() ?? new Response(null, { status: 204 }),
  });
  const tab = await openTab(backend, { hash: HASH });
  const revoked = () => backend.asked(DELETE).map(({ query }) => query.lastAdmin);

  await tab.click('Revoke');
  const asked = revoked();
  await tab.click('Revoke key');
  const once = revoked();
  const warned = tab.text();
  await tab.click('Revoke the last admin key');

  expect([asked, once, revoked()]).toEqual([[], ['false'], ['false', 'true']]);
  expect(warned).toContain('This is the last key that can create keys.');
});

it('cancelling a revocation resets both confirmations', async () => {
  const backend = forAdmin({ [DELETE]: () => refusal('the last key', { type: 'in_use' }) });
  const tab = await openTab(backend, { hash: HASH });

  await tab.click('Revoke');
  await tab.click('Revoke key');
  await tab.click('Cancel');
  await tab.click('Revoke');
  await tab.click('Revoke key');

  expect(backend.asked(DELETE).map(({ query }) => query.lastAdmin)).toEqual(['false', 'false']);
});

it.each([
  { may: ['view'], pages: false, keys: false, usage: false },
  { may: ['view', 'read'], pages: true, keys: false, usage: true },
  { may: [...ALL], pages: true, keys: true, usage: true },
] as const)(
  'with a key that permits $may, the operations page requests only what the key may read',
  async (expected) => {
    const backend = fakeInterface({}, { [KEY]: { may: [...expected.may] } });
    const tab = await openTab(backend, { hash: HASH });

    expect(tab.has('Operations')).toBe(expected.pages);
    expect(backend.asked('GET /v1/keys').length > 0).toBe(expected.keys);
    expect(backend.asked('GET /v1/usage').length > 0).toBe(expected.usage);
    expect(backend.asked('GET /v1/operations')).toEqual([]);
  },
);

it('the operations page shows how much of each limit is used', async () => {
  const usage = example('GET /v1/usage');
  const backend = forAdmin({
    'GET /v1/usage': () => ({
      ...usage,
      requests: {
        ...usage.requests,
        api: { ...usage.requests.api, unitsPerMinute: 1200, left: 1190 },
      },
    }),
  });
  const tab = await openTab(backend, { hash: HASH });

  expect(tab.textsOf('.meter > div')).toContain('Request units, this minute10 of 1,200');
});

it('rotating a key needs a confirmation, and shows the new key', async () => {
  const backend = forAdmin();
  const tab = await openTab(backend, { hash: HASH });
  const rotated = () => backend.asked('POST /v1/keys/{key}/rotate');

  await tab.click('Rotate');
  const before = rotated().length;
  await tab.click('Rotate key');

  const [known] = example('GET /v1/keys').keys;
  expect(before).toBe(0);
  expect(rotated()).toMatchObject([{ path: { key: known?.id }, body: { overlap: '1d' } }]);
  expect(tab.window.document.querySelector('.secret')).not.toBeNull();
});

it.each([
  { button: 'Revoke', said: 'The key was not revoked: the server cannot be reached.' },
  { button: 'Rotate', said: 'The key was not rotated: the server cannot be reached.' },
])(
  'without a connection, "$button" reports that the key was not changed',
  async ({ button, said }) => {
    const backend = forAdmin();
    const tab = await openTab(backend, { hash: HASH });
    await tab.click(button);

    backend.reach(false);
    await tab.click(`${button} key`);

    expect(tab.textsOf('.key [role=alert]')).toEqual([expect.stringContaining(said)]);
  },
);

it('the list of keys marks the key of the session', async () => {
  const page = example('GET /v1/keys');
  const keys = page.keys.flatMap((key) => [{ ...key, id: '2222222222', name: 'other' }, key]);
  const tab = await openTab(forAdmin({ 'GET /v1/keys': () => ({ keys }) }), { hash: HASH });

  const own = tab
    .textsOf('.key')
    .filter((text) => text.includes('you are signed in with this key'));
  expect(own).toEqual([expect.stringMatching(/^the script/)]);
});
