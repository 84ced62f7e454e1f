import { useEffect, useState } from 'preact/hooks';
import { Check } from '#console/form/fields.tsx';
import { FormProblem } from '#console/form/problems.tsx';
import { ask, type Problem } from '#console/interface/ask.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import { counted } from './counted.ts';
import { type Differences, DifferencesInWords } from './differences.tsx';
import type { ReadList } from './list-page.tsx';
import { isBeside, ListTimesFields, membersOf, timesOf } from './list-times.tsx';
import { PlacedProblem } from './placed-problem.tsx';
import { dryRun, putList } from './put-list.ts';

const SEVERITIES = ['critical', 'warning', 'info'] as const;
type Severity = (typeof SEVERITIES)[number];
type Exported = Answer<'GET /v1/watchlists/{watchlist}/export'>;

/** What differs where somebody else was faster, and what saving would then do. */
type Conflict = { readonly text: string; readonly revision: number; readonly would: Differences };

/** The name of a list, its wallet, its times, and who gets what; what a person types stays while others change it. */
export function ListSettings({ list }: { readonly list: ReadList }) {
  const [read, setRead] = useState(list);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (!isTouched) setRead(list);
  }, [list.revision, isTouched]);
  return <SettingsForm key={read.revision} list={read} onTouched={setTouched} />;
}

type FormProps = {
  /** The list as it was when the edit began. */
  readonly list: ReadList;
  readonly onTouched: (isTouched: boolean) => void;
};

function SettingsForm({ list, onTouched }: FormProps) {
  const [name, setName] = useState(list.name);
  const [wallet, setWallet] = useState<string>(list.wallet ?? '');
  const [notify, setNotify] = useState(list.notify ?? {});
  const [used, setUsed] = useState<readonly string[]>(
    list.channels.filter((one) => typeof one === 'string'),
  );
  const [times, setTimes] = useState(timesOf(list));
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<Conflict>();

  // What has no field here stays: collections, rules, channels of its own, and who else is told.
  const edited = ({
    wallet: _,
    notify: _n,
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
      ...(Object.keys(notify).length === 0 ? {} : { notify }),
    });
  const put = async (text: string, revision: number) => {
    const outcome = await putList(list.id, text, revision);
    setProblem(outcome.kind === 'refused' ? outcome.problem : undefined);
    if (outcome.kind === 'refused' && outcome.problem.status === 412) {
      const would = await dryRun(list.id, text);
      if (would.kind !== 'answered' || would.answer.revision === null) return;
      setProblem(undefined);
      setConflict({ text, revision: would.answer.revision, would: would.answer.differences });
    }
    if (outcome.kind !== 'answered') return;
    setConflict(undefined);
    onTouched(false);
    announce('Saved.');
    refreshAll();
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const exported = await ask('GET /v1/watchlists/{watchlist}/export', {
      path: { watchlist: list.id },
    });
    setProblem(exported.kind === 'refused' ? exported.problem : undefined);
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
      <label class="field">
        <span>Name</span>
        <input
          value={name}
          required
          maxLength={100}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>Wallet whose collections are followed, too (0x…); empty for none</span>
        <input
          value={wallet}
          spellcheck={false}
          onInput={({ currentTarget }) => setWallet(currentTarget.value)}
        />
      </label>
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
          setNotify(
            without(
              notify,
              used.filter((id) => !next.includes(id)),
            ),
          );
        }}
      />
      <WhoGetsWhat ids={[...ownOf(list), ...used]} notify={notify} onChange={setNotify} />
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

type Notify = NonNullable<ReadList['notify']>;

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
        There is no channel of all lists yet. <a href={linkTo('channels')}>Add one</a>
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

/** Who gets what, when some channels are not used any more. */
function without(notify: Notify, gone: readonly string[]): Notify {
  return Object.fromEntries(
    Object.entries(notify).map(([severity, ids]) => [
      severity,
      ids?.filter((id) => !gone.includes(id)),
    ]),
  );
}

type WhoProps = {
  readonly ids: readonly string[];
  readonly notify: Notify;
  readonly onChange: (notify: Notify) => void;
};

/** Which channels get the alerts of which severity: all, unless some are named. */
function WhoGetsWhat({ ids, notify, onChange }: WhoProps) {
  if (ids.length === 0) return <p class="quiet">The list has no channels: nobody is told.</p>;
  const set = (severity: Severity, id: string, gets: boolean) => {
    const before = notify[severity] ?? ids;
    const after = ids.filter((one) => (one === id ? gets : before.includes(one)));
    const { [severity]: _, ...others } = notify;
    onChange(after.length === ids.length ? others : { ...others, [severity]: after });
  };
  return (
    <fieldset class="stack">
      <legend class="small quiet">Who gets the alerts of rules that do not say</legend>
      <div class="scrolled">
        <table class="who-gets-what">
          <thead>
            <tr>
              <th scope="col">Channel</th>
              {SEVERITIES.map((severity) => (
                <th key={severity} scope="col">
                  {severity}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ids.map((id) => (
              <tr key={id}>
                <th scope="row">{id}</th>
                {SEVERITIES.map((severity) => (
                  <td key={severity}>
                    <input
                      type="checkbox"
                      aria-label={`${id} gets ${severity} alerts`}
                      checked={(notify[severity] ?? ids).includes(id)}
                      onChange={({ currentTarget }) => set(severity, id, currentTarget.checked)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </fieldset>
  );
}
