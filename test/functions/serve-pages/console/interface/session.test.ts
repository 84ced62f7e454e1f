import { expect, it } from 'vitest';
import { openTab, STORED } from '#test/functions/serve-pages/console/console-tab.ts';
import { fakeInterface } from '#test/functions/serve-pages/console/fake-interface.ts';

const DESK = 'fw_desk';
const WALL = 'fw_wall';
const QUESTION = /This link would sign you in with another key/;

/** Two tenants, each with a key. */
const interfaceOfBoth = () =>
  fakeInterface(
    {},
    {
      [DESK]: { name: 'desk', tenant: 'acme', id: '1111111111' },
      [WALL]: { name: 'wall', tenant: 'globex', id: '2222222222' },
    },
  );

/** A tab whose key is remembered on the device. */
const remembered = { tab: {}, device: { [STORED]: DESK } };

it('a link with a key signs in for this tab if nobody is signed in', async () => {
  const backend = interfaceOfBoth();
  const tab = await openTab(backend, { hash: `#key=${DESK}`, tab: {} });

  expect(tab.text()).toContain('CryptoPunks');
  expect(tab.text()).not.toMatch(QUESTION);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{ [STORED]: DESK }, {}]);
});

it('a link with a key signs in when it is opened in a tab that asks for a key', async () => {
  const tab = await openTab(interfaceOfBoth(), { tab: {} });

  await tab.open(`#key=${DESK}`);

  expect(tab.text()).toContain('CryptoPunks');
  expect(tab.address()).toBe('/prod/app#/');
});

it.each([
  { link: `#key=${DESK}`, of: 'the same key' },
  { link: `#key=${WALL}`, of: 'another key' },
  { link: `#key=${WALL}&then=alerts`, of: 'another key and another parameter' },
  { link: '#key=fw_gone', of: 'a revoked key' },
  { link: '#key=%E0%A4%A', of: 'a malformed percent encoding' },
  { link: '#key=%E2%82%AC', of: 'a text that is invalid in a header' },
  { link: '#key=', of: 'an empty key' },
])('the key of a link is removed from the address and the history: $of', async ({ link }) => {
  const loaded = await openTab(interfaceOfBoth(), { hash: link });
  expect([loaded.address(), loaded.window.history.length]).toEqual(['/prod/app#/', 1]);

  const signedOut = await openTab(interfaceOfBoth(), { hash: link, tab: {} });
  expect([signedOut.address(), signedOut.window.history.length]).toEqual(['/prod/app#/', 1]);

  const opened = await openTab(interfaceOfBoth(), { hash: '#/alerts?state=open' });
  await opened.open(link);
  const there = '/prod/app#/alerts?state=open';
  expect([opened.address(), opened.window.history.length]).toEqual([there, 2]);
  await opened.back();
  expect(opened.address()).toBe(there);
});

it('a link with the key of the session needs no confirmation, and a remembered key stays remembered', async () => {
  const tab = await openTab(interfaceOfBoth(), { hash: `#key=${DESK}`, ...remembered });

  expect(tab.text()).toContain('CryptoPunks');
  expect(tab.text()).not.toMatch(QUESTION);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{}, { [STORED]: DESK }]);
});

it('a link with another key needs a confirmation, which names both keys without their secrets', async () => {
  const backend = interfaceOfBoth();
  const tab = await openTab(backend, { hash: `#key=${WALL}`, ...remembered });

  expect(tab.text()).toContain('another key: “wall” (tenant globex, ID 2222222222)');
  expect(tab.text()).toContain('You are signed in with “desk” (tenant acme, ID 1111111111)');
  expect(tab.text()).not.toContain(WALL);
  expect(backend.asked('GET /v1/overview').map(({ key }) => key)).toEqual([DESK]);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{}, { [STORED]: DESK }]);
});

it.each([
  { kept: { tab: { [STORED]: DESK }, device: {} }, where: 'in the tab' },
  { kept: remembered, where: 'on the device' },
])(
  'declining a link with another key changes neither the session nor the key $where',
  async ({ kept }) => {
    const backend = interfaceOfBoth();
    const tab = await openTab(backend, { hash: '#/alerts', ...kept });

    await tab.open(`#key=${WALL}`);
    const asks = QUESTION.test(tab.text());
    await tab.click('Keep my key');
    await tab.pass(30_000);

    expect(asks).toBe(true);
    expect(tab.text()).not.toMatch(QUESTION);
    expect(tab.text()).toContain('CryptoPunks below 60 ETH');
    expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([kept.tab, kept.device]);
    expect(new Set(backend.asked('GET /v1/episodes').map(({ key }) => key))).toEqual(
      new Set([DESK]),
    );
  },
);

it('accepting a link with another key signs in for this tab, and the device keeps its remembered key', async () => {
  const backend = interfaceOfBoth();
  const tab = await openTab(backend, { hash: '#/lists/punks', ...remembered });
  await tab.open(`#key=${WALL}`);

  await tab.click('Use the other key');

  expect(tab.text()).not.toMatch(QUESTION);
  expect(tab.address()).toBe('/prod/app#/');
  expect(backend.asked('GET /v1/overview').map(({ key }) => key)).toEqual([WALL]);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{ [STORED]: WALL }, remembered.device]);
});

it('a link with an invalid key shows a message, and keeps the session', async () => {
  const tab = await openTab(interfaceOfBoth(), { hash: '#key=fw_gone', ...remembered });

  const said = tab.text();
  await tab.click('Close');

  expect(said).toContain('The key in this link is not valid');
  expect(said).toContain('CryptoPunks');
  expect(tab.text()).not.toContain('not valid');
  expect(tab.keptOnDevice()).toEqual(remembered.device);
});

it('a link with a malformed key shows a message, and keeps the session', async () => {
  const tab = await openTab(interfaceOfBoth(), { hash: '#key=%E0%A4%A' });

  expect(tab.text()).toContain('This link has no readable key');
  expect(tab.text()).toContain('CryptoPunks');
  expect(tab.keptInTab()).toEqual({ [STORED]: DESK });
});

it('a link with another key can be accepted after the key of the session has expired', async () => {
  const tab = await openTab(interfaceOfBoth(), {
    hash: `#key=${WALL}`,
    tab: { [STORED]: 'fw_gone' },
  });

  expect(tab.text()).toContain('The key is not valid');
  await tab.click('Use the other key');

  expect(tab.text()).toContain('CryptoPunks');
  expect(tab.keptInTab()).toEqual({ [STORED]: WALL });
});

it('a typed key is kept in its tab, and on the device only if the user chooses so', async () => {
  const once = await openTab(interfaceOfBoth(), { tab: {} });
  await once.type('API key or sign-in link', ` ${DESK} `);
  await once.click('Sign in');

  const always = await openTab(interfaceOfBoth(), { tab: {} });
  await always.type('API key or sign-in link', DESK);
  await always.check('Remember the key on this device');
  await always.click('Sign in');

  expect([once.keptInTab(), once.keptOnDevice()]).toEqual([{ [STORED]: DESK }, {}]);
  expect([always.keptInTab(), always.keptOnDevice()]).toEqual([{}, { [STORED]: DESK }]);
});

it('a typed text that is invalid in a header is refused', async () => {
  const tab = await openTab(interfaceOfBoth(), { tab: {} });
  await tab.type('API key or sign-in link', 'fw_…');
  await tab.click('Sign in');

  expect(tab.text()).toContain('This is not a key');
  expect(tab.text()).not.toContain('Offline');
});

it.each([
  { text: 'fw_desk!', why: 'it has a character that no key has' },
  { text: 'correct-horse', why: 'it does not begin like a key' },
])('a typed text that is not a key is refused without a request: $why', async ({ text }) => {
  const backend = interfaceOfBoth();
  const tab = await openTab(backend, { tab: {} });
  await tab.type('API key or sign-in link', text);
  await tab.click('Sign in');

  expect(tab.text()).toContain(
    'This is not a key: a key begins with “fw_” and has only letters, digits, “_” and “-”.',
  );
  expect(backend.asked('GET /v1/overview')).toEqual([]);
  expect(tab.keptInTab()).toEqual({});
});

it('signing out removes all keys from the tab and the device', async () => {
  const tab = await openTab(interfaceOfBoth(), {
    tab: { [STORED]: WALL },
    device: { [STORED]: DESK },
  });

  await tab.click('Sign out');

  expect(tab.has('Sign in')).toBe(true);
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{}, {}]);
});

it('a refused key is removed, but another key that the device remembers is kept', async () => {
  const tab = await openTab(interfaceOfBoth(), {
    tab: { [STORED]: 'fw_gone' },
    device: { [STORED]: DESK },
  });

  expect(tab.text()).toContain('The key is not valid: it is wrong, has expired, or was revoked.');
  expect([tab.keptInTab(), tab.keptOnDevice()]).toEqual([{}, { [STORED]: DESK }]);
});

it('signing out discards the key of a link that was neither accepted nor declined', async () => {
  const tab = await openTab(interfaceOfBoth(), { hash: `#key=${WALL}` });

  await tab.click('Sign out');

  expect(tab.text()).not.toMatch(QUESTION);
  expect(tab.has('Use the other key')).toBe(false);
});

it("opening a link with the session's own key closes the question about an earlier link with another key", async () => {
  const tab = await openTab(interfaceOfBoth(), { hash: `#key=${WALL}` });
  const before = QUESTION.test(tab.text());

  await tab.open(`#key=${DESK}`);

  expect(before).toBe(true);
  expect(tab.text()).not.toMatch(QUESTION);
});

it('the reason why a key was refused is not shown after the next session has ended', async () => {
  const tab = await openTab(interfaceOfBoth(), { tab: { [STORED]: 'fw_gone' } });
  const refused = tab.text();

  await tab.open(`#key=${DESK}`);
  await tab.click('Sign out');

  expect(refused).toContain('The key is not valid');
  expect(tab.text()).not.toContain('The key is not valid');
});
