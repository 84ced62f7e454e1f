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
  view: 'view: see prices and statuses, for a wall display',
  read: 'read: see prices, lists, rules, alerts and channels',
  write: 'write: change lists, rules and channels',
  admin: 'admin: all of the above, and manage keys',
  operate: 'operate: see the state of the stack',
};

const DAY = 86_400_000;
const LIVES = [
  { name: 'never', days: undefined },
  { name: 'in 30 days', days: 30 },
  { name: 'in 90 days', days: 90 },
  { name: 'in a year', days: 365 },
] as const;

type NewKeyProps = {
  /** The scopes of the session's key. The new key can have only these. */
  readonly may: readonly Scope[];
  readonly onIssued: (issued: Answer<'POST /v1/keys'>) => void;
};

/** A form to create a key. */
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
    setProblem(problemOf(outcome, 'No key was created'));
    if (outcome.kind !== 'answered') return;
    setName('');
    onIssued(outcome.answer);
  };
  return (
    <form class="panel stack" onSubmit={(event) => void submit(event)}>
      <h3>New key</h3>
      <div class="row">
        <NameField label="Purpose of the key" value={name} onValue={setName} isRequired />
        <ChoiceField
          label="Expires"
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
        <legend class="quiet small">Scopes</legend>
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
          Create key
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </form>
  );
}
