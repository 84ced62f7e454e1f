import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from '#console/shell/announcements.tsx';
import { keyInWords } from '#console/shortcuts/shortcuts.ts';
import { isMac, useShortcuts } from '#console/shortcuts/use-shortcuts.ts';

type PaletteProps = { readonly onClose: () => void; readonly onHelp: () => void };

/** The palette is a separate file, which is loaded when it is first opened. */
const loaded = signal<{ readonly Palette: ComponentType<PaletteProps> } | undefined>(undefined);

/** A button that opens the palette. Its shortcut opens the palette, too. */
export function PaletteButton({ onHelp }: Pick<PaletteProps, 'onHelp'>) {
  const [isOpen, setOpen] = useState(false);
  const open = async () => {
    try {
      loaded.value ??= await import('./palette.tsx');
      setOpen(true);
    } catch {
      announce('The search could not be loaded. Check the connection, or reload the console.');
    }
  };
  useShortcuts({ search: () => void open() });
  return (
    <>
      <button
        type="button"
        class="search"
        aria-haspopup="dialog"
        aria-label="Search or run an action"
        title={`Search or run an action (/ or ${keyInWords('Mod+k', isMac)})`}
        onClick={() => void open()}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" />
          <path d="M10.5 10.5 14 14" />
        </svg>
        <span>Search</span>
        <kbd>/</kbd>
      </button>
      {isOpen && loaded.value !== undefined && (
        <loaded.value.Palette onClose={() => setOpen(false)} onHelp={onHelp} />
      )}
    </>
  );
}
