import { useEffect, useState } from 'preact/hooks';
import { Check, NameField, TextField } from '#console/form/fields.tsx';
import { FormProblem, problemAt, problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { audienceMembers, audienceOf, WhoGetsWhat, without } from './alert-routing.tsx';
import { counted } from './counted.ts';
import { type Differences, DifferencesInWords } from './differences.tsx';
import type { ReadList } from './list-page.tsx';
import { isBeside, ListTimesFields, membersOf, timesOf } from './list-times.tsx';
import { PlacedProblem } from './placed-problem.tsx';
import { dryRun, putList } from './put-list.ts';

type Exported = Answer<'GET /v1/watchlists/{watchlist}/export'>;

/**
 * An edit of an older revision: the edited list, the current revision, and the differences that
 * saving would make.
 */
type Conflict = { readonly text: string; readonly revision: number; readonly would: Differences };

/** Edits the settings of a list. A change by somebody else does not overwrite the typed values. */
export function ListSettings({ list }: { readonly list: ReadList }) {
  const [read, setRead] = useState(list);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    // After a save, `list` is older than `read` until the list is requested again.
    if (!isTouched && list.revision > read.revision) setRead(list);
  }, [list.revision, isTouched]);
  // The props must not change during an edit. Otherwise, a render between the two events of a click
  // on a checkbox would undo the click.
  return <SettingsForm key={read.revision} list={read} onSaved={setRead} onTouched={setTouched} />;
}

type FormProps = {
  /** The list at the start of the edit. */
  readonly list: ReadList;
  /** The saved list. The next edit starts from its revision. */
  readonly onSaved: (list: ReadList) => void;
  readonly onTouched: (isTouched: boolean) => void;
};

function SettingsForm({ list, onSaved, onTouched }: FormProps) {
  const [name, setName] = useState(list.name);
  const [wallet, setWallet] = useState<string>(list.wallet ?? '');
  const [audience, setAudience] = useState(audienceOf(list));
  const [used, setUsed] = useState<readonly string[]>(
    list.channels.filter((one) => typeof one === 'string'),
  );
  const [times, setTimes] = useState(timesOf(list));
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<Conflict>();

  // Keeps the members without a field here: collections, rules and the list's own channels.
  const edited = ({
    wallet: _,
    notify: _n,
    escalate: _e,
    timeZone: _t,
    quiet: _q,
    report: _r,
    channels,
    ...rest
  }: Exported) =>
    JSON.stringify({
      ...rest,
      ...membersOf(times),
      name: name.trim(),
      channels: [...channels.filter((one) => typeof one !== 'string'), ...used],
      ...(wallet.trim() === '' ? {} : { wallet: wallet.trim() }),
      ...audienceMembers(audience),
    });
  const put = async (text: string, revision: number) => {
    const outcome = await putList(list.id, text, revision);
    setProblem(problemOf(outcome, 'The settings were not saved'));
    if (outcome.kind === 'refused' && outcome.problem.status === 412) {
      const would = await dryRun(list.id, text);
      if (would.kind !== 'answered' || would.answer.revision === null) return;
      setProblem(undefined);
      setConflict({ text, revision: would.answer.revision, would: would.answer.differences });
    }
    if (outcome.kind !== 'answered') return;
    setConflict(undefined);
    onTouched(false);
    onSaved(outcome.answer);
    announce('Saved.');
    refreshAll();
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const exported = await ask('GET /v1/watchlists/{watchlist}/export', {
      path: { watchlist: list.id },
    });
    setProblem(problemOf(exported, 'The settings were not saved'));
    if (exported.kind === 'answered') await put(edited(exported.answer), list.revision);
  };

  return (
    <form
      class="panel stack"
      aria-label="Settings"
      onInput={() => onTouched(true)}
      onSubmit={(event) => void submit(event)}
    >
      <h2>Settings</h2>
      <NameField label="Name" value={name} onValue={setName} isRequired />
      <TextField
        label="Wallet"
        placeholder="0x…"
        hint="The list also watches the collections that this wallet holds. Leave empty for none."
        value={wallet}
        onValue={setWallet}
        problem={problemAt(problem, '/wallet')}
      />
      {list.walletStatus?.pending === true && (
        <p class="quiet small">Waiting for the provider to report the wallet’s collections.</p>
      )}
      {list.walletStatus !== null && list.walletStatus.leftOut > 0 && (
        <p class="quiet small">
          Not added: {counted(list.walletStatus.leftOut, 'collection')} in the wallet. A collection
          limit is reached, or a collection has no price of its own.
        </p>
      )}
      <ContactPoints
        used={used}
        onChange={(next) => {
          setUsed(next);
          setAudience(
            without(
              audience,
              used.filter((id) => !next.includes(id)),
            ),
          );
        }}
      />
      <WhoGetsWhat
        ids={[...ownOf(list), ...used]}
        {...{ audience, problem }}
        onChange={setAudience}
      />
      <ListTimesFields
        times={times}
        problem={problem}
        onChange={(changed) => {
          setTimes(changed);
          // Quiet hours are added and removed with buttons, which cause no input event.
          onTouched(true);
        }}
      />
      <SettingsProblem problem={problem} />
      {conflict !== undefined && (
        <div class="notice warning stack" role="alert">
          <p>
            Somebody else changed this list while you were editing it. Your changes are not saved
            yet. If you save them, the list changes as follows:
          </p>
          <DifferencesInWords differences={conflict.would} names={new Map()} />
          <div class="row">
            <button type="button" onClick={() => void put(conflict.text, conflict.revision)}>
              Save mine
            </button>
            <button
              type="button"
              onClick={() => {
                setConflict(undefined);
                onTouched(false);
                refreshAll();
              }}
            >
              Keep theirs
            </button>
          </div>
        </div>
      )}
      <div class="row">
        <button type="submit" class="primary">
          Save settings
        </button>
      </div>
    </form>
  );
}

/** Shows the errors of rejected settings, except those that a field shows itself. */
function SettingsProblem({ problem }: { readonly problem: Problem | undefined }) {
  const errors = problem?.errors ?? [];
  const others = errors.filter(({ pointer }) => !isBeside(pointer));
  if (problem === undefined || errors.length === 0 || others.length > 0)
    return <PlacedProblem problem={problem && { ...problem, errors: others }} text={undefined} />;
  return <FormProblem problem={problem} beside={errors.map(({ pointer }) => pointer)} />;
}

type ContactPointsProps = {
  readonly used: readonly string[];
  readonly onChange: (used: readonly string[]) => void;
};

/** Selects the shared channels that a list uses. */
function ContactPoints({ used, onChange }: ContactPointsProps) {
  const { answer } = useFollowed('GET /v1/channels');
  if (answer === undefined) return null;
  if (answer.channels.length === 0) {
    return (
      <p class="quiet small">
        There are no shared channels yet. <a href={linkTo('channels')}>Add a channel</a>
      </p>
    );
  }
  return (
    <fieldset class="stack">
      <legend class="small quiet">Shared channels that this list uses</legend>
      <div class="row">
        {answer.channels.map(({ id }) => (
          <Check
            key={id}
            label={id}
            checked={used.includes(id)}
            onChecked={(isUsed) =>
              onChange(isUsed ? [...used, id] : used.filter((other) => other !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The ids of channels that belong only to this list. */
function ownOf({ channels }: ReadList): readonly string[] {
  return channels.flatMap((channel) => (typeof channel === 'string' ? [] : [channel.id ?? '']));
}
