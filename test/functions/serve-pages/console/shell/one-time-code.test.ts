import { expect, it } from 'vitest';
import { openTab, STORED } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';

const REDEEM = 'POST /v1/sign-ins/redeem';
const CODE = 'fws_1a2b3c4d5e_code-of-a-desk';
const LINK = `#sign-in=${CODE}`;
const DESK = 'fw_desk';
const PHONE = 'fw_phone';
const KEYS = { [DESK]: {}, [PHONE]: {} };
const UNUSABLE =
  /This link is not valid, was already used, or has expired. Create a new one on a device/;
const FIELD = 'API key or sign-in link';

/** An API that accepts the code once. */
function interfaceWithCode() {
  let isUsed = false;
  return fakeInterface(
    {
      [REDEEM]: () => {
        if (isUsed) return refusal('the code is wrong', { type: 'gone' });
        isUsed = true;
        return { ...example(REDEEM), key: PHONE };
      },
    },
    KEYS,
  );
}

it('a link with a code signs in with a new, remembered key, and is removed from address and history', async () => {
  const backend = interfaceWithCode();
  const tab = await openTab(backend, { hash: LINK, tab: {} });

  expect(tab.text()).toContain('CryptoPunks');
  expect(backend.asked(REDEEM).map(({ body, key }) => ({ body, key }))).toEqual([
    { body: { code: CODE }, key: null },
  ]);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{}, { [STORED]: PHONE }]);
  expect([tab.address(), tab.window.history.length]).toEqual(['/prod/app#/', 1]);
  expect(tab.window.document.body.innerHTML).not.toContain(CODE);
});

it('a link whose code was used shows how to get another one, and stores nothing', async () => {
  const backend = interfaceWithCode();
  await openTab(backend, { hash: LINK, tab: {} });
  const tab = await openTab(backend, { hash: LINK, tab: {} });

  const said = tab.text();
  await tab.click('Close');

  expect(said).toMatch(UNUSABLE);
  expect(said).not.toContain('Try again');
  expect(tab.text()).not.toMatch(UNUSABLE);
  expect(tab.has('Sign in')).toBe(true);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{}, {}]);
});

it('a link that is opened without a connection can be tried again', async () => {
  const backend = interfaceWithCode();
  backend.reach(false);
  const tab = await openTab(backend, { hash: LINK, tab: {} });
  const said = tab.text();
  backend.reach(true);

  await tab.click('Try again');

  expect(said).toContain('there is no connection');
  expect(tab.text()).toContain('CryptoPunks');
});

it('a link does not replace a session without a confirmation, and its code stays unused', async () => {
  const backend = interfaceWithCode();
  const tab = await openTab(backend, { tab: {}, device: { [STORED]: DESK } });

  await tab.open(LINK);
  const asks = tab.text();
  await tab.click('Keep my key');

  expect(asks).toContain('This link would sign you in with another key');
  expect(backend.asked(REDEEM)).toEqual([]);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{}, { [STORED]: DESK }]);
  expect(tab.address()).toBe('/prod/app#/');
});

it('a link that is accepted signs in for this tab, and the device keeps its remembered key', async () => {
  const backend = interfaceWithCode();
  const tab = await openTab(backend, { hash: LINK, tab: {}, device: { [STORED]: DESK } });

  await tab.click('Use the other key');

  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{ [STORED]: PHONE }, { [STORED]: DESK }]);
  expect(tab.text()).not.toContain('another key');
});

it('a link whose code was used does not end the session', async () => {
  const backend = interfaceWithCode();
  await openTab(backend, { hash: LINK, tab: {} });
  const tab = await openTab(backend, { hash: LINK });

  await tab.click('Use the other key');

  expect(tab.text()).toMatch(UNUSABLE);
  expect(tab.text()).toContain('You are still signed in with your own key.');
  expect(tab.keptInTab()).toEqual({ [STORED]: DESK });
});

it.each([
  { pasted: `https://floorwatch.example/prod/app${LINK}`, what: 'a link' },
  { pasted: ` ${CODE} `, what: 'a code' },
])('the sign-in form accepts $what, and the device remembers its key', async ({ pasted }) => {
  const backend = interfaceWithCode();
  const tab = await openTab(backend, { tab: {} });

  await tab.type(FIELD, pasted);
  await tab.click('Sign in');

  expect(tab.text()).toContain('CryptoPunks');
  expect(backend.asked(REDEEM).map(({ body }) => body)).toEqual([{ code: CODE }]);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{}, { [STORED]: PHONE }]);
});

it('the sign-in form stores the key of a link only in the tab if the user chooses so', async () => {
  const tab = await openTab(interfaceWithCode(), { tab: {} });

  await tab.type(FIELD, CODE);
  await tab.check('Remember the key on this device');
  await tab.click('Sign in');

  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{ [STORED]: PHONE }, {}]);
});

it('the sign-in form accepts a link with a key', async () => {
  const tab = await openTab(interfaceWithCode(), { tab: {} });

  await tab.type(FIELD, `https://floorwatch.example/prod/app#key=${DESK}`);
  await tab.click('Sign in');

  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{ [STORED]: DESK }, {}]);
});

it('the sign-in form explains the next step after a used code', async () => {
  const backend = interfaceWithCode();
  await openTab(backend, { hash: LINK, tab: {} });
  const tab = await openTab(backend, { tab: {} });

  await tab.type(FIELD, CODE);
  await tab.click('Sign in');

  expect(tab.text()).toMatch(UNUSABLE);
});

it.each(['#sign-in=', '#sign-in=%E0%A4%A', '#sign-in=%E2%82%AC'])(
  'a malformed link is removed from the address and reported: %s',
  async (hash) => {
    const backend = interfaceWithCode();
    const tab = await openTab(backend, { hash, tab: {} });

    expect(tab.text()).toContain('This link has no readable key or code');
    expect(tab.address()).toBe('/prod/app#/');
    expect(backend.asked(REDEEM)).toEqual([]);
  },
);
