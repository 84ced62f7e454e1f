import { describe, expect, it } from 'vitest';
import { keyOf, type Press, SHORTCUTS, shortcutOf } from '#console/shortcuts/shortcuts.ts';
import { modalDialogs, openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import { fakeInterface } from '#test/functions/serve-pages/console/fake-interface.ts';

const press = (key: string, given: Partial<Press> = {}): Press => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...given,
});

describe('keyboard shortcuts', () => {
  it('the keys of a shortcut are unique, and are not the beginning of another shortcut', () => {
    const all: readonly string[] = SHORTCUTS.flatMap(({ keys }) => keys);

    for (const keys of all) {
      expect(all.filter((other) => other === keys || other.startsWith(`${keys} `))).toEqual([keys]);
    }
  });

  it.each([
    { pressed: ['g', 'a'], found: 'alerts' },
    { pressed: ['g'], found: 'begun' },
    { pressed: ['a'], found: 'acknowledge' },
    { pressed: ['Mod+k'], found: 'search' },
    { pressed: ['g', 'z'], found: undefined },
  ])('the shortcut of the keys $pressed is $found', ({ pressed, found }) => {
    expect(shortcutOf(pressed)).toBe(found);
  });

  it.each([
    { name: 'Caps Lock', given: press('J'), isMac: false, key: 'j' },
    { name: 'Shift', given: press('?', { shiftKey: true }), isMac: false, key: '?' },
    { name: 'Shift and a letter', given: press('J', { shiftKey: true }), isMac: false, key: 'J' },
    { name: 'Ctrl', given: press('k', { ctrlKey: true }), isMac: false, key: 'Mod+k' },
    { name: 'Ctrl on a Mac', given: press('k', { ctrlKey: true }), isMac: true, key: undefined },
    { name: 'Cmd', given: press('k', { metaKey: true }), isMac: true, key: 'Mod+k' },
    { name: 'Ctrl and A', given: press('a', { ctrlKey: true }), isMac: false, key: undefined },
    { name: 'Alt', given: press('s', { altKey: true }), isMac: false, key: undefined },
    {
      ...{ name: 'Ctrl and Shift', given: press('k', { ctrlKey: true, shiftKey: true }) },
      ...{ isMac: false, key: undefined },
    },
  ])('a key press with $name is recognized as $key', ({ given, isMac, key }) => {
    expect(keyOf(given, isMac)).toBe(key);
  });
});

const heading = (tab: Awaited<ReturnType<typeof openTab>>) => tab.textsOf('h1');

it.each([
  { keys: ['g', 'a'], leadsTo: 'Alerts' },
  { keys: ['g', 'c'], leadsTo: 'Channels' },
  { keys: ['g', 'l'], leadsTo: 'Lists and changes' },
  { keys: ['g', 'p'], leadsTo: 'Operations' },
])(
  'the keys $keys open the page $leadsTo, and "g o" opens the overview',
  async ({ keys, leadsTo }) => {
    const tab = await openTab(fakeInterface());
    await tab.press(...keys);
    const there = heading(tab);
    await tab.press('g', 'o');

    expect([there, heading(tab)]).toEqual([[leadsTo], ['Overview']]);
  },
);

it('a sequence is given up after a pause', async () => {
  const tab = await openTab(fakeInterface());
  await tab.press('g');
  await tab.pass(2000);
  await tab.press('c');

  expect(heading(tab)).toEqual(['Overview']);
});

it('a key in a field types text instead of a shortcut', async () => {
  const tab = await openTab(fakeInterface());
  tab.window.document.querySelector<HTMLElement>('input[type=search]')?.focus();
  await tab.press('g', 'c');

  expect(heading(tab)).toEqual(['Overview']);
});

it('the help lists each shortcut, and can switch single keys off for this device', async () => {
  const tab = await openTab(fakeInterface(), { equip: modalDialogs });
  await tab.press('?');
  const listed = tab.textsOf('.shortcuts dd');
  await tab.check('Use single-key shortcuts on this device');
  await tab.click('Close');
  await tab.press('g', 'c');
  const off = heading(tab);

  expect(listed).toEqual(SHORTCUTS.map(({ words }) => words));
  expect(off).toEqual(['Overview']);
  expect(tab.keptOnDevice()).toMatchObject({ 'floorwatch-single-keys': 'off' });
});

it('a device that has switched single keys off does not use them after a reload', async () => {
  const device = { 'floorwatch-single-keys': 'off' };
  const tab = await openTab(fakeInterface(), { device });
  await tab.press('g', 'c');

  expect(heading(tab)).toEqual(['Overview']);
});
