import { useEffect, useState } from 'preact/hooks';
import { Choice, SearchField } from '#console/form/filters.tsx';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { Pager } from '#console/shell/pager.tsx';
import { choices, choose, linkTo, oneOf } from '#console/shell/place.ts';
import { Title } from '#console/shell/title.tsx';
import { Ago } from '#console/words/ago.tsx';
import { amount, change, dollars, metricInWords, percentage } from '#console/words/amounts.ts';
import { Avatar } from '#console/words/avatar.tsx';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ruleName, shortRuleName } from '#console/words/rule-name.ts';
import { type Standing, StandingWord } from '#console/words/standing.tsx';
import { NothingWatched, QuickActions } from './quick-actions.tsx';
import { Sparkline } from './sparkline.tsx';

type Overview = Answer<'GET /v1/overview'>;
export type OverviewRow = Overview['contracts'][number];

/** What fires, how far each collection is from its lines, and how fresh that is. */
export function OverviewPage() {
  const { cursor, search, state, sort } = choices.value;
  const { answer, problem } = useFollowed('GET /v1/overview', {
    query: { limit: '50', ...(cursor === undefined ? {} : { cursor }) },
  });
  const [firing, setFiring] = useState<FiringNames>(new Map());
  const wanted = oneOf(STANDINGS, state);
  const order = oneOf(BY, sort) ?? 'distance';
  if (answer === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;

  const rows = answer.contracts
    .filter(({ name, contract, slug }) => {
      const asked = (search ?? '').toLowerCase();
      return [name, contract, slug].some((text) => text?.toLowerCase().includes(asked));
    })
    .filter(({ standing }) => wanted === undefined || standing === wanted)
    .toSorted(ORDERS[order].compare);

  return (
    <>
      <Title of="Overview" firing={answer.counts.firing} />
      {answer.counts.firing > 0 && <FiringRules onKnown={setFiring} />}
      <h1 class="unseen">Overview</h1>
      <div class="row spread">
        <Summary overview={answer} isPart={cursor !== undefined || answer.cursor !== null} />
        {answer.contracts.length > 0 && <QuickActions rows={answer.contracts} />}
      </div>
      {answer.contracts.length === 0 && cursor === undefined ? (
        <NothingWatched />
      ) : (
        <>
          <div class="row tools">
            <SearchField
              label="Search collections"
              placeholder="Search collections"
              text={search}
              onText={(text) => choose({ search: text }, 'on')}
            />
            <Choice
              label="Show"
              none="Every state"
              options={STANDINGS.map((standing) => [standing, COUNTED[standing]] as const)}
              value={wanted}
              onValue={(standing) => choose({ state: standing })}
            />
            <Choice
              label="Sort"
              options={BY.map((one) => [one, ORDERS[one].words] as const)}
              value={order}
              onValue={(by) => choose({ sort: by })}
            />
          </div>
          <div class="panel collections">
            <div class="collection head" aria-hidden="true">
              <span>Collection</span>
              <span class="number">Floor</span>
              <span class="number">1 h</span>
              <span class="number">24 h</span>
              <span class="number">7 d</span>
              <span>Last day</span>
              <span>Nearest line</span>
              <span>State</span>
            </div>
            <ul>
              {rows.map((row) => (
                <Row key={row.contract} row={row} firing={firing.get(row.contract)} />
              ))}
            </ul>
            {rows.length === 0 && (
              <p class="empty">
                No collection is like that. Clear the search, or show every state.
              </p>
            )}
          </div>
          <Pager
            next={answer.cursor}
            words={{ first: 'Back to the first', next: 'Further collections' }}
          />
        </>
      )}
    </>
  );
}

const STANDINGS = [
  ...(['firing', 'error', 'noData', 'disputed', 'pending'] as const),
  ...(['acknowledged', 'waiting', 'ok', 'expired', 'off'] as const),
];

/** What collections of a standing are called. */
const COUNTED: Readonly<Record<Standing, string>> = {
  firing: 'firing',
  error: 'in error',
  noData: 'without data',
  disputed: 'disputed',
  pending: 'pending',
  acknowledged: 'acknowledged',
  waiting: 'waiting for a price',
  ok: 'ok',
  expired: 'expired',
  off: 'off',
};

type SummaryProps = {
  readonly overview: Overview;
  /** Whether further collections are on other pages. */
  readonly isPart: boolean;
};

/** How many collections stand how, each counted once by its worst rule. */
function Summary({ overview: { contracts, checkedAt }, isPart }: SummaryProps) {
  const numberOf = (wanted: OverviewRow['standing']) =>
    contracts.filter(({ standing }) => standing === wanted).length;
  const others = STANDINGS.filter((standing) => standing !== 'firing' && numberOf(standing) > 0);
  const withoutRules = numberOf(null);
  const collections = contracts.length === 1 ? 'collection' : 'collections';
  return (
    <div class="summary">
      <p class="summary" aria-live="polite">
        {contracts.length > 0 && (
          <span class={numberOf('firing') > 0 ? 'count firing' : 'count'}>
            <strong>
              {numberOf('firing')} of {contracts.length}
            </strong>{' '}
            {collections} {isPart && 'on this page '}firing
          </span>
        )}
        {others.map((standing) => (
          <span key={standing} class={`count ${standing}`}>
            <strong>{numberOf(standing)}</strong> {COUNTED[standing]}
          </span>
        ))}
        {withoutRules > 0 && (
          <span class="count off">
            <strong>{withoutRules}</strong> without rules
          </span>
        )}
      </p>
      {checkedAt !== null && (
        <span class="quiet">
          checked <Ago at={checkedAt} />
        </span>
      )}
    </div>
  );
}

/** The names of the rules that fire, by contract. */
type FiringNames = ReadonlyMap<string, readonly string[]>;

/** Follows the firing rules, whose names are not in the overview. */
function FiringRules({ onKnown }: { readonly onKnown: (names: FiringNames) => void }) {
  const { answer } = useFollowed('GET /v1/watches', { query: { state: 'firing', limit: '100' } });
  useEffect(() => {
    const watches = answer?.watches ?? [];
    const byContract = Map.groupBy(watches, ({ contract }) => contract);
    onKnown(new Map([...byContract].map(([contract, all]) => [contract, all.map(ruleName)])));
  }, [answer]);
  return null;
}

type RowProps = {
  readonly row: OverviewRow;
  /** The names of its rules that fire; undefined until they are known. */
  readonly firing: readonly string[] | undefined;
};

function Row({ row, firing }: RowProps) {
  const { contract, floor, changes, nearest, freshness, standing } = row;
  const name = row.name ?? contract;
  return (
    <li>
      <a class="collection" href={linkTo('collections', contract)}>
        <span class="who">
          <Avatar of={name} id={contract} hasPicture={row.image !== null} />
          <span class="name">
            {name}
            <span class={freshness.state === 'fresh' ? 'quiet small' : 'small trouble'}>
              {freshness.state === 'fresh'
                ? floor && <Ago at={floor.at} />
                : (freshness.reason ?? freshness.state)}
            </span>
          </span>
        </span>
        <span class="number floor">
          <span class="unseen">Floor </span>
          <strong>{floor === null ? 'No floor' : amount(floor.value, floor.unit)}</strong>
          {floor?.usd && <span class="quiet small">{dollars(floor.usd)}</span>}
        </span>
        {(['1h', '24h', '7d'] as const).map((span) => (
          <Change key={span} span={span} percent={changes[span]} />
        ))}
        <Sparkline row={row} />
        <span class="nearest">
          {nearest === null ? (
            <span class="quiet small">no line</span>
          ) : (
            <>
              <span class="unseen">Nearest line </span>
              <strong>{distanceOf(nearest)}</strong>
              <span class="quiet small">
                {!OF_FLOOR.includes(nearest.metric) && `${metricInWords(nearest.metric)} `}
                {isPassed(nearest) ? 'line at' : `${nearest.direction} to`}{' '}
                {amount(nearest.line, nearest.unit)}
              </span>
            </>
          )}
        </span>
        <span class="standing">
          {standing === null ? (
            <span class="state">No rule</span>
          ) : (
            <StandingWord standing={standing} />
          )}
          {standing === 'firing' && firing !== undefined && (
            <span class="small which">
              {inShort(firing.map((rule) => shortRuleName(rule, name)))}
            </span>
          )}
        </span>
      </a>
    </li>
  );
}

/** The first of some names, and the number of the others. */
function inShort([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** Metrics whose line needs no name in a row, because the floor is shown beside it. */
const OF_FLOOR = ['floor_price', 'floor_price_usd'];

type Nearest = NonNullable<OverviewRow['nearest']>;

function isPassed({ distancePct }: Nearest): boolean {
  return distancePct?.startsWith('-') === true;
}

/** `4.1 % to line`; where a falling price has passed it, `1.2 % below`. */
function distanceOf(nearest: Nearest): string {
  const { distancePct, distance, unit, direction } = nearest;
  if (distancePct === null) return `${amount(distance ?? '0', unit)} to line`;
  if (/^-?0(\.0+)?$/.test(distancePct)) return 'at its line';
  if (isPassed(nearest)) {
    return `${percentage(distancePct.slice(1))} ${direction === 'falls' ? 'below' : 'above'}`;
  }
  return `${percentage(distancePct)} to line`;
}

function Change({ span, percent }: { readonly span: string; readonly percent: string | null }) {
  const way =
    percent === null || /^-?0(\.0+)?$/.test(percent)
      ? 'flat'
      : percent.startsWith('-')
        ? 'down'
        : 'up';
  return (
    <span class={`number change ${way}`}>
      <span class="span">{span} </span>
      {percent === null ? '–' : change(percent)}
    </span>
  );
}

type Compare = (one: OverviewRow, other: OverviewRow) => number;

/** Distances are compared as the interface gives them; unknown ones are last. */
const ORDERS: Readonly<
  Record<(typeof BY)[number], { readonly words: string; readonly compare: Compare }>
> = {
  distance: {
    words: 'Nearest line',
    compare: (one, other) => rankOf(one) - rankOf(other) || ofDistance(one) - ofDistance(other),
  },
  moved: {
    words: 'Moved in 24 h',
    compare: (one, other) => moved(other) - moved(one),
  },
  name: {
    words: 'Name',
    compare: (one, other) => (one.name ?? one.contract).localeCompare(other.name ?? other.contract),
  },
};

const BY = ['distance', 'moved', 'name'] as const;

/** What fires is above all. */
function rankOf({ standing }: OverviewRow): number {
  return standing === 'firing' ? 0 : 1;
}

function ofDistance({ nearest }: OverviewRow): number {
  return nearest?.distancePct == null
    ? Number.POSITIVE_INFINITY
    : Math.abs(Number(nearest.distancePct));
}

function moved({ changes }: OverviewRow): number {
  return Math.abs(Number(changes['24h'] ?? 0));
}
