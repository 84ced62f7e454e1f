import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export type TextFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly placeholder?: string | undefined;
  readonly inputMode?: 'text' | 'decimal';
  readonly hint?: string | undefined;
  /** The API error about this field. */
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  readonly longest?: number;
  readonly onLeave?: () => void;
};

/** A text field, with its hint or error below it. */
export function TextField({
  label,
  value,
  onValue,
  placeholder,
  inputMode = 'text',
  hint,
  problem,
  isRequired = false,
  longest,
  onLeave,
}: TextFieldProps) {
  const id = useId();
  return (
    <div class="field grow">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        inputMode={inputMode}
        required={isRequired}
        maxLength={longest}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-more`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        onBlur={onLeave}
      />
      <Below id={id} hint={hint} problem={problem} />
    </div>
  );
}

/** A field for a count, with a numeric keyboard. */
export function NumberField(props: TextFieldProps) {
  return <TextField {...props} inputMode="decimal" />;
}

/** A field for a name: one line, short enough for a message. */
export function NameField(props: TextFieldProps) {
  return <TextField {...props} longest={100} />;
}

type ChoiceFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** `<option>` elements, or groups of them. */
  readonly children: ComponentChildren;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
};

/** A select box with its label, and its hint or error below it. */
export function ChoiceField({ label, value, onValue, children, hint, problem }: ChoiceFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-more`}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {children}
      </select>
      <Below id={id} hint={hint} problem={problem} />
    </div>
  );
}

/** A field for a moment in the time zone of the reader. Its value is in UTC. */
export function MomentField({ label, value, onValue, hint, problem }: TextFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        value={value === '' ? '' : inZoneOfReader(value)}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-more`}
        onChange={({ currentTarget }) =>
          onValue(currentTarget.value === '' ? '' : new Date(currentTarget.value).toISOString())
        }
      />
      <Below id={id} hint={hint} problem={problem} />
    </div>
  );
}

/** Formats a moment for the input, such as `2026-11-25T18:02`. */
function inZoneOfReader(moment: string): string {
  const date = new Date(moment);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

type CheckProps = {
  readonly label: string;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
};

export function Check({ label, checked, onChecked }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** The error of a field, or else its hint. */
function Below({
  id,
  hint,
  problem,
}: {
  readonly id: string;
  readonly hint: string | undefined;
  readonly problem: string | undefined;
}) {
  return (
    <span id={`${id}-more`} class={problem === undefined ? 'hint' : 'wrong'}>
      {problem ?? hint}
    </span>
  );
}
