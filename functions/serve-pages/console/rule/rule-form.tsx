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
import { amount, dollars } from '#console/words/amounts.ts';
import { shortRuleName } from '#console/words/rule-name.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { Audience, type List, toldBy } from './audience.tsx';
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
  draftOf,
  EMPTY_CLAUSE,
  emptyDraft,
  hasEpisodes,
  hasRecovery,
  isBand,
  isComplete,
  isReadable,
  ruleOf,
} from './rule-draft.ts';
import { PreviewSummary, RulePreview, usePreview } from './rule-preview.tsx';
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

/** The sentence of a rule, all else that it may say, and what it would have sent. */
export function RuleForm({ contract, list, metrics, read }: RuleFormProps) {
  const [draft, setDraft] = useState<Draft>(() =>
    read === undefined ? startedDraft(contract) : draftOf(read.rule),
  );
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<ReadRule>();
  const [isBusy, setBusy] = useState(false);
  const [opened] = useState(() => Math.floor(now() / 60_000) * 60_000);
  const from = opened - 30 * 86_400_000;
  const { answer: prices } = useFollowed(
    'GET /v1/contracts/{contract}/prices',
    { path: { contract }, query: { points: '500', from: new Date(from).toISOString() } },
    INTERVAL,
    `${contract} of a rule`,
  );
  const { answer: heard } = useFollowed('GET /v1/watchlists/{watchlist}/channels', {
    path: { watchlist: list.id },
  });
  const channels = heard?.channels ?? [];
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  const { answer: known } = useFollowed('GET /v1/contracts/{contract}', { path: { contract } });

  const name =
    list.contracts.find((one) => one.contract === contract)?.name ??
    known?.name ??
    known?.collection?.name ??
    contract;
  const { price, currency: symbol, usd } = known?.parts.find(({ part }) => part === 'floor') ?? {};
  const floor = price
    ? { native: amount(price, symbol ?? ''), usd: usd ? dollars(usd) : undefined }
    : undefined;
  const currency = prices?.points.at(-1)?.currency ?? 'eth';
  const { clauses } = draft;
  const [first = EMPTY_CLAUSE] = clauses;
  const isJoint = clauses.length > 1;
  const family = familyOf(metrics, first.metric);
  const body = ruleOf(draft, read?.rule);
  const preview = usePreview({ contract, name }, body, isComplete(draft) && isReadable(draft));
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
          ? offline('The rule is not saved')
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
                        Take off
                      </button>
                    </div>
                  )}
                  <ConditionFields
                    {...{ clause, metrics, currency, floor, isJoint }}
                    problem={wrong}
                    at={isJoint ? `/all/${index}` : ''}
                    onChange={(next) => setClause(index, next)}
                  />
                </div>
              ))}
              {!isJoint && hasLine(first) && family?.joins === true && (
                <SuggestedLines
                  {...{ contract: { contract, name }, rule: body }}
                  unit={unitOf(family, currency).toLowerCase()}
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
                    onClick={() => set({ clauses: [...clauses, EMPTY_CLAUSE] })}
                  >
                    And another condition
                  </button>{' '}
                  <span class="hint">For “or”, make a rule of each.</span>
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
                  unit={unitOf(family, currency)}
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
                lines={linesOf(draft, name)}
                spans={[]}
                onScale={isLineOfFloor(draft) ? (price) => moveLine('threshold', price) : undefined}
                onPlace={takesLine(draft) ? (price) => moveLine('threshold', price) : undefined}
                markers={(preview.previewed?.alerts ?? []).map(({ dataTime, title, kind }) => ({
                  ...{ time: Date.parse(dataTime), title, kind },
                }))}
                onDrag={moveLine}
                onDrop={moveLine}
                onCancel={moveLine}
              />
            )}
          </div>
          <RulePreview {...preview} told={toldBy(draft, list, channels)} />
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

/** A new rule, with the line that a click on the chart of the collection began. */
function startedDraft(contract: string): Draft {
  const { metric, when, threshold } = choices.peek();
  const clause = { ...EMPTY_CLAUSE, ...(metric && { metric }), ...(when && { when }) };
  return { ...emptyDraft(contract), clauses: [{ ...clause, threshold: threshold ?? '' }] };
}

/** Whether the first condition is on the floor itself. */
function isOfFloor({ clauses: [first = EMPTY_CLAUSE] }: Draft): boolean {
  return first.metric === 'floor_price' || first.metric === 'floor_price_usd';
}

/** Whether it has one line. */
function isLineOfFloor(draft: Draft): boolean {
  const [first = EMPTY_CLAUSE] = draft.clauses;
  return isOfFloor(draft) && !isBand(first.when);
}

/** Whether that line is still to be placed: then a click on the chart does. */
function takesLine(draft: Draft): boolean {
  return isLineOfFloor(draft) && draft.clauses[0]?.threshold === '';
}

/** The lines of a rule on the floor itself. */
function linesOf(draft: Draft, collection: string): readonly Line[] {
  const [first = EMPTY_CLAUSE] = draft.clauses;
  if (!isOfFloor(draft)) return [];
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
    const words = kind === 'recover' ? `over: ${title}` : title;
    return price === undefined ? [] : [{ id: kind, rule: 'this', kind, price, title: words }];
  });
}

/** The members of the form behind "More". */
const IN_MORE = /\/(recover|steps|keepFor|arm|repeat|noData|label|expiresAt|unit|ignoreBelow)\b/;

function isWrongInMore(problem: Problem | undefined): boolean {
  return problem?.errors?.some(({ pointer }) => IN_MORE.test(pointer)) ?? false;
}

/** The pointers whose problems stand beside their fields. */
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

/** Whether a condition has one line, which a value falls or rises to. */
function hasLine({ when }: ClauseDraft): boolean {
  return when === 'below' || when === 'above';
}
