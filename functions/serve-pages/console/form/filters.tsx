import { useEffect, useState } from 'preact/hooks';

type SearchProps = {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string | undefined;
  readonly onText: (text: string | undefined) => void;
};

/** Milliseconds without a keystroke before a search starts. */
const PAUSE = 300;

export function SearchField({ label, placeholder, text, onText }: SearchProps) {
  const [typed, setTyped] = useState(text ?? '');
  const meant = typed.trim() === '' ? undefined : typed.trim();
  useEffect(() => {
    if (meant !== text) setTyped(text ?? '');
  }, [text]);
  useEffect(() => {
    if (meant === text) return;
    const timer = setTimeout(() => onText(meant), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="field grow">
      <span class="unseen">{label}</span>
      <input
        type="search"
        placeholder={placeholder}
        maxLength={100}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  );
}

type ChoiceProps<Value extends string> = {
  readonly label: string;
  /** The label of the empty option. Undefined if one of `options` is always chosen. */
  readonly none?: string;
  readonly options: readonly (readonly [value: Value, words: string])[];
  readonly value: string | undefined;
  readonly onValue: (value: Value | undefined) => void;
};

/**
 * A select box. Each option must be clear on its own, because the label is only for screen readers.
 */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, none, options, value, onValue } = props;
  return (
    <label class="field">
      <span class="unseen">{label}</span>
      <select
        value={value ?? ''}
        onChange={({ currentTarget }) =>
          onValue(options.find(([one]) => one === currentTarget.value)?.[0])
        }
      >
        {none !== undefined && <option value="">{none}</option>}
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
