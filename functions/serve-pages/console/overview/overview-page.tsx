import { useEffect, useState } from 'preact/hooks';
import { Choice, SearchField } from '#console/form/filters.tsx';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { Pager } from '#console/shell/pager.tsx';
import { choices, choose, linkTo, oneOf } from '#console/shell/place.ts';
import { Title } from '#console/shell/title.tsx';
import { Ago } from '#console/words/ago.tsx';
import {
  amount,
  change,
  dollars,
  measuredAmount,
  metricInWords,
  percentage,
} from '#console/words/amounts.ts';
import { Avatar } from '#console/words/avatar.tsx';
import { capitalized, collectionName, priceWord } from '#console/words/collection-name.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ruleName, shortRuleName } from '#console/words/rule-name.ts';
import { type Status, StatusWord } from '#console/words/status.tsx';
import { NothingWatched, QuickActions } from './quick-actions.tsx';
import { Sparkline } from './sparkline.tsx';

type Overview = Answer<'GET /v1/overview'>;
export type OverviewRow = Overview['contracts'][number];

/** The overview: each collection with its price, its nearest line and its status. */
export function OverviewPage() {
  const { cursor, search, state, sort } = choices.value;
  const { answer, problem } = useFollowed('GET /v1/overview', {
    query: { limit: '50', ...(cursor === undefined ? {} : { cursor }) },
  });
  const [firing, setFiring] = useState<FiringNames>(new Map());
  const wanted = oneOf(STATUSES, state);
  const order = oneOf(BY, sort) ?? 'distance';
  if (answer === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;

  const named = answer.contracts.map((row) => ({
    ...row,
    name: collectionName(row, answer.contracts),
  }));
  const rows = named
    .filter(({ name, contract, slug }) => {
      const asked = (search ?? '').toLowerCase();
      return [name, contract, slug].some((text) => text?.toLowerCase().includes(asked));
    })
    .filter(({ status }) => wanted === undefined || status === wanted)
    .toSorted(ORDERS[order].compare);

  return (
    <>
      <Title of="Overview" firing={answer.counts.firing} />
      {answer.counts.firing > 0 && <FiringRules onKnown={setFiring} />}
      <h1 class="unseen">Overview</h1>
      <div class="row spread">
        <Summary overview={answer} isPart={cursor !== undefined || answer.cursor !== null} />
        {answer.contracts.length > 0 && <QuickActions rows={named} />}
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
              none="All states"
              options={STATUSES.map((status) => [status, COUNTED[status]] as const)}
              value={wanted}
              onValue={(status) => choose({ state: status })}
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
              <span>Nearest threshold</span>
              <span>State</span>
            </div>
            <ul>
              {rows.map((row) => (
                <Row key={row.contract} row={row} firing={firing.get(row.contract)} />
              ))}
            </ul>
            {rows.length === 0 && (
              <p class="empty">No matching collections. Clear the search, or show all states.</p>
            )}
          </div>
          <Pager
            next={answer.cursor}
            words={{ first: 'Back to the first page', next: 'More collections' }}
          />
        </>
      )}
    </>
  );
}

const STATUSES = [
  ...(['firing', 'error', 'noData', 'disputed', 'pending'] as const),
  ...(['acknowledged', 'waiting', 'ok', 'expired', 'off'] as const),
];

/** The words for each status, preceded by a number of collections: `2 without data`. */
const COUNTED: Readonly<Record<Status, string>> = {
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
  /** Whether there are more collections on other pages. */
  readonly isPart: boolean;
};

/**
 * The number of collections in each status. Each collection is counted once, with the worst status
 * of its rules.
 */
function Summary({ overview: { contracts, checkedAt }, isPart }: SummaryProps) {
  const numberOf = (wanted: OverviewRow['status']) =>
    contracts.filter(({ status }) => status === wanted).length;
  const others = STATUSES.filter((status) => status !== 'firing' && numberOf(status) > 0);
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
        {others.map((status) => (
          <span key={status} class={`count ${status}`}>
            <strong>{numberOf(status)}</strong> {COUNTED[status]}
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

/** The names of firing rules, by contract. */
type FiringNames = ReadonlyMap<string, readonly string[]>;

/** Requests the names of firing rules, because the overview's answer does not contain them. */
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
  /** The names of the firing rules. Undefined until they are loaded. */
  readonly firing: readonly string[] | undefined;
};

function Row({ row, firing }: RowProps) {
  const { contract, floor, changes, nearest, freshness, status } = row;
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
          <span class="unseen">{capitalized(priceWord(contract))} </span>
          <strong>
            {floor === null ? `No ${priceWord(contract)}` : measuredAmount(floor.value, floor.unit)}
          </strong>
          {floor?.usd && <span class="quiet small">{dollars(floor.usd)}</span>}
        </span>
        {(['1h', '24h', '7d'] as const).map((span) => (
          <Change key={span} span={span} percent={changes[span]} />
        ))}
        <Sparkline row={row} />
        <span class="nearest">
          {nearest === null ? (
            <span class="quiet small">No threshold</span>
          ) : (
            <>
              <span class="unseen">Nearest threshold </span>
              <strong>{distanceOf(nearest)}</strong>
              <span class="quiet small">
                {!OF_FLOOR.includes(nearest.metric) && `${metricInWords(nearest.metric)} `}
                {isPassed(nearest) ? 'threshold' : `${nearest.direction} to`}{' '}
                {amount(nearest.line, nearest.unit)}
              </span>
            </>
          )}
        </span>
        <span class="status">
          {status === null ? <span class="state">No rule</span> : <StatusWord status={status} />}
          {status === 'firing' && firing !== undefined && (
            <span class="small which">
              {inShort(firing.map((rule) => shortRuleName(rule, name)))}
            </span>
          )}
        </span>
      </a>
    </li>
  );
}

/** The first name, and the number of the others: `dip and 1 more`. */
function inShort([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** Metrics that a row does not name, because the row already shows their value. */
const OF_FLOOR = ['floor_price', 'floor_price_usd', 'floor_ratio', 'list_value'];

type Nearest = NonNullable<OverviewRow['nearest']>;

function isPassed({ distancePct }: Nearest): boolean {
  return distancePct?.startsWith('-') === true;
}

/** The distance to a line: `4.1% away`, or `1.2% below` if a falling price has passed the line. */
function distanceOf(nearest: Nearest): string {
  const { distancePct, distance, unit, direction } = nearest;
  if (distancePct === null) return `${measuredAmount(distance ?? '0', unit)} away`;
  if (/^-?0(\.0+)?$/.test(distancePct)) return 'at threshold';
  if (isPassed(nearest)) {
    return `${percentage(distancePct.slice(1))} ${direction === 'falls' ? 'below' : 'above'}`;
  }
  return `${percentage(distancePct)} away`;
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

/**
 * The sort orders of the rows. By distance, firing rows come first, and rows without a known
 * distance last.
 */
const ORDERS: Readonly<
  Record<(typeof BY)[number], { readonly words: string; readonly compare: Compare }>
> = {
  distance: {
    words: 'Nearest threshold',
    compare: (one, other) => rankOf(one) - rankOf(other) || ofDistance(one) - ofDistance(other),
  },
  moved: {
    words: 'Largest move in 24 h',
    compare: (one, other) => moved(other) - moved(one),
  },
  name: {
    words: 'Name',
    compare: (one, other) => (one.name ?? one.contract).localeCompare(other.name ?? other.contract),
  },
};

const BY = ['distance', 'moved', 'name'] as const;

/** Firing collections are first. */
function rankOf({ status }: OverviewRow): number {
  return status === 'firing' ? 0 : 1;
}

function ofDistance({ nearest }: OverviewRow): number {
  return nearest?.distancePct == null
    ? Number.POSITIVE_INFINITY
    : Math.abs(Number(nearest.distancePct));
}

function moved({ changes }: OverviewRow): number {
  return Math.abs(Number(changes['24h'] ?? 0));
}
