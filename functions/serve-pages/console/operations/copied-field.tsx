import { useEffect, useRef } from 'preact/hooks';
import { announce } from '#console/shell/announcements.tsx';

/** A secret that is shown once, with a button to copy it. */
export function CopiedField({ label, value }: { readonly label: string; readonly value: string }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [value]);
  const copy = async () => {
    const name = label.toLowerCase();
    field.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      announce(`The ${name} was copied.`);
    } catch {
      // Pages without HTTPS have no clipboard, and a person may deny access to the clipboard.
      announce(
        `The ${name} could not be copied. It is selected, so press Ctrl+C or ⌘C to copy it.`,
      );
    }
  };
  return (
    <>
      <label class="field grow">
        <span>{label}</span>
        <input ref={field} class="secret" readOnly value={value} />
      </label>
      <button type="button" class="at-end" onClick={() => void copy()}>
        Copy
      </button>
    </>
  );
}
