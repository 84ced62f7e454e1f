import { ChoiceField, TextField } from '#console/form/fields.tsx';
import { problemAt } from '#console/form/problems.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { ChannelBody } from './channel-kinds.ts';

/** The quiet hours of a channel. */
export type Quiet = NonNullable<Extract<ChannelBody, { readonly kind: 'email' }>['quiet']>;
type Hours = Quiet[number];

type QuietFieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly quiet: readonly Hours[];
  readonly onQuiet: (quiet: readonly Hours[]) => void;
  readonly problem: Problem | undefined;
};

/** Edits quiet hours, one entry per row. Keeps the members for which the form has no field. */
export function QuietField({ label, hint, quiet, onQuiet, problem }: QuietFieldProps) {
  const set = (index: number, change: Partial<Hours>) =>
    onQuiet(quiet.map((hours, at) => (at === index ? { ...hours, ...change } : hours)));
  const wrong = (index: number, member: string) => problemAt(problem, `/quiet/${index}/${member}`);
  return (
    <fieldset class="quiet-hours">
      <legend>{label}</legend>
      {quiet.map((hours, index) => (
        <div key={index} class="sentence fields">
          <TextField
            label="From"
            placeholder="22:00"
            value={hours.from}
            onValue={(from) => set(index, { from })}
            problem={wrong(index, 'from')}
          />
          <TextField
            label="To"
            placeholder="07:00"
            value={hours.to}
            onValue={(to) => set(index, { to })}
            problem={wrong(index, 'to')}
          />
          <ChoiceField
            label="On"
            value={nameOf(hours.days)}
            onValue={(name) =>
              onQuiet(quiet.map((one, at) => (at === index ? withDays(one, name) : one)))
            }
          >
            {Object.keys(DAYS).map((name) => (
              <option key={name}>{name}</option>
            ))}
            {!(nameOf(hours.days) in DAYS) && <option>{nameOf(hours.days)}</option>}
          </ChoiceField>
          <button
            type="button"
            class="at-end"
            onClick={() => onQuiet(quiet.filter((_, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button type="button" onClick={() => onQuiet([...quiet, { from: '22:00', to: '07:00' }])}>
          Add quiet hours
        </button>{' '}
        <span class="hint">{hint}</span>
      </div>
      {problemAt(problem, '/quiet') !== undefined && (
        <span class="wrong">{problemAt(problem, '/quiet')}</span>
      )}
    </fieldset>
  );
}

type Days = NonNullable<Hours['days']>;

/** The choices for the days on which quiet hours begin. */
const DAYS: Readonly<Record<string, Days | undefined>> = {
  'every day': undefined,
  'Monday to Friday': ['mon', 'tue', 'wed', 'thu', 'fri'],
  'Saturday and Sunday': ['sat', 'sun'],
};

function nameOf(days: Hours['days']): string {
  const found = Object.entries(DAYS).find(([, some]) => some?.join() === days?.join());
  return found?.[0] ?? days?.join(', ') ?? '';
}

function withDays({ days: _days, ...hours }: Hours, name: string): Hours {
  const days = DAYS[name];
  return days === undefined ? hours : { ...hours, days };
}
