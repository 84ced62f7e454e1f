import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type DialogProps = {
  readonly label: string;
  readonly look: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/**
 * A modal dialog that is open while it is rendered. The browser keeps the focus inside, and
 * restores it when the dialog closes. Escape or a click on the backdrop closes the dialog.
 */
export function Dialog({ label, look, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // Close the dialog before it is removed. Otherwise, the browser does not restore the focus.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={look}
      aria-label={label}
      onClose={onClose}
      // Shortcuts and Escape must not reach the page.
      onKeyDown={(event) => event.stopPropagation()}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.close();
      }}
    >
      {/* The content covers the dialog, so only clicks on the backdrop target the dialog. */}
      <div class="stack">{children}</div>
    </dialog>
  );
}
