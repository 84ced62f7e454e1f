/**
 * The keyboard shortcuts. The items of `keys` are alternatives. A space separates the keys of a
 * sequence. `Mod` is Ctrl, or Cmd on a Mac.
 */
export const SHORTCUTS = [
  { id: 'search', where: 'Everywhere', keys: ['/', 'Mod+k'], words: 'Search or run an action' },
  { id: 'help', where: 'Everywhere', keys: ['?'], words: 'Show the keyboard shortcuts' },
  { id: 'overview', where: 'Everywhere', keys: ['g o'], words: 'Go to Overview' },
  { id: 'alerts', where: 'Everywhere', keys: ['g a'], words: 'Go to Alerts' },
  { id: 'channels', where: 'Everywhere', keys: ['g c'], words: 'Go to Channels' },
  { id: 'lists', where: 'Everywhere', keys: ['g l'], words: 'Go to Lists' },
  { id: 'operations', where: 'Everywhere', keys: ['g p'], words: 'Go to Operations' },
  { id: 'next', where: 'Alerts', keys: ['j'], words: 'Next alert' },
  { id: 'previous', where: 'Alerts', keys: ['k'], words: 'Previous alert' },
  // The browser handles this key, because the row is a button.
  { id: 'open', where: 'Alerts', keys: ['Enter'], words: 'Show or hide the details of the alert' },
  { id: 'select', where: 'Alerts', keys: ['x'], words: 'Select the alert' },
  {
    ...{ id: 'acknowledge', where: 'Alerts', keys: ['e', 'a'] },
    words: 'Acknowledge the alert, or all selected alerts',
  },
  {
    ...{ id: 'snooze', where: 'Alerts', keys: ['s'] },
    words: 'Snooze the alert, or all selected alerts',
  },
] as const;

export type ShortcutId = (typeof SHORTCUTS)[number]['id'];

/** A key press as the browser reports it. */
export type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/**
 * The name of a pressed key, as in `keys`. Undefined for a key with a modifier, except `Mod+k`,
 * because browsers and assistive technology use such keys.
 */
export function keyOf(press: Press, isMac: boolean): string | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  // With Caps Lock on, the browser reports upper case.
  const plain = shiftKey || key.length > 1 ? key : key.toLowerCase();
  if (!ctrlKey && !metaKey && !altKey) return plain;
  const isMod = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isMod && !altKey && !shiftKey && plain === 'k' ? 'Mod+k' : undefined;
}

/** The shortcut of the pressed keys, or `begun` if they start a sequence. */
export function shortcutOf(pressed: readonly string[]): ShortcutId | 'begun' | undefined {
  const typed = pressed.join(' ');
  const exact = SHORTCUTS.find(({ keys }) => keys.some((one) => one === typed));
  if (exact !== undefined) return exact.id;
  const isBegun = SHORTCUTS.some(({ keys }) => keys.some((one) => one.startsWith(`${typed} `)));
  return isBegun ? 'begun' : undefined;
}

/** The label of a key: `Mod+k` → `Ctrl K`. */
export function keyInWords(key: string, isMac: boolean): string {
  return key === 'Mod+k' ? (isMac ? '⌘ K' : 'Ctrl K') : key;
}
