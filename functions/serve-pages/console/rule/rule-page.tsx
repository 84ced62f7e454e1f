import { useEffect, useState } from 'preact/hooks';
import { PriceChart } from '#console/collection/price-chart.tsx';
import { Check, NumberField, TextField } from '#console/form/fields.tsx';
import type { Problem } from '#console/interface/ask.ts';
import { now } from '#console/interface/connection.ts';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { goTo, linkTo } from '#console/shell/place.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { Conflict } from './conflict.tsx';
import { type Draft, draftOf, EMPTY, hasRecovery, isBand, ruleOf } from './rule-draft.ts';
import { RulePreview, usePreview } from './rule-preview.tsx';
import { createRule, type ReadRule, type RuleBody, readRule, saveRule } from './rules.ts';

type RulePageProps = {
  readonly contract: string;
  readonly watchlist: string;
  /** The id of a rule, or `new`. */
  readonly rule: string;
};

/** Makes or edits a rule, in one sentence; beside it is what it would have sent. */
export function RulePage({ contract, watchlist, rule: id }: RulePageProps) {
  const isNew = id === 'new';
  const [read, setRead] = useState<ReadRule>();
  const [isMissing, setMissing] = useState(false);
  const { answer: list } = useFollowed('GET /v1/watchlists/{watchlist}', { path: { watchlist } });
  const { answer: metrics } = useFollowed('GET /v1/metrics');
  useEffect(() => {
    if (isNew) return;
    void readRule(watchlist, id).then((found) => {
      if (found === undefined) setMissing(true);
      else setRead(found);
    });
  }, [watchlist, id]);

  if (isMissing) return <p class="notice">There is no such rule any more.</p>;
  if (metrics === undefined || list === undefined || (!isNew && read === undefined)) {
    return <Loading />;
  }
  return (
    <RuleForm
      key={`${watchlist} ${id}`}
      contract={contract}
      list={list}
      metrics={metrics.metrics}
      read={read}
    />
  );
}

type Family = Answer<'GET /v1/metrics'>['metrics'][number];

type RuleFormProps = {
  readonly contract: string;
  readonly list: Answer<'GET /v1/watchlists/{watchlist}'>;
  readonly metrics: readonly Family[];
  readonly read: ReadRule | undefined;
};

const SEVERITIES = ['info', 'warning', 'critical'] as const;
const WHEN_WORDS: Readonly<Record<Family['when'][number], string>> = {
  below: 'falls to or below',
  above: 'rises to or above',
  crosses: 'crosses',
  outside: 'leaves the band',
  inside: 'enters the band',
};

/** A contact point is named, a channel of the list has an id. */
const nameOf = (channel: string | { readonly id: string }) =>
  typeof channel === 'string' ? channel : channel.id;

function RuleForm({ contract, list, metrics, read }: RuleFormProps) {
  const [draft, setDraft] = useState<Draft>(read === undefined ? EMPTY : draftOf(read.rule));
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<ReadRule>();
  const [isBusy, setBusy] = useState(false);
  const [opened] = useState(() => Math.floor(now() / 60_000) * 60_000);
  const from = opened - 30 * 86_400_000;
  const { answer: prices } = useFollowed('GET /v1/contracts/{contract}/prices', {
    path: { contract },
    query: { points: '500', from: new Date(from).toISOString() },
  });
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  const name = list.contracts.find((one) => one.contract === contract)?.name ?? contract;
  const family = metrics.find((one) => one.metrics.some(({ metric }) => metric === draft.metric));
  const isJoint = read?.rule.all !== undefined;
  const body = ruleOf(draft, contract, read?.rule);
  const isComplete =
    isJoint ||
    (isBand(draft.when) ? draft.low !== '' && draft.high !== '' : draft.threshold !== '');
  const preview = usePreview({ contract, name }, body, isComplete);
  const unit = unitOf(family, prices?.points.at(-1)?.currency);

  const save = async (over: ReadRule | undefined) => {
    setBusy(true);
    const saved =
      over === undefined ? await createRule(list.id, body) : await saveRule(list.id, over, body);
    setBusy(false);
    setConflict(saved.kind === 'conflict' ? saved.now : undefined);
    setProblem(
      saved.kind === 'refused' ? saved.problem : saved.kind === 'offline' ? OFFLINE : undefined,
    );
    if (saved.kind !== 'saved') return;
    announce(saved.forecast === undefined ? 'Saved.' : `Saved. ${saved.forecast}`);
    goTo('collections', contract);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void save(read);
  };

  const isOfFloor = draft.metric === 'floor_price' || draft.metric === 'floor_price_usd';
  const lines =
    isOfFloor && !isBand(draft.when)
      ? (['threshold', 'recover'] as const).flatMap((kind) =>
          /^\d+(\.\d+)?$/.test(draft[kind])
            ? [
                {
                  id: kind,
                  kind,
                  price: draft[kind],
                  title: kind === 'recover' ? 'recovers' : draft.when,
                },
              ]
            : [],
        )
      : [];
  const moveLine = (line: string, price: string) =>
    set(line === 'recover' ? { recover: price } : { threshold: price });

  return (
    <>
      <header class="row">
        <div class="grow">
          <h1>{read === undefined ? 'New rule' : 'Edit rule'}</h1>
          <p class="quiet small">
            <a href={linkTo('collections', contract)}>{name}</a> · list “{list.name}”
          </p>
        </div>
      </header>
      <div class="columns">
        <form class="stack" onSubmit={submit}>
          <div class="panel stack">
            {isJoint ? (
              <p>Several conditions hold together: {read.rule.all?.map(inWords).join(' and ')}.</p>
            ) : (
              <div class="sentence">
                <label class="field">
                  <span>Tell us when</span>
                  <select
                    value={draft.isForAll ? 'all' : 'one'}
                    onChange={({ currentTarget }) =>
                      set({ isForAll: currentTarget.value === 'all' })
                    }
                  >
                    <option value="one">{name}</option>
                    <option value="all">any collection of “{list.name}”</option>
                  </select>
                </label>
                <label class="field">
                  <span>Measure</span>
                  <select
                    value={draft.metric}
                    onChange={({ currentTarget }) => set({ metric: currentTarget.value })}
                  >
                    {metrics.map((one) => (
                      <optgroup key={one.id} label={one.metrics[0]?.name ?? one.id}>
                        {one.metrics.map(({ metric, name: words }) => (
                          <option key={metric} value={metric}>
                            {words}
                            {one.unit === 'usd' ? ' in dollars' : ''}
                          </option>
                        ))}
                      </optgroup>
                    ))}
                  </select>
                </label>
                <label class="field">
                  <span>Condition</span>
                  <select
                    value={draft.when}
                    onChange={({ currentTarget }) => set({ when: currentTarget.value })}
                  >
                    {family?.when.map((when) => (
                      <option key={when} value={when}>
                        {WHEN_WORDS[when]}
                      </option>
                    ))}
                  </select>
                </label>
                {isBand(draft.when) ? (
                  <>
                    <NumberField
                      label={`From, in ${unit}`}
                      value={draft.low}
                      onValue={(low) => set({ low })}
                    />
                    <NumberField
                      label={`To, in ${unit}`}
                      value={draft.high}
                      onValue={(high) => set({ high })}
                    />
                  </>
                ) : (
                  <NumberField
                    label={`Threshold, in ${unit}`}
                    value={draft.threshold}
                    onValue={(threshold) => set({ threshold })}
                  />
                )}
              </div>
            )}
            <p class="quiet small">{told(body, list)}</p>
            <details>
              <summary>More</summary>
              <div class="sentence">
                {hasRecovery(draft.when) && !isJoint && (
                  <NumberField
                    label={`Over again past, in ${unit}`}
                    value={draft.recover}
                    onValue={(recover) => set({ recover })}
                  />
                )}
                {draft.when !== 'crosses' && (
                  <>
                    <TextField
                      label="For at least (10m, 6h, 2d)"
                      value={draft.for}
                      onValue={(text) => set({ for: text })}
                    />
                    <TextField
                      label="Over after (10m, 6h, 2d)"
                      value={draft.keepFor}
                      onValue={(keepFor) => set({ keepFor })}
                    />
                  </>
                )}
                <TextField
                  label="Name in messages"
                  value={draft.label}
                  onValue={(label) => set({ label })}
                />
                <label class="field">
                  <span>Severity</span>
                  <select
                    value={draft.severity}
                    onChange={({ currentTarget }) => set({ severity: currentTarget.value })}
                  >
                    {SEVERITIES.map((severity) => (
                      <option key={severity}>{severity}</option>
                    ))}
                  </select>
                </label>
                <Check
                  label="Tell when it is over"
                  checked={draft.notifyRecovery}
                  onChecked={(notifyRecovery) => set({ notifyRecovery })}
                />
                <Check
                  label="On"
                  checked={draft.enabled}
                  onChecked={(enabled) => set({ enabled })}
                />
              </div>
            </details>
            <ProblemNotice problem={problem} />
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
            <div class="row">
              <button type="submit" class="primary" disabled={isBusy || !isComplete}>
                Save rule
              </button>
              <a class="button" href={linkTo('collections', contract)}>
                Cancel
              </a>
            </div>
          </div>
          {prices !== undefined && (
            <PriceChart
              name={name}
              prices={prices}
              inDollars={draft.metric === 'floor_price_usd'}
              from={Math.max(from, Date.parse(prices.points[0]?.time ?? '') || from)}
              to={now()}
              lines={lines}
              spans={[]}
              markers={(preview.previewed?.alerts ?? []).map(({ dataTime, title, kind }) => ({
                ...{ time: Date.parse(dataTime), title, kind },
              }))}
              onDrag={moveLine}
              onDrop={moveLine}
            />
          )}
        </form>
        <RulePreview {...preview} />
      </div>
    </>
  );
}

/** Whom a rule tells: the channels that it names itself, or those that the list has for it. */
function told({ notify }: RuleBody, { channels }: RuleFormProps['list']): string {
  if (notify !== undefined) return `Tells ${notify.join(', ')}.`;
  if (channels.length === 0) return 'The list has no channels: nobody is told.';
  const names = channels.map(nameOf);
  return `Tells those of ${names.join(', ')} that take this severity.`;
}

function unitOf(family: Family | undefined, currency = 'eth'): string {
  switch (family?.unit) {
    case 'usd':
      return 'USD';
    case 'percent':
      return '%';
    case 'minutes':
      return 'minutes';
    case 'currency':
    case undefined:
      return currency.toUpperCase();
  }
}

function inWords(clause: {
  readonly metric: string;
  readonly when: string;
  readonly threshold?: string | undefined;
  readonly low?: string | undefined;
  readonly high?: string | undefined;
}): string {
  return `${clause.metric} ${clause.when} ${clause.threshold ?? `${clause.low} to ${clause.high}`}`;
}

const OFFLINE: Problem = {
  ...{ type: 'about:blank', title: 'Offline', status: 0 },
  detail: 'The rule is not saved: the interface cannot be reached. Try again when it is back.',
};
