import { useState } from 'preact/hooks';
import { ONCE, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { linkTo } from '#console/shell/place.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { moment } from '#console/words/times.ts';
import { DifferencesInWords } from './differences.tsx';
import { Preview } from './preview.tsx';

type ChangesProps = {
  /** Undefined for all lists. */
  readonly watchlist: string | undefined;
  readonly names: ReadonlyMap<string, string>;
};

/** Who changed what, the newest first. */
export function Changes({ watchlist, names }: ChangesProps) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { answer: log, problem } = useFollowed('GET /v1/changes', {
    query: {
      limit: '15',
      ...(watchlist === undefined ? {} : { watchlist }),
      ...(cursor === undefined ? {} : { cursor }),
    },
  });
  return (
    <section class="stack" aria-label="Changes">
      <h2>Who changed what</h2>
      <ProblemNotice problem={problem} />
      {log === undefined && problem === undefined && <Loading />}
      {log?.changes.length === 0 && <p class="quiet">Nothing was changed yet.</p>}
      <ol class="panel changes">
        {stretchesOf(log?.changes ?? []).map(({ change, times }) => (
          <ChangeEntry
            key={change.id}
            change={change}
            times={times}
            isOfOne={watchlist !== undefined}
            names={names}
          />
        ))}
      </ol>
      <div class="row">
        {cursors.length > 0 && (
          <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer changes
          </button>
        )}
        {log?.cursor != null && (
          <button type="button" onClick={() => setCursors([...cursors, log.cursor ?? ''])}>
            Older changes
          </button>
        )}
      </div>
    </section>
  );
}

type Change = Answer<'GET /v1/changes'>['changes'][number];
type Stretch = Pick<EntryProps, 'change' | 'times'>;

/** Who acknowledges ten alerts at once is one line. */
function stretchesOf(changes: readonly Change[]): readonly Stretch[] {
  const isLike = (one: Change, other: Change) =>
    one.kind === 'alert_acknowledged' &&
    one.kind === other.kind &&
    one.watchlist === other.watchlist &&
    one.by.key === other.by.key &&
    one.by.name === other.by.name;
  const stretches: Stretch[] = [];
  for (const change of changes) {
    const last = stretches.at(-1);
    if (last === undefined || !isLike(last.change, change)) stretches.push({ change, times: 1 });
    else stretches.splice(-1, 1, { ...last, times: last.times + 1 });
  }
  return stretches;
}

type EntryProps = {
  readonly change: Change;
  /** How many like it came at a stretch. */
  readonly times: number;
  /** Whether all changes are of one list, which need not be named. */
  readonly isOfOne: boolean;
  readonly names: ReadonlyMap<string, string>;
};

function ChangeEntry({ change, times, isOfOne, names }: EntryProps) {
  const { at, by, watchlist, kind, revision, edit, subject } = change;
  const [isOpen, setOpen] = useState(false);
  // The reader of a link may give no name; its channel is known.
  const isNamed = by.via === null || by.name !== '';
  return (
    <li class="stack">
      <div>
        <p>
          {isNamed && <strong>{by.name || by.key}</strong>}{' '}
          {isNamed ? DEEDS[kind] : capital(DEEDS[kind])}{' '}
          {watchlist !== null &&
            (isOfOne ? 'this list' : <a href={linkTo('lists', watchlist)}>{watchlist}</a>)}
          {by.via !== null && ` via ${by.via}`}
          {times > 1 && <span class="quiet"> {times} times</span>}
        </p>
        {subject !== null && /^(channel|key)_/.test(kind) && <p class="small">{subject}</p>}
        {edit !== null && <p class="small">{inShort(edit, names)}</p>}
        <p class="quiet small">
          <time dateTime={at}>{moment(at)}</time>
          {revision !== null && ` · revision ${revision}`}
        </p>
      </div>
      {revision !== null && (
        <>
          <button
            type="button"
            class="plain at-start"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show what changed'}
          </button>
          {isOpen && <ChangeDetails change={change} names={names} />}
        </>
      )}
    </li>
  );
}

/** What a change is called, with one list or several before it. */
const DEEDS: Readonly<Record<Change['kind'], string>> = {
  watchlist_created: 'made',
  watchlist_changed: 'changed',
  watchlist_deleted: 'deleted',
  contact_points_changed: 'changed contact points',
  mute_made: 'muted alerts of',
  mute_lifted: 'ended a mute of',
  alert_acknowledged: 'acknowledged an alert of',
  channel_tested: 'tested a channel of',
  channel_confirmed: 'confirmed a channel of',
  key_made: 'made the key',
  key_rotated: 'rotated the key',
  key_revoked: 'revoked the key',
};

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** What a change has done, member by member, and the way back to it. */
function ChangeDetails({ change, names }: Pick<EntryProps, 'change' | 'names'>) {
  const { id, watchlist } = change;
  const { answer: read, problem } = useFollowed(
    'GET /v1/changes/{change}',
    { path: { change: id } },
    ONCE,
  );
  const [isRestoring, setRestoring] = useState(false);
  if (read === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  const { document, differences } = read;
  return (
    <>
      {differences === null ? (
        <p class="quiet small">What it changed was not kept.</p>
      ) : (
        <DifferencesInWords differences={differences} names={names} />
      )}
      {document !== null && watchlist !== null && !isRestoring && (
        <button type="button" class="at-start" onClick={() => setRestoring(true)}>
          Restore this state…
        </button>
      )}
      {document !== null && watchlist !== null && isRestoring && (
        <Preview
          watchlist={watchlist}
          text={JSON.stringify(document)}
          names={names}
          deed="Restore"
          done="The list is again as it was then."
          onDone={() => setRestoring(false)}
          onCancel={() => setRestoring(false)}
        />
      )}
    </>
  );
}

/** `rules floor-20 added, desk removed`. */
function inShort(edit: NonNullable<Change['edit']>, names: ReadonlyMap<string, string>): string {
  const { name, wallet, contracts, rules, channels } = edit;
  const parts = { contracts, rules, channels };
  const said = Object.entries(parts).flatMap(([what, { added, changed, removed }]) =>
    [
      ['added', added] as const,
      ['changed', changed] as const,
      ['removed', removed] as const,
    ].flatMap(([how, some]) =>
      some.length === 0 ? [] : [`${WHAT[what] ?? what} ${how}: ${several(some, names)}`],
    ),
  );
  return [
    ...(name === null ? [] : [`name “${name}”`]),
    ...(wallet === null
      ? []
      : [wallet.address === null ? 'no wallet' : `wallet ${wallet.address}`]),
    ...said,
  ].join('; ');
}

const WHAT: Readonly<Record<string, string>> = { contracts: 'collections' };

/** A contract without a name is a long address. */
function several(parts: readonly string[], names: ReadonlyMap<string, string>): string {
  const shown = parts
    .slice(0, 4)
    .map((part) => names.get(part) ?? (part.length > 24 ? `${part.slice(0, 12)}…` : part));
  return parts.length > 4 ? `${shown.join(', ')} and ${parts.length - 4} more` : shown.join(', ');
}
