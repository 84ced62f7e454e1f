import { useState } from 'preact/hooks';
import { Check, ChoiceField, NameField } from '#console/form/fields.tsx';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { now } from '#console/interface/connection.ts';
import type { Answer } from '#console/interface/operations.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { OwnKey } from './keys.tsx';

type Scope = OwnKey['may'][number];

const SCOPES: Readonly<Record<Scope, string>> = {
  view: 'view: prices and states, for a screen on a wall',
  read: 'read: everything',
  write: 'write: change lists, rules and channels',
  admin: 'admin: all of these, and keys',
  operate: 'operate: the state of the stack',
};

const DAY = 86_400_000;
const LIVES = [
  { name: 'without an end', days: undefined },
  { name: 'for 30 days', days: 30 },
  { name: 'for 90 days', days: 90 },
  { name: 'for a year', days: 365 },
] as const;

type NewKeyProps = {
  /** The scopes that may be given. */
  readonly may: readonly Scope[];
  readonly onIssued: (issued: Answer<'POST /v1/keys'>) => void;
};

/** Makes a key that has no right that the key of this page has not. */
export function NewKey({ may, onIssued }: NewKeyProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [life, setLife] = useState(0);
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const days = LIVES[life]?.days;
    const expiresAt = days && new Date(now() + days * DAY).toISOString();
    setBusy(true);
    const outcome = await ask('POST /v1/keys', {
      body: { name: name.trim(), scopes: [...scopes], ...(expiresAt ? { expiresAt } : {}) },
    });
    setBusy(false);
    setProblem(problemOf(outcome, 'No key was made'));
    if (outcome.kind !== 'answered') return;
    setName('');
    onIssued(outcome.answer);
  };
  return (
    <form class="panel stack" onSubmit={(event) => void submit(event)}>
      <h3>New key</h3>
      <div class="row">
        <NameField label="What it is used for" value={name} onValue={setName} isRequired />
        <ChoiceField
          label="It works"
          value={String(life)}
          onValue={(index) => setLife(Number(index))}
        >
          {LIVES.map((one, index) => (
            <option key={one.name} value={index}>
              {one.name}
            </option>
          ))}
        </ChoiceField>
      </div>
      <fieldset class="stack">
        <legend class="quiet small">It may</legend>
        {may.map((scope) => (
          <Check
            key={scope}
            label={SCOPES[scope]}
            checked={scopes.includes(scope)}
            onChecked={(isGiven) =>
              setScopes(isGiven ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
        ))}
      </fieldset>
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy || scopes.length === 0}>
          Make key
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </form>
  );
}
