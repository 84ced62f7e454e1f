import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useShortcuts } from '#console/shortcuts/use-shortcuts.ts';

/** Selectors of the controls that shortcuts press, in a row or in the selection bar. */
const CONTROLS = {
  title: 'h3 button',
  select: '.pick input',
  acknowledge: '[data-do=acknowledge]',
  snooze: '[data-do=snooze] > button',
  firstSnooze: '[data-do=snooze] > button ~ button',
} as const;

/**
 * Handles the shortcuts that move the focus between the rows of a page and press a control of the
 * focused row. While rows are selected, acknowledge and snooze press a control of the selection bar
 * instead. Returns a function to call before an action, so that the row gets the focus if the
 * action removes the pressed control.
 */
export function useRowShortcuts(page: RefObject<HTMLElement | null>): () => void {
  const last = useRef<string>(undefined);
  const rows = () => [...(page.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  /** The row that has the focus. */
  const here = () => {
    const row = rows().find((one) => one.contains(document.activeElement));
    if (row !== undefined) last.current = row.dataset.row;
    return row;
  };
  const find = (control: keyof typeof CONTROLS, within: Element | null | undefined) =>
    within?.querySelector<HTMLElement>(CONTROLS[control]);
  const move = (step: 1 | -1) => {
    here();
    const all = rows();
    const from = all.findIndex((row) => row.dataset.row === last.current);
    const to = from < 0 ? 0 : Math.min(all.length - 1, Math.max(0, from + step));
    find('title', all[to])?.focus();
  };
  /** The selection bar, or else the row that has the focus. */
  const target = () => {
    const row = here();
    const selection = page.current?.querySelector('.selection:has(.actions)');
    return selection ?? row;
  };

  useShortcuts({
    next: () => move(1),
    previous: () => move(-1),
    select: () => find('select', here())?.click(),
    acknowledge: () => find('acknowledge', target())?.click(),
    snooze: () => {
      const within = target();
      find('snooze', within)?.click();
      // Wait, because the choices are rendered only after this event.
      setTimeout(() => find('firstSnooze', within)?.focus());
    },
  });

  const pressed = useRef<Element>(undefined);
  useEffect(() => {
    if (pressed.current === undefined || pressed.current.isConnected) return;
    pressed.current = undefined;
    if (document.activeElement !== document.body) return;
    find(
      'title',
      rows().find((row) => row.dataset.row === last.current),
    )?.focus();
  });
  return () => {
    here();
    pressed.current = document.activeElement ?? undefined;
  };
}
