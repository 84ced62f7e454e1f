import type { Answer } from '#console/interface/operations.ts';
import { CopiedField } from './copied-field.tsx';

type IssuedKeyProps = {
  readonly issued: Answer<'POST /v1/keys'>;
  readonly onDone: () => void;
};

/** Shows a new key, which cannot be shown again. */
export function IssuedKey({ issued: { key, name }, onDone }: IssuedKeyProps) {
  return (
    <div class="notice good stack" role="status">
      <p>The key “{name}” is shown only once. Copy it now and keep it in a safe place.</p>
      <div class="row">
        <CopiedField label="Key" value={key} />
        <button type="button" class="at-end" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
