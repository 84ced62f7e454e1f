import { useEffect, useRef, useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import type { Outcome } from '#console/interface/ask.ts';
import { now } from '#console/interface/connection.ts';
import { INTERVAL, useFollowed } from '#console/interface/follow.ts';
import type { PreviewState } from '#console/rule/rule-preview.tsx';
import { type ReadRule, readRule } from '#console/rule/rules.ts';
import { announce } from '#console/shell/announcements.tsx';
import { choices, choose, linkTo, linkWith } from '#console/shell/place.ts';
import { Title } from '#console/shell/title.tsx';
import { Ago } from '#console/words/ago.tsx';
import { dollars, measuredAmount } from '#console/words/amounts.ts';
import { Avatar } from '#console/words/avatar.tsx';
import {
  capitalized,
  collectionName,
  priceWord,
  shortContract,
} from '#console/words/collection-name.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ruleName, shortRuleName } from '#console/words/rule-name.ts';
import { moment } from '#console/words/times.ts';
import { UnknownPlace } from '#console/words/unknown-place.tsx';
import { comparedIn, isListValue, isRatio } from '#shared/domain/market/derived-key.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { LineEditor } from './line-editor.tsx';
import type { Line } from './lines.ts';
import { NewLine } from './new-line.tsx';
import { PriceChart } from './price-chart.tsx';
import { ALL, DAY, RANGES, WEEK } from './ranges.ts';
import { type FoundWatch, RuleCard } from './rule-card.tsx';
import type { Span } from './spans.ts';
import { Statistics } from './statistics.tsx';

/** A line that a person is moving. */
type Move = {
  readonly watch: FoundWatch;
  readonly kind: Line['kind'];
  readonly read: ReadRule;
  readonly price: string;
  /** Whether the move began with a button. If so, the scale of the chart includes the line. */
  readonly isTyped: boolean;
};

type PreviewedAlerts = NonNullable<PreviewState['previewed']>['alerts'];

/** The page of a collection: its chart, its rules and its latest alerts. */
export function CollectionPage({ contract }: { readonly contract: string }) {
  const [isYoung, setYoung] = useState(false);
  const { range: chosen, in: shownIn, as: shownAs } = choices.value;
  const range = RANGES.find((one) => one.name === chosen) ?? (isYoung ? ALL : WEEK);
  const isCompared = isRatio(contract);
  const isValue = isListValue(contract);
  const word = priceWord(contract);
  const inDollars = shownIn === 'usd' && !isCompared;
  const asCandles = shownAs === 'candles';
  // Round to the minute, so that a page that is reopened within the minute repeats its requests.
  const [opened] = useState(() => Math.floor(now() / 60_000) * 60_000);
  const from = range.span === undefined ? undefined : new Date(opened - range.span).toISOString();
  const { answer: known, problem } = useFollowed('GET /v1/contracts/{contract}', {
    path: { contract },
  });
  const { answer: prices } = useFollowed(
    'GET /v1/contracts/{contract}/prices',
    { path: { contract }, query: { points: '500', ...(from === undefined ? {} : { from }) } },
    INTERVAL,
    `${contract} ${range.name}`,
  );
  const series = seriesOfSales(known);
  const { answer: sales } = useFollowed(
    'GET /v1/contracts/{contract}/prices',
    isCompared || isValue
      ? null
      : {
          path: { contract },
          query: { series, points: '500', ...(from === undefined ? {} : { from }) },
        },
    INTERVAL,
    `${contract} ${range.name} ${series}`,
  );
  const volumeSeries = VOLUMES.find((one) => known?.series.some((read) => read.series === one));
  const { answer: volume } = useFollowed(
    'GET /v1/contracts/{contract}/prices',
    volumeSeries === undefined
      ? null
      : {
          path: { contract },
          query: { series: volumeSeries, points: '500', ...(from === undefined ? {} : { from }) },
        },
    INTERVAL,
    `${contract} ${range.name} ${volumeSeries}`,
  );
  const { answer: found } = useFollowed('GET /v1/watches', { query: { contract, limit: '100' } });
  const { answer: happened } = useFollowed('GET /v1/episodes', {
    query: { contract, limit: '50' },
  });
  const [firstPrice] = prices?.points ?? [];
  const isOfToday = firstPrice !== undefined && Date.parse(firstPrice.time) > opened - DAY;
  // By default, show a week of prices, or all prices if the first one is less than a day old.
  useEffect(() => {
    if (isOfToday) setYoung(true);
  }, [isOfToday]);
  const [move, setMove] = useState<Move>();
  /** The threshold that a click on the price scale chose for a new rule. */
  const [placed, setPlaced] = useState<string>();
  const [previewed, setPreviewed] = useState<PreviewedAlerts>();
  /** The rule whose line is being moved, with the request that reads it when the move starts. */
  const picked = useRef<{ of: string; read: Promise<ReadRule | Outcome<never>> }>(undefined);
  /** The reason why the rule of a moved line could not be read. */
  const [unread, setUnread] = useState<Problem>();

  if (known === undefined && problem?.status === 404) {
    return (
      <UnknownPlace title="Not watched">
        None of your lists contains the collection {contract}. Add it to a list to watch it.
      </UnknownPlace>
    );
  }
  if (known === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  const watches = found?.watches ?? [];
  const episodes = happened?.episodes ?? [];
  const alerts = episodes.flatMap(({ timeline }) => timeline);
  const floor = known.series.find((one) => one.series === 'floor');
  const name = collectionName({ contract, name: known.name ?? known.collection?.name });
  const unit = inDollars ? 'usd' : (floor?.currency ?? (isCompared ? 'ratio' : 'eth'));
  const ofRules = watches
    .flatMap((watch) => linesOf(watch, unit, name))
    .map((line) =>
      move !== undefined && line.id === lineId(move.watch, move.kind) && DECIMAL.test(move.price)
        ? { ...line, price: move.price }
        : line,
    );
  const lines: readonly Line[] =
    placed === undefined || !DECIMAL.test(placed)
      ? ofRules
      : [...ofRules, { id: NEW, rule: NEW, price: placed, title: 'new rule', kind: 'threshold' }];

  const letGo = (said?: string) => {
    picked.current = undefined;
    setMove(undefined);
    setPlaced(undefined);
    setPreviewed(undefined);
    setUnread(undefined);
    if (said !== undefined) announce(said);
  };
  const pickUp = async (
    watch: FoundWatch,
    kind: Line['kind'],
    price: string,
    by: 'button' | 'drag' | 'drop',
  ) => {
    setPlaced(undefined);
    const of = `${watch.watchlist} ${watch.rule}`;
    if (picked.current?.of !== of) {
      picked.current = { of, read: readRule(watch.watchlist, watch.rule) };
    }
    const read = await picked.current.read;
    if (picked.current?.of !== of) return;
    if (!('kind' in read)) {
      setUnread(undefined);
      setMove({ watch, kind, read, price, isTyped: by === 'button' });
      return;
    }
    // A drag calls this function for every pixel. Show the problem and allow another read only at
    // the end of the drag.
    if (by === 'drag') return;
    picked.current = undefined;
    setUnread(problemOf(read, 'The line cannot be moved'));
  };
  const moveLine = (id: string, price: string, by: 'drag' | 'drop') => {
    if (isValue) return;
    if (id === NEW) setPlaced(price);
    for (const watch of watches) {
      for (const kind of KINDS) {
        if (lineId(watch, kind) === id) void pickUp(watch, kind, price, by);
      }
    }
  };
  const onScale = (price: string) => {
    letGo();
    setPlaced(price);
  };

  return (
    <>
      <Title of={name} />
      <header class="row collection-head">
        <Avatar of={name} id={contract} hasPicture={known.collection?.image != null} />
        <div class="grow">
          <h1>{name}</h1>
          {isCompared && <Compared contract={contract} />}
          {isValue && <Valued watchlist={known.watchlists[0] ?? ''} />}
          {!isCompared && !isValue && <p class="quiet small address-line">{contract}</p>}
        </div>
        <a
          class="button primary"
          href={linkTo('collections', contract, 'rules', known.watchlists[0] ?? '', 'new')}
        >
          New rule
        </a>
      </header>
      <div class="columns with-past">
        <section class="stack" aria-label={`${capitalized(word)} over time`}>
          <div class="row spread">
            <p class="price">
              <strong>
                {floor?.price ? measuredAmount(floor.price, floor.currency ?? '') : `No ${word}`}
              </strong>
              {floor?.usd && <span class="quiet"> {dollars(floor.usd)}</span>}
              {floor?.dataTime && (
                <span class="quiet small">
                  {' '}
                  <Ago at={floor.dataTime} />
                </span>
              )}
            </p>
            <div class="row">
              {!isCompared && (
                <fieldset class="choice">
                  <legend class="unseen">Currency</legend>
                  <button
                    type="button"
                    aria-pressed={!inDollars}
                    onClick={() => choose({ in: undefined })}
                  >
                    {(floor?.currency ?? 'eth').toUpperCase()}
                  </button>
                  <button
                    type="button"
                    aria-pressed={inDollars}
                    onClick={() => choose({ in: 'usd' })}
                  >
                    USD
                  </button>
                </fieldset>
              )}
              <fieldset class="choice">
                <legend class="unseen">Chart</legend>
                <button
                  type="button"
                  aria-pressed={!asCandles}
                  onClick={() => choose({ as: undefined })}
                >
                  Line
                </button>
                <button
                  type="button"
                  aria-pressed={asCandles}
                  onClick={() => choose({ as: 'candles' })}
                >
                  Candles
                </button>
              </fieldset>
            </div>
          </div>
          <fieldset class="choice">
            <legend class="unseen">Time</legend>
            {RANGES.map((one) => (
              <button
                type="button"
                key={one.name}
                aria-pressed={one === range}
                onClick={() => choose({ range: one.name })}
              >
                {one.name}
              </button>
            ))}
          </fieldset>
          {prices === undefined ? (
            <Loading />
          ) : (
            <PriceChart
              name={name}
              prices={prices}
              sales={sales}
              volume={volume}
              inDollars={inDollars}
              asCandles={asCandles}
              from={from === undefined ? firstOf(prices.points, opened) : Date.parse(from)}
              to={now()}
              lines={lines}
              spans={spansOf(episodes, [...unrecorded(prices.points, from), ...prices.gaps])}
              markers={(previewed ?? alerts).map(({ dataTime, title, kind }) => ({
                ...{ time: Date.parse(dataTime), title, kind },
              }))}
              included={move?.isTyped ? lineId(move.watch, move.kind) : undefined}
              onDrag={(id, price) => moveLine(id, price, 'drag')}
              onDrop={(id, price) => moveLine(id, price, 'drop')}
              onCancel={() => letGo()}
              onScale={isValue ? undefined : onScale}
            />
          )}
          <ProblemNotice problem={unread} />
          {move !== undefined && (
            <LineEditor
              watch={move.watch}
              kind={move.kind}
              read={move.read}
              price={move.price}
              on={{ contract, name }}
              onChange={(price) => setMove({ ...move, price })}
              onPreview={setPreviewed}
              onClose={letGo}
            />
          )}
          {placed !== undefined && (
            <NewLine
              list={known.watchlists[0] ?? ''}
              price={placed}
              unit={unit}
              floor={inDollars ? floor?.usd : floor?.price}
              on={{ contract, name }}
              onChange={setPlaced}
              onPreview={setPreviewed}
              onClose={() => letGo()}
            />
          )}
          {move === undefined && placed === undefined && !isValue && (
            <p class="quiet small">
              {ofRules.length > 0 && 'Drag a line to move it, or press “Move line” on its rule. '}
              Click or tap the price scale to create a rule at that price.
            </p>
          )}
          <Statistics known={known} />
        </section>
        <section class="stack" aria-label="Rules">
          <h2>Rules</h2>
          {watches.length === 0 && found !== undefined && (
            <p class="panel quiet">
              No rules on this collection yet. Create one: before you save it, a preview shows the
              alerts that it would have sent in the last 30 days.
            </p>
          )}
          <ul class="stack">
            {watches.map((watch) => (
              <RuleCard
                key={`${watch.watchlist} ${watch.rule} ${watch.noData}`}
                watch={watch}
                onSaid={announce}
                onMoveLine={
                  isValue || watch.threshold === null || !linesOf(watch, unit, name).length
                    ? undefined
                    : () => void pickUp(watch, 'threshold', watch.threshold ?? '', 'button')
                }
              />
            ))}
          </ul>
        </section>
        <section class="stack past" aria-label="Recent alerts">
          <div class="row spread">
            <h2>Recent alerts</h2>
            <a class="small" href={linkWith({ contract }, 'alerts')}>
              All alerts
            </a>
          </div>
          {episodes.length === 0 && <p class="quiet small">No alerts yet.</p>}
          <ol class="happened">
            {episodes.slice(0, 8).map(({ self, title, firedAt, state }) => (
              <li key={self}>
                <time class="quiet small" dateTime={firedAt}>
                  {moment(firedAt)}
                </time>
                <span class={state === 'open' ? 'open' : undefined}>{title}</span>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </>
  );
}

/** The contracts of a comparison, each with a link to its page. */
function Compared({ contract }: { readonly contract: string }) {
  const [first = contract, ...others] = comparedIn(contract);
  const link = (one: string) => <a href={linkTo('collections', one)}>{shortContract(one)}</a>;
  return (
    <p class="quiet small">
      Floor of {link(first)} divided by{' '}
      {others.length === 1 ? 'the floor of' : 'the average floor of'}{' '}
      {others.map((other, index) => (
        <span key={other}>
          {index > 0 && ', '}
          {link(other)}
        </span>
      ))}
    </p>
  );
}

/** Explains the value of a list, with a link to the list. */
function Valued({ watchlist }: { readonly watchlist: string }) {
  return (
    <p class="quiet small">
      Total value of the tokens in <a href={linkTo('lists', watchlist)}>the list</a>, at their floor
      prices
    </p>
  );
}

/**
 * Series that the chart can show as bars, in order of preference. The first recorded series is
 * shown.
 */
const VOLUMES = ['volume.1d', 'volume.7d', 'volume.30d'] as const;

const LOWEST = ['lowest.90d', 'lowest.30d', 'lowest.7d', 'lowest.1d'] as const;

/**
 * Of the recorded series of lowest sales, the one with the shortest window, because it has the most
 * sales.
 */
function seriesOfSales(
  known: { readonly series: readonly { readonly series: string }[] } | undefined,
) {
  const read = LOWEST.filter((series) => known?.series.some((one) => one.series === series));
  return read.at(-1) ?? 'lowest.7d';
}

function firstOf(points: readonly { readonly time: string }[], opened: number): number {
  const [first] = points;
  return first === undefined ? opened - DAY : Date.parse(first.time);
}

/** Metrics whose thresholds are drawn as lines if the chart shows prices in their unit. */
const METRICS = ['floor_price', 'floor_price_usd', 'floor_ratio', 'list_value'];

const KINDS = ['threshold', 'recover', 'low', 'high'] as const;
const DECIMAL = /^\d+(\.\d+)?$/;
/** The line id of a new rule. */
const NEW = 'new';

function linesOf(watch: FoundWatch, unit: string, collection: string): readonly Line[] {
  if (!METRICS.includes(watch.metric) || watch.unit !== unit || watch.noData) return [];
  const rule = `${watch.watchlist} ${watch.rule}`;
  const name = shortRuleName(ruleName(watch), collection);
  return KINDS.flatMap((kind) => {
    const price = watch[kind];
    const title = kind === 'recover' ? `recovery: ${name}` : name;
    return price === null ? [] : [{ id: lineId(watch, kind), rule, price, kind, title }];
  });
}

function lineId({ watchlist, rule }: FoundWatch, kind: Line['kind']): string {
  return `${watchlist} ${rule} ${kind}`;
}

/** The time before the first recorded price, as a gap. Empty if the range has no such time. */
function unrecorded(points: readonly { readonly time: string }[], from: string | undefined) {
  const [first] = points;
  return from === undefined || first === undefined || first.time <= from
    ? []
    : [{ from, to: first.time }];
}

type Shaded = {
  readonly firedAt: string;
  readonly endedAt: string | null;
  readonly state: string;
  readonly title: string;
};

/** Converts gaps and episodes to spans. Omits closed episodes whose end is unknown. */
function spansOf(
  episodes: readonly Shaded[],
  gaps: readonly { readonly from: string; readonly to: string | null }[],
): readonly Span[] {
  const end = now();
  return [
    ...episodes.flatMap(({ firedAt, endedAt, state, title }): Span[] => {
      const to = endedAt === null ? end : Date.parse(endedAt);
      const isKnown = endedAt !== null || state === 'open';
      return isKnown ? [{ from: Date.parse(firedAt), to, kind: 'episode', title }] : [];
    }),
    ...gaps.map(({ from, to }): Span => {
      return { from: Date.parse(from), to: to === null ? end : Date.parse(to), kind: 'gap' };
    }),
  ];
}
