import { useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { now } from '#console/interface/connection.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ago, moment } from '#console/words/times.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { IssuedKey } from './issued-key.tsx';
import { NewKey } from './new-key.tsx';

type Key = Answer<'GET /v1/keys'>['keys'][number];
export type OwnKey = Answer<'GET /v1/key'>;

/** The keys of the tenant, with actions to create, rotate and revoke them. */
export function Keys({ own }: { readonly own: OwnKey }) {
  const { answer, problem } = useFollowed('GET /v1/keys');
  const [issued, setIssued] = useState<Answer<'POST /v1/keys'>>();
  const show = (made: Answer<'POST /v1/keys'>) => {
    setIssued(made);
    refreshAll();
  };
  return (
    <section class="stack" aria-label="Keys">
      <h2>Keys of {own.tenant}</h2>
      {issued !== undefined && <IssuedKey issued={issued} onDone={() => setIssued(undefined)} />}
      <ProblemNotice problem={problem} />
      {answer === undefined && problem === undefined && <Loading />}
      <ul class="cards">
        {answer?.keys.map((key) => (
          <KeyCard key={key.id} known={key} isOwn={key.id === own.id} onIssued={show} />
        ))}
      </ul>
      <NewKey may={own.may} onIssued={show} />
    </section>
  );
}

const STATES: Readonly<Record<Key['state'], { readonly word: string; readonly look: string }>> = {
  live: { word: 'Live', look: 'ok' },
  expired: { word: 'Expired', look: 'off' },
  revoked: { word: 'Revoked', look: 'failed' },
};

type KeyCardProps = {
  readonly known: Key;
  readonly isOwn: boolean;
  readonly onIssued: (issued: Answer<'POST /v1/keys'>) => void;
};

function KeyCard({ known, isOwn, onIssued }: KeyCardProps) {
  const [asked, setAsked] = useState<'revoke' | 'rotate'>();
  const [problem, setProblem] = useState<Problem>();
  const { id, name, scopes, state, createdAt, endsAt, signedInFrom } = known;
  const { word, look } = STATES[state];
  const isLastAdmin = problem?.type.endsWith(':in_use') ?? false;

  const cancel = () => {
    setAsked(undefined);
    setProblem(undefined);
  };
  const revoke = async () => {
    const outcome = await ask('DELETE /v1/keys/{key}', {
      path: { key: id },
      query: { lastAdmin: isLastAdmin ? 'true' : 'false' },
    });
    setProblem(problemOf(outcome, 'The key was not revoked'));
    if (outcome.kind !== 'answered') return;
    cancel();
    announce(
      `The key “${name}” was revoked. Requests with this key will be rejected within 30 seconds.`,
    );
    refreshAll();
  };
  const rotate = async () => {
    const outcome = await ask('POST /v1/keys/{key}/rotate', {
      path: { key: id },
      body: { overlap: '1d' },
    });
    setProblem(problemOf(outcome, 'The key was not rotated'));
    if (outcome.kind !== 'answered') return;
    cancel();
    onIssued(outcome.answer);
  };

  return (
    <li class="panel stack key">
      <div class="row spread">
        <h3>{name}</h3>
        <span class={`state ${look}`}>{word}</span>
      </div>
      <p class="small quiet">
        {scopes.join(', ')} · <code>{id}</code> · created {ago(createdAt, now())}
        {endsAt !== null && ` · ${state === 'live' ? 'expires' : 'ended'} ${moment(endsAt)}`}
        {signedInFrom !== null && ` · for a phone signed in with the key ${signedInFrom}`}
        {isOwn && ' · you are signed in with this key'}
      </p>
      {state === 'live' && asked === undefined && (
        <div class="row actions">
          <button type="button" onClick={() => setAsked('rotate')}>
            Rotate
          </button>
          <button type="button" onClick={() => setAsked('revoke')}>
            Revoke
          </button>
        </div>
      )}
      {asked === 'rotate' && (
        <Confirmation
          text="This creates a new key with the same name and scopes. The old key works for one more day. Then each phone that was signed in with the old key is signed out."
          action="Rotate key"
          onConfirm={rotate}
          onCancel={cancel}
        />
      )}
      {asked === 'revoke' && (
        <Confirmation
          text={`Requests with this key will be rejected within 30 seconds, and each phone that was signed in with this key will be signed out. You cannot undo this.${isOwn ? ' You are signed in with this key, so you will need another key to sign in again.' : ''}`}
          action={isLastAdmin ? 'Revoke the last admin key' : 'Revoke key'}
          onConfirm={revoke}
          onCancel={cancel}
        />
      )}
      {isLastAdmin ? (
        <p class="notice bad" role="alert">
          This is the last key that can create keys. If you revoke it, only the operators of the
          stack can create new keys.
        </p>
      ) : (
        <ProblemNotice problem={problem} />
      )}
    </li>
  );
}

type ConfirmationProps = {
  readonly text: string;
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onCancel: () => void;
};

function Confirmation({ text, action, onConfirm, onCancel }: ConfirmationProps) {
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await onConfirm();
    setBusy(false);
  };
  return (
    <div class="stack">
      <p class="small">{text}</p>
      <div class="row actions">
        <button type="button" disabled={isBusy} onClick={() => void confirm()}>
          {action}
        </button>
        <button type="button" class="plain" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  );
}
