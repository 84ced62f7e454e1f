import { expect, it } from 'vitest';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  KEY,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';

const MAKE = 'POST /v1/sign-ins';
const CODE = 'fws_1a2b3c4d5e_code-of-a-desk';

const withCode = (more: Parameters<typeof fakeInterface>[0] = {}) =>
  fakeInterface({ [MAKE]: () => ({ ...example(MAKE), code: CODE }), ...more });

it('a sign-in link is created on demand, and shown as a QR code with its remaining time', async () => {
  const backend = withCode();
  const tab = await openTab(backend, { hash: '#/operations' });
  const before = backend.asked(MAKE).length;

  await tab.click('Create a link');

  expect(before).toBe(0);
  expect(tab.valueOf('Link')).toBe(`https://floorwatch.example/prod/app#sign-in=${CODE}`);
  expect(tab.text()).toMatch(/The link works once and expires in [45] min\./);
  expect(tab.textsOf('.qr-code')).toEqual(['QR code of the link']);
  expect(tab.window.document.querySelector('.qr-code path')?.getAttribute('d')).toMatch(/^M/);
});

it('a sign-in link that has expired is no longer shown, and a new one replaces it', async () => {
  const codes = [CODE, 'fws_1a2b3c4d5e_another'];
  const ends = ['2026-11-21T12:10:00.000Z', '2026-11-21T12:30:00.000Z'];
  const backend = withCode({
    [MAKE]: () => ({ code: codes.shift() ?? '', expiresAt: ends.shift() ?? '' }),
  });
  const tab = await openTab(backend, { hash: '#/operations' });
  await tab.click('Create a link');

  await tab.pass(6 * 60_000);
  const late = tab.text();
  const pictures = tab.textsOf('.qr-code');
  await tab.click('Create a new link');

  expect(late).toContain('The link has expired. Create a new one.');
  expect(pictures).toEqual([]);
  expect(tab.valueOf('Link')).toContain('fws_1a2b3c4d5e_another');
});

it('a sign-in link disappears from the page after "Done"', async () => {
  const tab = await openTab(withCode(), { hash: '#/operations' });
  await tab.click('Create a link');

  await tab.click('Done');

  expect(tab.window.document.body.innerHTML).not.toContain(CODE);
  expect(tab.has('Create a link')).toBe(true);
});

it('the operations page reports the limit of keys before a phone opens a sign-in link', async () => {
  const full = () => refusal('the tenant has 20 active keys already', { type: 'quota_exceeded' });
  const tab = await openTab(withCode({ [MAKE]: full }), { hash: '#/operations' });

  await tab.click('Create a link');

  expect(tab.text()).toContain('20 active keys already');
  expect(tab.textsOf('.qr-code')).toEqual([]);
});

it('a key that may only view is offered no sign-in link', async () => {
  const wall = fakeInterface({}, { [KEY]: { scopes: ['view'], may: ['view'] } });
  const tab = await openTab(wall, { hash: '#/operations' });

  expect(tab.text()).not.toContain('Sign in on a phone');
});

it('the key of a phone names the key that created its sign-in link', async () => {
  const { keys } = example('GET /v1/keys');
  const phones = keys.map((key) => ({ ...key, signedInFrom: '1111111111' }));
  const backend = fakeInterface(
    { 'GET /v1/keys': () => ({ keys: phones }) },
    { [KEY]: { may: ['read', 'admin'] } },
  );
  const tab = await openTab(backend, { hash: '#/operations' });

  expect(tab.text()).toContain('phone signed in with the key 1111111111');
});
