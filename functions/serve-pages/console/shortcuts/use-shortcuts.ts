import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { keyOf, type ShortcutId, shortcutOf } from './shortcuts.ts';

type Handlers = { readonly [Id in ShortcutId]?: () => void };

/** The handlers of the components on the page. Components that were added later have precedence. */
const registered: { current: Handlers }[] = [];

/** Handles shortcuts while the component is on the page. */
export function useShortcuts(handlers: Handlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    registered.unshift(latest);
    return () => void registered.splice(registered.indexOf(latest), 1);
  }, []);
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

const STORED = 'floorwatch-single-keys';

/** Whether keys without a modifier are shortcuts. Speech input may press such keys by accident. */
export const usesSingleKeys = signal(localStorage.getItem(STORED) !== 'off');

/** Turns shortcuts without a modifier on or off, and stores the choice on this device. */
export function setSingleKeys(isOn: boolean): void {
  usesSingleKeys.value = isOn;
  if (isOn) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, 'off');
}

/** Milliseconds after which an unfinished sequence is dropped. */
const PAUSE = 1500;

/** Starts to handle keyboard events. Returns a function that stops it. */
export function listenToKeys(): () => void {
  let pressed: readonly string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = () => {
    pressed = [];
  };
  const onKey = (event: KeyboardEvent) => {
    const key = keyOf(event, isMac);
    const isPlain = key !== 'Mod+k';
    if (key === undefined || event.defaultPrevented || event.isComposing) return;
    if (isPlain && (!usesSingleKeys.peek() || isTyping(event.target))) return;
    clearTimeout(timer);
    const found = shortcutOf([...pressed, key]) ?? shortcutOf([key]);
    pressed = found === 'begun' ? [key] : [];
    if (found === 'begun') timer = setTimeout(forget, PAUSE);
    if (found === undefined || found === 'begun') return;
    const handler = registered
      .map(({ current }) => current[found])
      .find((one) => one !== undefined);
    if (handler === undefined) return;
    event.preventDefault();
    handler();
  };
  window.addEventListener('keydown', onKey);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('keydown', onKey);
  };
}

/** Whether an element uses typed letters itself: a text field, or a select box, which searches. */
function isTyping(target: EventTarget | null): boolean {
  const selector =
    'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]';
  return (target as Element | null)?.closest?.(selector) != null;
}
