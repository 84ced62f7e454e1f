import { useState } from 'preact/hooks';
import { ChoiceField, NumberField, TextField } from '#console/form/fields.tsx';
import { FormProblem, problemAt } from '#console/form/problems.tsx';
import { Conflict } from '#console/rule/conflict.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import {
  type ChannelBody,
  type Field,
  fieldsOf,
  KIND_GUIDES,
  KINDS,
  type Kind,
} from './channel-kinds.ts';
import { addChannel, type Channels, type ReadChannel, saveChannel } from './channel-requests.ts';
import { type Quiet, QuietField } from './quiet-field.tsx';
import { SecretField, SecretsField } from './secret-field.tsx';
import { SetupPicture } from './setup-picture.tsx';

/** The typed values by member name. */
type Typed = Readonly<Record<string, Value>>;
type Value = string | readonly string[] | Quiet;

type ChannelFormProps = {
  /** The API requests with which the form reads and saves the channel. */
  readonly channels: Channels;
  /** The channel to edit. Undefined to add one. */
  readonly read?: ReadChannel;
  readonly onClose: (said?: string) => void;
};

/** Adds or edits a channel. Shows the steps to set up the channel, for example in Slack. */
export function ChannelForm({ channels, read, onClose }: ChannelFormProps) {
  const isNew = read === undefined;
  const [kind, setKind] = useState<Kind>(read?.written.kind ?? 'email');
  const [id, setId] = useState(read?.written.id ?? '');
  const [typed, setTyped] = useState<Typed>(read === undefined ? {} : typedOf(read.written));
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<ReadChannel>();
  const [isBusy, setBusy] = useState(false);
  const fields = fieldsOf(kind);
  const body = bodyOf(kind, id, typed, read?.written);

  const choose = (next: Kind) => {
    setKind(next);
    setTyped({});
    setProblem(undefined);
  };
  const save = async (over: ReadChannel | undefined) => {
    setBusy(true);
    const saved =
      over === undefined
        ? await addChannel(channels, body)
        : await saveChannel(channels, id, over, body);
    setBusy(false);
    setProblem(saved.kind === 'refused' ? saved.problem : undefined);
    setConflict(saved.kind === 'conflict' ? saved.now : undefined);
    if (saved.kind === 'saved') {
      onClose(isNew ? 'The channel was added. Send a test to check that it works.' : 'Saved.');
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void save(read);
  };

  return (
    <form class="panel stack channel-form" onSubmit={submit} aria-label={titleOf(read)}>
      <h2>{titleOf(read)}</h2>
      {isNew && <KindChoice kind={kind} onKind={choose} />}
      <p class="quiet">{KIND_GUIDES[kind].is}</p>
      <SetupSteps kind={kind} />
      <div class="sentence fields">
        {isNew && (
          <TextField
            label="Name"
            placeholder="desk"
            hint="Lists and rules refer to the channel by this name. Use lowercase letters, digits and hyphens."
            value={id}
            onValue={setId}
            problem={inWords(problemAt(problem, '/id'))}
          />
        )}
        {fields.map(([member, field]) => (
          <MemberField
            key={`${kind} ${member}`}
            member={member}
            field={field}
            value={typed[member]}
            onValue={(value) => setTyped((before) => ({ ...before, [member]: value }))}
            problem={problem}
          />
        ))}
      </div>
      <FormProblem problem={problem} beside={pointersOf(fields)} />
      {conflict !== undefined && read !== undefined && (
        <Conflict
          what="channel"
          before={read.written}
          mine={body}
          now={conflict.written}
          onOverwrite={() => void save(conflict)}
          onDiscard={() => onClose('No changes were saved.')}
        />
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          {isNew ? 'Add channel' : 'Save channel'}
        </button>
        <button type="button" onClick={() => onClose()}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function titleOf(read: ReadChannel | undefined): string {
  return read === undefined ? 'Add a channel' : `Edit ${read.written.id}`;
}

type KindChoiceProps = { readonly kind: Kind; readonly onKind: (kind: Kind) => void };

function KindChoice({ kind, onKind }: KindChoiceProps) {
  return (
    <fieldset class="kinds">
      <legend class="unseen">Kind of channel</legend>
      {KINDS.map((one) => (
        <label key={one} class="kind">
          <input
            type="radio"
            name="kind"
            value={one}
            checked={one === kind}
            onChange={() => onKind(one)}
          />
          {KIND_GUIDES[one].name}
        </label>
      ))}
    </fieldset>
  );
}

function SetupSteps({ kind }: { readonly kind: Kind }) {
  return (
    <ol class="steps">
      {KIND_GUIDES[kind].steps.map(({ words, scene }) => (
        <li key={words} class="step">
          <SetupPicture scene={scene} />
          <p>{words}</p>
        </li>
      ))}
    </ol>
  );
}

type MemberFieldProps = {
  readonly member: string;
  readonly field: Field;
  readonly value: Value | undefined;
  readonly onValue: (value: Value) => void;
  readonly problem: Problem | undefined;
};

function MemberField({ member, field, value, onValue, problem }: MemberFieldProps) {
  const { form, ...words } = field;
  const pointer = `/${member}`;
  const text = typeof value === 'string' ? value : '';
  const common = { ...words, value: text, onValue, problem: inWords(problemAt(problem, pointer)) };
  switch (form) {
    case 'text':
    case 'key':
      return <TextField {...common} />;
    case 'count':
      return <NumberField {...common} />;
    case 'secret':
      return <SecretField {...common} />;
    case 'secrets': {
      const given = textsIn(value);
      const values = given.length > 0 ? given : [''];
      return (
        <SecretsField
          {...words}
          values={values}
          onValues={onValue}
          problems={values.map(
            (_, index) => inWords(problemAt(problem, `${pointer}/${index}`)) ?? common.problem,
          )}
        />
      );
    }
    case 'quiet':
      return (
        <QuietField
          {...words}
          quiet={hoursIn(value)}
          onQuiet={(quiet) => onValue([...quiet])}
          problem={problem}
        />
      );
    case 'updates':
      return (
        <ChoiceField {...common} value={text === '' ? 'edit' : text}>
          <option value="edit">Update the first message</option>
          <option value="post">Send a new message for each</option>
        </ChoiceField>
      );
  }
}

/** Translates an API error about a member into the words of the form. */
function inWords(detail: string | undefined): string | undefined {
  if (detail?.startsWith('expected an id ')) {
    return 'Use 1 to 40 lowercase letters, digits and hyphens, such as my-desk.';
  }
  if (detail?.startsWith('expected "whsec_"')) {
    return 'Press “Generate”, or paste a secret that begins with whsec_.';
  }
  return detail;
}

function textsIn(value: Value | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function hoursIn(value: Value | undefined): Quiet {
  return Array.isArray(value) ? value.filter((one) => typeof one !== 'string') : [];
}

const MOST_HOURS = 14;

/**
 * JSON pointers of all fields that show their own errors, including both secrets and all quiet
 * hours.
 */
function pointersOf(fields: ReturnType<typeof fieldsOf>): readonly string[] {
  const ofHours = Array.from({ length: MOST_HOURS }, (_, index) =>
    ['from', 'to'].map((member) => `/quiet/${index}/${member}`),
  );
  const ofFields = fields.flatMap(([member]) => [`/${member}`, `/${member}/0`, `/${member}/1`]);
  return ['/id', ...ofFields, ...ofHours.flat()];
}

function typedOf(written: ChannelBody): Typed {
  const { id: _id, kind: _kind, ...members } = written;
  return Object.fromEntries(
    Object.entries(members).flatMap(([member, value]) =>
      value === undefined ? [] : [[member, typeof value === 'number' ? String(value) : value]],
    ),
  );
}

/**
 * Builds the request body from the form. The API validates it and reports each error with its
 * member.
 */
function bodyOf(kind: Kind, id: string, typed: Typed, known: ChannelBody | undefined): ChannelBody {
  const fields = fieldsOf(kind);
  const shown = new Set(fields.map(([member]) => member));
  const others = Object.entries(known ?? {}).filter(([member]) => !shown.has(member));
  const members = fields.flatMap(([member, { form }]) => {
    const given = givenIn(typed[member], form);
    if (given.length === 0) return [];
    // Send a malformed number as text, so that the API reports the expected format.
    const isCount = form === 'count' && typeof given === 'string' && /^\d+$/.test(given);
    return [[member, isCount ? Number(given) : given]];
  });
  const name = id.trim() === '' ? {} : { id: id.trim() };
  return { ...Object.fromEntries([...others, ...members]), ...name, kind } as ChannelBody;
}

function givenIn(value: Value | undefined, form: Field['form']): Value {
  if (form === 'quiet') return hoursIn(value);
  if (form !== 'secrets') return typeof value === 'string' ? value.trim() : '';
  const texts = textsIn(value).map((text) => text.trim());
  return texts.length > 0 ? texts : [''];
}
