import { useEffect, useRef } from 'preact/hooks';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';

type IssuedKeyProps = {
  readonly issued: Answer<'POST /v1/keys'>;
  readonly onDone: () => void;
};

/** Shows a key the one time that it can be shown. */
export function IssuedKey({ issued: { key, name }, onDone }: IssuedKeyProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [key]);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(key);
      announce('The key is copied.');
    } catch {
      // A page that came by plain http has no clipboard, and a person may refuse it.
      announce('The key is selected: copy it with Ctrl+C or ⌘C.');
    }
  };
  return (
    <div class="notice good stack" role="status">
      <p>The key “{name}” is shown this once. Keep it in a safe place.</p>
      <div class="row">
        <label class="field grow">
          <span>Key</span>
          <input ref={field} class="secret" readOnly value={key} />
        </label>
        <button type="button" class="at-end" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" class="at-end" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
