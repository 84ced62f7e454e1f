import { useEffect, useState } from 'preact/hooks';
import { useFollowed } from '#console/interface/follow.ts';
import type { QueryOf } from '#console/interface/operations.ts';

/** Which episodes are shown. */
export type EpisodeFilter = Pick<
  QueryOf<'GET /v1/episodes'>,
  'state' | 'severity' | 'watchlist' | 'contract' | 'text'
>;

const STATES = [
  ['open', 'Only open'],
  ['over', 'Only over'],
] as const;
const SEVERITIES = ['critical', 'warning', 'info'] as const;
/** A person who types is not asked for at each letter. */
const PAUSE = 300;

type FiltersProps = {
  readonly filter: EpisodeFilter;
  readonly onChange: (filter: EpisodeFilter) => void;
};

export function EpisodeFilters({ filter, onChange }: FiltersProps) {
  // A key that may only view reads no lists: it does without these two.
  const { answer } = useFollowed('GET /v1/watchlists', { query: { limit: '100' } });
  const lists = answer?.watchlists ?? [];
  const members = lists
    .filter(({ id }) => filter.watchlist === undefined || id === filter.watchlist)
    .flatMap(({ contracts }) => contracts);
  const collections = new Map(members.map(({ contract, name }) => [contract, name ?? contract]));
  return (
    <search class="row tools">
      <SearchText text={filter.text} onChange={(text) => onChange({ ...filter, text })} />
      <Choice
        label="State"
        all="Open and over"
        options={STATES}
        value={filter.state}
        onChange={(state) => onChange({ ...filter, state })}
      />
      <Choice
        label="Severity"
        all="Every severity"
        options={SEVERITIES.map((one) => [one, `Only ${one}`] as const)}
        value={filter.severity}
        onChange={(severity) => onChange({ ...filter, severity })}
      />
      {lists.length > 0 && (
        <Choice
          label="List"
          all="Every list"
          options={lists.map(({ id, name }) => [id, name] as const)}
          value={filter.watchlist}
          onChange={(watchlist) => onChange({ ...filter, watchlist, contract: undefined })}
        />
      )}
      {lists.length > 0 && (
        <Choice
          label="Collection"
          all="Every collection"
          options={[...collections].toSorted(([, one], [, other]) => one.localeCompare(other))}
          value={filter.contract}
          onChange={(contract) => onChange({ ...filter, contract })}
        />
      )}
    </search>
  );
}

type SearchProps = {
  readonly text: string | undefined;
  readonly onChange: (text: string | undefined) => void;
};

function SearchText({ text, onChange }: SearchProps) {
  const [typed, setTyped] = useState(text ?? '');
  useEffect(() => setTyped(text ?? ''), [text]);
  useEffect(() => {
    const meant = typed.trim() === '' ? undefined : typed.trim();
    if (meant === text) return;
    const timer = setTimeout(() => onChange(meant), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="field grow">
      <span class="unseen">Search alerts</span>
      <input
        type="search"
        placeholder="Search rule, collection or message"
        maxLength={100}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  );
}

type ChoiceProps<Value extends string> = {
  readonly label: string;
  /** What the choice of all is called. */
  readonly all: string;
  readonly options: readonly (readonly [value: Value, words: string])[];
  readonly value: string | undefined;
  readonly onChange: (value: Value | undefined) => void;
};

function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, all, options, value, onChange } = props;
  return (
    <label class="field">
      <span class="unseen">{label}</span>
      <select
        value={value ?? ''}
        onChange={({ currentTarget }) =>
          onChange(options.find(([one]) => one === currentTarget.value)?.[0])
        }
      >
        <option value="">{all}</option>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
