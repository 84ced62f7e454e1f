/**
 * The keyboard shortcuts. Alternatives are items of `keys`; the keys of a sequence have a space
 * between them. `Mod` is Ctrl, on a Mac Cmd.
 */
export const SHORTCUTS = [
  { id: 'search', where: 'Everywhere', keys: ['/', 'Mod+k'], words: 'Search and act' },
  { id: 'help', where: 'Everywhere', keys: ['?'], words: 'Show the keyboard shortcuts' },
  { id: 'overview', where: 'Everywhere', keys: ['g o'], words: 'Go to the overview' },
  { id: 'alerts', where: 'Everywhere', keys: ['g a'], words: 'Go to the alerts' },
  { id: 'channels', where: 'Everywhere', keys: ['g c'], words: 'Go to the channels' },
  { id: 'lists', where: 'Everywhere', keys: ['g l'], words: 'Go to the lists' },
  { id: 'operations', where: 'Everywhere', keys: ['g p'], words: 'Go to the operations' },
  { id: 'next', where: 'Alerts', keys: ['j'], words: 'Next alert' },
  { id: 'previous', where: 'Alerts', keys: ['k'], words: 'Previous alert' },
  // The row is a button, so the browser handles this key.
  { id: 'open', where: 'Alerts', keys: ['Enter'], words: 'Open or close the alert' },
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

/** A key press, as the browser reports it. */
export type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/**
 * The key of a press as `keys` names it. Undefined with modifiers, which are for the browser and
 * for assistive technology.
 */
export function keyOf(press: Press, isMac: boolean): string | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  // Caps Lock reports upper case.
  const plain = shiftKey || key.length > 1 ? key : key.toLowerCase();
  if (!ctrlKey && !metaKey && !altKey) return plain;
  const isMod = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isMod && !altKey && !shiftKey && plain === 'k' ? 'Mod+k' : undefined;
}

/** The shortcut of the pressed keys; `begun` if they are the beginning of a sequence. */
export function shortcutOf(pressed: readonly string[]): ShortcutId | 'begun' | undefined {
  const typed = pressed.join(' ');
  const exact = SHORTCUTS.find(({ keys }) => keys.some((one) => one === typed));
  if (exact !== undefined) return exact.id;
  const isBegun = SHORTCUTS.some(({ keys }) => keys.some((one) => one.startsWith(`${typed} `)));
  return isBegun ? 'begun' : undefined;
}

/** Names a key for readers: `Mod+k` → `Ctrl K`. */
export function keyInWords(key: string, isMac: boolean): string {
  return key === 'Mod+k' ? (isMac ? '⌘ K' : 'Ctrl K') : key;
}
