import { TextField } from '#console/form/fields.tsx';

type SecretFieldProps = {
  readonly label: string;
  readonly placeholder?: string | undefined;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem?: string | undefined;
};

/** A field for a secret. Instead of a saved secret, it shows the secret's placeholder. */
export function SecretField({ label, value, onValue, problem, placeholder }: SecretFieldProps) {
  if (!isKept(value)) {
    return (
      <TextField
        label={label}
        value={value}
        onValue={onValue}
        placeholder={placeholder}
        problem={problem}
        hint="After you save this secret, it cannot be viewed again."
      />
    );
  }
  return (
    <div class="field">
      <span>{label}</span>
      <div class="row">
        <span class="kept">Saved ({value.slice(KEPT.length)})</span>
        <button type="button" onClick={() => onValue('')}>
          Replace
        </button>
      </div>
      {problem !== undefined && <span class="wrong">{problem}</span>}
    </div>
  );
}

type SecretsFieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly values: readonly string[];
  readonly onValues: (values: readonly string[]) => void;
  readonly problems: readonly (string | undefined)[];
};

/** A field for one secret, or for two during a rotation. */
export function SecretsField({ values, onValues, problems, hint, ...field }: SecretsFieldProps) {
  const replaced = (index: number, value: string) =>
    onValues(values.map((known, place) => (place === index ? value : known)));
  return (
    <div class="stack">
      {values.map((value, index) => (
        <div key={index} class="secret-field">
          <SecretField
            {...field}
            label={index === 0 ? field.label : 'Second secret'}
            value={value}
            onValue={(next) => replaced(index, next)}
            problem={problems[index]}
          />
          <div class="row">
            {value === '' && (
              <button type="button" onClick={() => replaced(index, newSecret())}>
                Generate
              </button>
            )}
            {values.length > 1 && (
              <button
                type="button"
                onClick={() => onValues(values.filter((_, place) => place !== index))}
              >
                Remove
              </button>
            )}
          </div>
        </div>
      ))}
      {values.length < MOST && values.every((value) => value !== '') && (
        <div>
          <button type="button" onClick={() => onValues([...values, ''])}>
            Add a second secret
          </button>{' '}
          <span class="hint">{hint}</span>
        </div>
      )}
    </div>
  );
}

const MOST = 2;
const KEPT = 'kept:';

function isKept(value: string): boolean {
  return value.startsWith(KEPT);
}

/** Creates a secret in the format of Standard Webhooks: 32 random bytes in base64. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
