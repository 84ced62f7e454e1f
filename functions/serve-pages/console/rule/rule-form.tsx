import { useState } from 'preact/hooks';
import type { Line } from '#console/collection/lines.ts';
import { PriceChart } from '#console/collection/price-chart.tsx';
import { decimalIn } from '#console/form/decimals.tsx';
import { ChoiceField } from '#console/form/fields.tsx';
import { FormProblem, offline, problemAt } from '#console/form/problems.tsx';
import { now } from '#console/interface/connection.ts';
import { INTERVAL, useFollowed } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { choices, goTo, linkTo } from '#console/shell/place.ts';
import { Title } from '#console/shell/title.tsx';
import { dollars, measuredAmount } from '#console/words/amounts.ts';
import { collectionName } from '#console/words/collection-name.ts';
import { isHeld } from '#console/words/is-held.ts';
import { shortRuleName } from '#console/words/rule-name.ts';
import { isListValue, subjectOf } from '#shared/domain/market/derived-key.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { Audience, type List, notifiedBy } from './audience.tsx';
import { ConditionFields } from './condition-fields.tsx';
import { Conflict } from './conflict.tsx';
import { DeleteRule } from './delete-rule.tsx';
import { inFormWords } from './form-words.ts';
import { HoldFields } from './hold-fields.tsx';
import { ListOfRule } from './list-of-rule.tsx';
import { type Family, familyOf, unitOf } from './metrics.ts';
import { MoreFields } from './more-fields.tsx';
import {
  type ClauseDraft,
  type Draft,
  draftFromRule,
  EMPTY_CLAUSE,
  emptyClause,
  emptyDraft,
  hasEpisodes,
  hasRecovery,
  isBand,
  isComplete,
  isReadable,
  ruleOf,
} from './rule-draft.ts';
import { PreviewSummary, RulePreview, type TriedContract, usePreview } from './rule-preview.tsx';
import { createRule, type ReadRule, saveRule } from './rules.ts';
import { SuggestedLines } from './suggested-lines.tsx';
import { Target, TargetChoice } from './target.tsx';

type RuleFormProps = {
  readonly contract: string;
  readonly list: List;
  readonly metrics: readonly Family[];
  readonly read: ReadRule | undefined;
};

const SEVERITIES = ['info', 'warning', 'critical'] as const;
const MOST_CONDITIONS = 5;

/** Edits a rule: its main fields as a sentence, all others under "More", and a preview. */
export function RuleForm({ contract, list, metrics, read }: RuleFormProps) {
  const [draft, setDraft] = useState<Draft>(() =>
    read === undefined ? startedDraft(contract) : draftFromRule(read.rule),
  );
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<ReadRule>();
  const [isBusy, setBusy] = useState(false);
  const [opened] = useState(() => Math.floor(now() / 60_000) * 60_000);
  const from = opened - 30 * 86_400_000;
  const isValue = isListValue(contract);
  const query = { points: '500', from: new Date(from).toISOString() };
  const { answer: ofContract } = useFollowed(
    'GET /v1/contracts/{contract}/prices',
    isValue ? null : { path: { contract }, query },
    INTERVAL,
    `${contract} of a rule`,
  );
  // The value of a list is recorded only while a rule watches this value.
  const { answer: ofList } = useFollowed(
    'GET /v1/watchlists/{watchlist}/value',
    isValue ? { path: { watchlist: list.id }, query } : null,
    INTERVAL,
    `${contract} of a rule`,
  );
  const charted = chartedSeries(metrics, draft);
  const { answer: ofSeries } = useFollowed(
    'GET /v1/contracts/{contract}/prices',
    charted === 'floor' ? null : { path: { contract }, query: { ...query, series: charted } },
    INTERVAL,
    `${contract} ${charted} of a rule`,
  );
  const floors = ofContract ?? ofList?.prices ?? undefined;
  // Statistics and offers are recorded only while a rule reads them. Without recorded values, show
  // floors.
  const prices = ofSeries?.points.length ? ofSeries : floors;
  const isOwn = prices?.series === charted && (charted !== 'floor' || isOfFloor(draft));
  const { answer: heard } = useFollowed('GET /v1/watchlists/{watchlist}/channels', {
    path: { watchlist: list.id },
  });
  const channels = heard?.channels ?? [];
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  const { answer: known } = useFollowed(
    'GET /v1/contracts/{contract}',
    isValue ? null : { path: { contract } },
  );

  const member = list.contracts.find((one) => one.contract === contract);
  const { amount: held, cost } = member ?? {};
  const name = isValue
    ? list.name
    : collectionName(
        { contract, name: member?.name ?? known?.name ?? known?.collection?.name },
        list.contracts,
      );
  const current = ofList?.value ?? known?.series.find(({ series }) => series === 'floor');
  const { price, currency: symbol, usd } = current ?? {};
  const floor = price
    ? { native: measuredAmount(price, symbol ?? ''), usd: usd ? dollars(usd) : undefined }
    : undefined;
  const currency = floors?.points.at(-1)?.currency ?? 'eth';
  const { clauses } = draft;
  const [first = EMPTY_CLAUSE] = clauses;
  const hasOwnLine = isOwn && !isBand(first.when);
  // While the threshold is empty, a click on the chart sets it.
  const takesLine = hasOwnLine && first.threshold === '';
  const isJoint = clauses.length > 1;
  const [target = contract] = draft.on === 'all' ? [] : draft.on;
  const family = familyOf(metrics, first.metric);
  const body = ruleOf(draft, read?.rule);
  const tried: readonly TriedContract[] = isValue
    ? list.contracts.flatMap((one) => (isHeld(one) ? [triedOf(one)] : []))
    : [{ contract, name, ...(held && { amount: held }), ...(cost && { cost }) }];
  const preview = usePreview(tried, body, isComplete(draft) && isReadable(draft));
  const wrong = problem ?? inFormWords(preview.problem);

  const setClause = (index: number, clause: ClauseDraft) =>
    set({ clauses: clauses.map((one, place) => (place === index ? clause : one)) });
  const save = async (over: ReadRule | undefined) => {
    setBusy(true);
    const saved =
      over === undefined ? await createRule(list.id, body) : await saveRule(list.id, over, body);
    setBusy(false);
    setConflict(saved.kind === 'conflict' ? saved.now : undefined);
    setProblem(
      saved.kind === 'refused'
        ? inFormWords(saved.problem)
        : saved.kind === 'offline'
          ? offline('The rule was not saved')
          : undefined,
    );
    if (saved.kind !== 'saved') return;
    announce(saved.forecast === undefined ? 'Saved.' : `Saved. ${saved.forecast}`);
    goTo('collections', contract);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void save(read);
  };
  const moveLine = (line: string, price: string) =>
    line === 'recover' ? set({ recover: price }) : setClause(0, { ...first, [line]: price });

  const title = read === undefined ? 'New rule' : 'Edit rule';
  const lists = known?.watchlists ?? [];
  const hasChoice = read === undefined && lists.length > 1;
  return (
    <>
      <Title of={`${title} on ${name}`} />
      <header class="row">
        <div class="grow">
          <h1>{title}</h1>
          <p class="quiet small">
            <a href={linkTo('collections', contract)}>{name}</a>
            {!hasChoice && <> · list “{list.name}”</>}
          </p>
        </div>
        {hasChoice && <ListOfRule {...{ contract, list, lists }} begun={first} />}
      </header>
      <form class="stack" onSubmit={submit}>
        <div class="columns">
          <div class="stack rule-form">
            <div class="panel stack">
              {clauses.map((clause, index) => (
                <div key={index} class="sentence fields condition">
                  {index === 0 ? (
                    <Target
                      {...{ list, contract, name, on: draft.on }}
                      onChange={(on) => set({ on })}
                    />
                  ) : (
                    <div class="and">
                      <span>and at the same time</span>
                      <button
                        type="button"
                        onClick={() => set({ clauses: clauses.filter((_, at) => at !== index) })}
                      >
                        Remove
                      </button>
                    </div>
                  )}
                  <ConditionFields
                    {...{ clause, metrics, currency, cost, floor, isJoint }}
                    subject={subjectOf(target)}
                    problem={wrong}
                    at={isJoint ? `/all/${index}` : ''}
                    onChange={(next) => setClause(index, next)}
                  />
                </div>
              ))}
              {!isJoint && hasLine(first) && family?.joins === true && (
                <SuggestedLines
                  {...{ contracts: tried, rule: body }}
                  unit={unitOf(family, currency, cost).toLowerCase()}
                  onTake={(threshold) => setClause(0, { ...first, threshold })}
                />
              )}
              <TargetChoice
                {...{ list, contract, name, on: draft.on }}
                onChange={(on) => set({ on })}
              />
              {clauses.length < MOST_CONDITIONS && first.when !== 'crosses' && (
                <div>
                  <button
                    type="button"
                    onClick={() => set({ clauses: [...clauses, emptyClause(target)] })}
                  >
                    Add a condition
                  </button>{' '}
                  <span class="hint">
                    All conditions must hold. For “or”, create a rule for each condition.
                  </span>
                </div>
              )}
              <div class="sentence fields">
                {hasEpisodes(draft) && <HoldFields {...{ draft, problem: wrong }} onChange={set} />}
                <ChoiceField
                  label="Severity"
                  value={draft.severity}
                  onValue={(severity) => set({ severity: severity as Draft['severity'] })}
                >
                  {SEVERITIES.map((severity) => (
                    <option key={severity}>{severity}</option>
                  ))}
                </ChoiceField>
                {heard !== undefined && (
                  <Audience
                    {...{ draft, list, channels }}
                    problem={problemAt(wrong, '/notify')}
                    onChange={set}
                  />
                )}
              </div>
              <details open={isWrongInMore(wrong) || undefined}>
                <summary>More</summary>
                <MoreFields
                  {...{ draft, metrics, currency }}
                  problem={wrong}
                  unit={unitOf(family, currency, cost)}
                  onChange={set}
                />
              </details>
            </div>
            {prices !== undefined && (
              <PriceChart
                name={name}
                prices={prices}
                inDollars={first.metric === 'floor_price_usd'}
                from={Math.max(from, Date.parse(prices.points[0]?.time ?? '') || from)}
                to={now()}
                lines={isOwn ? linesOf(draft, name) : []}
                spans={[]}
                onScale={hasOwnLine ? (price) => moveLine('threshold', price) : undefined}
                onPlace={takesLine ? (price) => moveLine('threshold', price) : undefined}
                markers={(preview.previewed?.alerts ?? []).map(({ dataTime, title, kind }) => ({
                  ...{ time: Date.parse(dataTime), title, kind },
                }))}
                onDrag={moveLine}
                onDrop={moveLine}
                onCancel={moveLine}
              />
            )}
          </div>
          <RulePreview {...preview} notified={notifiedBy(draft, list, channels)} />
        </div>
        <FormProblem problem={problem} beside={pointersOf(draft)} />
        {conflict !== undefined && read !== undefined && (
          <Conflict
            what="rule"
            before={read.rule}
            mine={body}
            now={conflict.rule}
            onOverwrite={() => void save(conflict)}
            onDiscard={() => goTo('collections', contract)}
          />
        )}
        <div class="save-bar">
          <PreviewSummary {...preview} isMoved />
          <div class="row">
            <button type="submit" class="primary" disabled={isBusy || !isComplete(draft)}>
              Save rule
            </button>
            <a class="button" href={linkTo('collections', contract)}>
              Cancel
            </a>
          </div>
        </div>
      </form>
      {read !== undefined && (
        <DeleteRule list={list} read={read} onDeleted={() => goTo('collections', contract)} />
      )}
    </>
  );
}

type ListMember = List['contracts'][number];

function triedOf({ contract, name = contract, amount, cost }: ListMember): TriedContract {
  return { contract, name, ...(amount && { amount }), ...(cost && { cost }) };
}

/**
 * The draft of a new rule. It starts with the condition in the address, for example from a click on
 * the price scale of a chart.
 */
function startedDraft(contract: string): Draft {
  const { metric, when, threshold } = choices.peek();
  const clause = { ...emptyClause(contract), ...(metric && { metric }), ...(when && { when }) };
  return { ...emptyDraft(contract), clauses: [{ ...clause, threshold: threshold ?? '' }] };
}

/** Metrics whose values are the prices of the series `floor`, including ratios and list values. */
const OF_FLOOR: readonly string[] = ['floor_price', 'floor_price_usd', 'floor_ratio', 'list_value'];

/** Whether the first condition compares values of the series `floor`. */
function isOfFloor({ clauses: [first = EMPTY_CLAUSE] }: Draft): boolean {
  return OF_FLOOR.includes(first.metric);
}

/**
 * The price series that the chart shows. This is the floor, unless the metric of the first
 * condition reads exactly one series: then it is that series.
 */
function chartedSeries(metrics: readonly Family[], { clauses: [first = EMPTY_CLAUSE] }: Draft) {
  const named = familyOf(metrics, first.metric)?.metrics;
  const read = named?.find(({ metric }) => metric === first.metric)?.series ?? [];
  return read.length === 1 ? (read[0] ?? 'floor') : 'floor';
}

/** The lines that the chart shows for a rule: its thresholds, or the edges of its band. */
function linesOf(draft: Draft, collection: string): readonly Line[] {
  const [first = EMPTY_CLAUSE] = draft.clauses;
  const title = draft.label.trim() === '' ? 'this rule' : shortRuleName(draft.label, collection);
  const lines = isBand(first.when)
    ? ([
        ['low', first.low],
        ['high', first.high],
      ] as const)
    : ([
        ['threshold', first.threshold],
        ['recover', hasRecovery(draft) ? draft.recover : ''],
      ] as const);
  return lines.flatMap(([kind, text]) => {
    const price = decimalIn(text);
    const words = kind === 'recover' ? `recovery: ${title}` : title;
    return price === undefined ? [] : [{ id: kind, rule: 'this', kind, price, title: words }];
  });
}

/** Matches the JSON pointers of the fields under "More". */
const IN_MORE = /\/(recover|steps|keepFor|arm|repeat|noData|label|expiresAt|unit|ignoreBelow)\b/;

function isWrongInMore(problem: Problem | undefined): boolean {
  return problem?.errors?.some(({ pointer }) => IN_MORE.test(pointer)) ?? false;
}

/** JSON pointers of the fields that show their own errors. */
function pointersOf({ clauses }: Draft): readonly string[] {
  const members = ['metric', 'when', 'threshold', 'low', 'high', 'unit', 'ignoreBelow'];
  const ofClauses = clauses.flatMap((_, index) =>
    members.map((member) => (clauses.length > 1 ? `/all/${index}/${member}` : `/${member}`)),
  );
  return [
    ...ofClauses,
    ...['/recover', '/steps', '/for', '/keepFor', '/confirm/times', '/confirm/of', '/arm'],
    ...['/repeat', '/repeat/reminder', '/noData', '/noData/alert', '/label', '/expiresAt'],
    '/notify',
  ];
}

/** Whether a condition fires when a value falls or rises to a threshold. */
function hasLine({ when }: ClauseDraft): boolean {
  return when === 'below' || when === 'above';
}
