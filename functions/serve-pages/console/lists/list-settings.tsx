import { useEffect, useState } from 'preact/hooks';
import { Check, NameField, TextField } from '#console/form/fields.tsx';
import { FormProblem, problemAt, problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { counted } from './counted.ts';
import { type Differences, DifferencesInWords } from './differences.tsx';
import type { ReadList } from './list-page.tsx';
import { isBeside, ListTimesFields, membersOf, timesOf } from './list-times.tsx';
import { PlacedProblem } from './placed-problem.tsx';
import { dryRun, putList } from './put-list.ts';
import { audienceMembers, audienceOf, WhoGetsWhat, without } from './who-gets-what.tsx';

type Exported = Answer<'GET /v1/watchlists/{watchlist}/export'>;

/** What differs where somebody else was faster, and what saving would then do. */
type Conflict = { readonly text: string; readonly revision: number; readonly would: Differences };

/** The name of a list, its wallet, its times, and who gets what; what a person types stays while others change it. */
export function ListSettings({ list }: { readonly list: ReadList }) {
  const [read, setRead] = useState(list);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    // The followed list is older than the saved one until its next request.
    if (!isTouched && list.revision > read.revision) setRead(list);
  }, [list.revision, isTouched]);
  // Props that never change: a render between the two events of a click would uncheck a box again.
  return <SettingsForm key={read.revision} list={read} onSaved={setRead} onTouched={setTouched} />;
}

type FormProps = {
  /** The list as it was when the edit began. */
  readonly list: ReadList;
  /** The next edit begins at the revision that the save made. */
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

  // What has no field here stays: collections, rules, and channels of its own.
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
    setProblem(problemOf(outcome, 'The settings are not saved'));
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
    setProblem(problemOf(exported, 'The settings are not saved'));
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
        hint="The collections that it holds are members of the list, too. Empty: none."
        value={wallet}
        onValue={setWallet}
        problem={problemAt(problem, '/wallet')}
      />
      {list.walletStatus?.pending === true && (
        <p class="quiet small">The provider has not reported what the wallet holds yet.</p>
      )}
      {list.walletStatus !== null && list.walletStatus.leftOut > 0 && (
        <p class="quiet small">
          {counted(list.walletStatus.leftOut, 'collection')} of it left out: no room, or no price.
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
          // Hours are added and taken off by buttons.
          onTouched(true);
        }}
      />
      <SettingsProblem problem={problem} />
      {conflict !== undefined && (
        <div class="notice warning stack" role="alert">
          <p>
            Somebody else changed this list meanwhile. Nothing is saved yet. Saving yours would:
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

/** Why settings were not taken, but for what stands beside its field. */
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

/** Which channels of all lists it uses. */
function ContactPoints({ used, onChange }: ContactPointsProps) {
  const { answer } = useFollowed('GET /v1/channels');
  if (answer === undefined) return null;
  if (answer.channels.length === 0) {
    return (
      <p class="quiet small">
        There is no channel yet that lists share. <a href={linkTo('channels')}>Add one</a>
      </p>
    );
  }
  return (
    <fieldset class="stack">
      <legend class="small quiet">Channels that it uses</legend>
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

/** The channels that a list has for itself. */
function ownOf({ channels }: ReadList): readonly string[] {
  return channels.flatMap((channel) => (typeof channel === 'string' ? [] : [channel.id ?? '']));
}
