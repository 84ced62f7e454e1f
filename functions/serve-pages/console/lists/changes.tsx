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
  /** The id of the list. Undefined for all lists. */
  readonly watchlist: string | undefined;
  readonly names: ReadonlyMap<string, string>;
};

/** The change history of one list or all lists, newest first. */
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
      <h2>Change history</h2>
      <ProblemNotice problem={problem} />
      {log === undefined && problem === undefined && <Loading />}
      {log?.changes.length === 0 && <p class="quiet">No changes yet.</p>}
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

/** Collapses consecutive acknowledgements by one person, which concern different alerts. */
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
  /** The number of collapsed changes. */
  readonly times: number;
  /** Whether the history is of a single list. If so, entries do not name the list. */
  readonly isOfOne: boolean;
  readonly names: ReadonlyMap<string, string>;
};

function ChangeEntry({ change, times, isOfOne, names }: EntryProps) {
  const { at, by, watchlist, kind, revision, edit, subject } = change;
  const [isOpen, setOpen] = useState(false);
  // A person who uses a link in a message may give no name. Then only the channel of the link is
  // shown.
  const isNamed = by.via === null || by.name !== '';
  const deed = times === 1 ? DEEDS[kind] : `acknowledged ${times} alerts of`;
  return (
    <li class="stack">
      <div>
        <p>
          {isNamed && <strong>{by.name || by.key}</strong>} {isNamed ? deed : capital(deed)}{' '}
          {watchlist !== null &&
            (isOfOne ? 'this list' : <a href={linkTo('lists', watchlist)}>{watchlist}</a>)}
          {by.via !== null && ` via ${by.via}`}
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

/**
 * The verb phrase for each kind of change. The name of the list follows, if the change belongs to a
 * list.
 */
const DEEDS: Readonly<Record<Change['kind'], string>> = {
  watchlist_created: 'created',
  watchlist_changed: 'changed',
  watchlist_deleted: 'deleted',
  contact_points_changed: 'changed the shared channels',
  mute_made: 'muted alerts of',
  mute_lifted: 'ended a mute on',
  alert_acknowledged: 'acknowledged an alert of',
  channel_tested: 'tested a channel of',
  channel_confirmed: 'confirmed a channel of',
  key_made: 'created the key',
  key_rotated: 'rotated the key',
  key_revoked: 'revoked the key',
};

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/**
 * Shows the differences that a change made, and a button to restore the list as it was after the
 * change.
 */
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
        <p class="quiet small">The details of this change are no longer available.</p>
      ) : (
        <DifferencesInWords differences={differences} names={names} />
      )}
      {document !== null && watchlist !== null && !isRestoring && (
        <button type="button" class="at-start" onClick={() => setRestoring(true)}>
          Restore this version…
        </button>
      )}
      {document !== null && watchlist !== null && isRestoring && (
        <Preview
          watchlist={watchlist}
          text={JSON.stringify(document)}
          names={names}
          deed="Restore"
          done="The earlier version was restored."
          onDone={() => setRestoring(false)}
          onCancel={() => setRestoring(false)}
        />
      )}
    </>
  );
}

/** Summarizes an edit, such as `rules added: floor-20; channels removed: desk`. */
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
    ...(name === null ? [] : [`name: “${name}”`]),
    ...(wallet === null
      ? []
      : [wallet.address === null ? 'wallet removed' : `wallet: ${wallet.address}`]),
    ...said,
  ].join('; ');
}

const WHAT: Readonly<Record<string, string>> = { contracts: 'collections' };

/** The first four names, and the number of the others. Long addresses are shortened. */
function several(parts: readonly string[], names: ReadonlyMap<string, string>): string {
  const shown = parts
    .slice(0, 4)
    .map((part) => names.get(part) ?? (part.length > 24 ? `${part.slice(0, 12)}…` : part));
  return parts.length > 4 ? `${shown.join(', ')} and ${parts.length - 4} more` : shown.join(', ');
}
