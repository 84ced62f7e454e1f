import { Choice, SearchField } from '#console/form/filters.tsx';
import { useFollowed } from '#console/interface/follow.ts';
import type { QueryOf } from '#console/interface/operations.ts';
import { type Changed, choose, oneOf } from '#console/shell/place.ts';
import { collectionName } from '#console/words/collection-name.ts';

/** The filter of the page, as stored in its address. */
export type EpisodeFilter = Pick<
  QueryOf<'GET /v1/episodes'>,
  'state' | 'severity' | 'watchlist' | 'contract' | 'text'
> & {
  /** The span of time to show. */
  readonly within?: (typeof SPANS)[number][0] | undefined;
};

const STATES = [
  ['open', 'Only open'],
  ['over', 'Only ended'],
] as const;
const SEVERITIES = ['critical', 'warning', 'info'] as const;
const SPANS = [
  ['1d', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;
const DAY = 86_400_000;

/** Reads the filter from an address. Unknown values are left out. */
export function filterOf({ state, severity, within, ...chosen }: Changed): EpisodeFilter {
  return {
    state: oneOf(['open', 'over'], state),
    severity: oneOf(SEVERITIES, severity),
    within: oneOf(['1d', '7d', '30d'], within),
    watchlist: chosen.watchlist,
    contract: chosen.contract,
    text: chosen.text,
  };
}

/** The query parameters of a filter. The span of time ends at `moment`. */
export function askedBy({ within, ...filter }: EpisodeFilter, moment: number) {
  const from =
    within === undefined
      ? {}
      : { from: new Date(moment - Number.parseInt(within, 10) * DAY).toISOString() };
  const known = Object.entries(filter).filter(([, value]) => value);
  return { ...(Object.fromEntries(known) as typeof filter), ...from };
}

/** Changes the filter, and starts again with the newest episodes. */
function change(changed: Partial<EpisodeFilter>, as?: 'on'): void {
  choose({ ...changed, cursor: undefined }, as);
}

/** Removes all filters from the address. */
export function showAll(): void {
  change(filterOf({}));
}

export function EpisodeFilters({ filter }: { readonly filter: EpisodeFilter }) {
  // A key with only the scope "view" cannot read lists, so it gets no filters for lists and
  // collections.
  const { answer } = useFollowed('GET /v1/watchlists', { query: { limit: '100' } });
  const lists = answer?.watchlists ?? [];
  const members = lists
    .filter(({ id }) => filter.watchlist === undefined || id === filter.watchlist)
    .flatMap(({ contracts }) => contracts);
  const collections = new Map(members.map((one) => [one.contract, collectionName(one, members)]));
  return (
    <search class="row tools">
      <SearchField
        label="Search alerts"
        placeholder="Search by rule, collection or message"
        text={filter.text}
        onText={(text) => change({ text }, 'on')}
      />
      <Choice
        label="State"
        none="Open and ended"
        options={STATES}
        value={filter.state}
        onValue={(state) => change({ state })}
      />
      <Choice
        label="Severity"
        none="All severities"
        options={SEVERITIES.map((one) => [one, `Only ${one}`] as const)}
        value={filter.severity}
        onValue={(severity) => change({ severity })}
      />
      <Choice
        label="Time"
        none="Any time"
        options={SPANS}
        value={filter.within}
        onValue={(within) => change({ within })}
      />
      {lists.length > 0 && (
        <Choice
          label="List"
          none="All lists"
          options={lists.map(({ id, name }) => [id, name] as const)}
          value={filter.watchlist}
          onValue={(watchlist) => change({ watchlist, contract: undefined })}
        />
      )}
      {lists.length > 0 && (
        <Choice
          label="Collection"
          none="All collections"
          options={[...collections].toSorted(([, one], [, other]) => one.localeCompare(other))}
          value={filter.contract}
          onValue={(contract) => change({ contract })}
        />
      )}
    </search>
  );
}
