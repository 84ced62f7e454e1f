import { isDeepStrictEqual } from 'node:util';
import type { Item, Key } from '#shared/stores/table.ts';
import { type Health, passByClock, passByList } from '#test/simulation/oracle/by-clock.ts';
import { follow } from '#test/simulation/oracle/follow.ts';
import type { Observation, PriceSeriesName } from '#test/simulation/oracle/points.ts';
import { readNoDataRule, readRule } from '#test/simulation/oracle/read-rule.ts';
import { isOfClock, type OracleRule } from '#test/simulation/oracle/rule.ts';
import {
  createWatchState,
  isInEpisode,
  type Transition,
  type WatchState,
} from '#test/simulation/oracle/watch.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { type AlertItem, checkAlert } from './alert-check.ts';
import {
  type ContractInvariantsWorld,
  createContractInvariants,
  type Known,
} from './contract-invariants.ts';
import { isSourceWatch } from './derived-invariants.ts';
import { holdingFor, type Revision, type RuleDocument, watchedIn } from './documents.ts';
import { adopted, modelText, stateText, type WatchItem } from './watch-item.ts';

/** A watch with its state in the oracle. */
type Followed = {
  readonly contract: string;
  readonly generation: number;
  readonly rule: OracleRule;
  readonly text: RuleDocument;
  readonly state: WatchState;
  /** The number of the last step that the watch has evaluated. */
  readonly evaluated: number;
  /** The number of the last step that was recorded before the watch's rule was last edited. */
  readonly editedAfter: number;
  /** Whether the watch is paused or expired, and therefore makes no alerts. */
  readonly isSilent: boolean;
};

/** An alert of a watch that the oracle expected. */
export type ExplainedAlert = { readonly alert: AlertItem; readonly watch: string };

type Occurrence =
  | 'alert'
  | 'generation begun again'
  | 'past filled'
  | 'floors missing'
  | 'missing floors filled'
  | `${string} said: ${string}`;

export type WatchInvariantsWorld = {
  readonly now: () => number;
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: Occurrence) => void;
  readonly cadenceMinutes: number;
  readonly floorTimes: ContractInvariantsWorld['floorTimes'];
  /** All revisions of a list's document, oldest first. */
  readonly revisionsOf: (tenant: string, list: string) => readonly Revision[];
};

export type WatchInvariants = {
  readonly contractWritten: (written: Written) => void;
  readonly historyWritten: (written: Written) => void;
  readonly watchWritten: (written: Written) => void;
  /** Checks all watches once the system is idle. */
  readonly atRest: (items: readonly Item[]) => void;
  readonly expected: ReadonlyMap<string, ExplainedAlert>;
};

/** Checks each write of a contract or a watch against the oracle. */
export function createWatchInvariants(world: WatchInvariantsWorld): WatchInvariants {
  const { broken, met } = world;
  const contracts = createContractInvariants(world);
  const followed = new Map<string, Followed>();
  const generations = new Map<string, number>();
  const expected = new Map<string, ExplainedAlert>();

  const watchWritten = ({ key, before, after, by, together }: Written) => {
    const path = `${key.pk} ${key.sk}`;
    const old = before as unknown as WatchItem | undefined;
    const posted = alertsIn(together);
    if (isSourceWatch(key.sk)) {
      if (posted.length > 0) broken('the source watch of a ratio makes no alerts', path);
      return;
    }
    const known = followed.get(path);
    if (after === undefined) {
      checkClosed(path, known, old, undefined, posted);
      followed.delete(path);
      return;
    }
    const watch = after as unknown as WatchItem;
    const isNew = known === undefined || watch.generation !== known.generation;
    if (!isNew && saysOfItself(old) === saysOfItself(watch)) {
      return evaluated(path, known, old, watch, posted, by.startedAt);
    }
    checkClosed(path, known, old, watch, posted);
    if (isNew) begin(path, key, watch);
    else edit(path, key, known, watch);
  };

  /**
   * An edit that ends an episode must post the closing alert of the episode, and no other alert.
   */
  const checkClosed = (
    path: string,
    known: Followed | undefined,
    old: WatchItem | undefined,
    watch: WatchItem | undefined,
    posted: readonly AlertItem[],
  ) => {
    const isChanged =
      watch?.state !== old?.state ||
      watch?.noValueSince !== old?.noValueSince ||
      watch?.generation !== old?.generation;
    const wasOpen =
      known !== undefined && (isInEpisode(known.state) || known.state.staleSince !== undefined);
    const mustClose = isChanged && wasOpen && known?.rule.notifyRecovery === true;
    const isRight = mustClose
      ? posted.length === 1 && isClosing(posted[0], known)
      : posted.length === 0;
    if (!isRight) {
      broken('an edit closes the episode that it ends', `${path}: ${JSON.stringify(posted)}`);
    }
    for (const alert of posted) {
      met(`${known === undefined ? 'new' : nameOf(known.rule)} said: ${alert.kind}`);
      expected.set(alert.id, { alert, watch: path });
    }
  };

  const isClosing = (alert: AlertItem | undefined, { state }: Followed) =>
    alert?.kind === 'closed' &&
    alert.value === null &&
    // Crossings have no episodes.
    (alert.episode ?? 0) === state.episodes &&
    numberOf(alert) === state.alerts + 1;

  const begin = (path: string, key: Key, watch: WatchItem) => {
    const former = followed.get(path)?.generation ?? 0;
    if (watch.generation < former) broken('a generation never decreases', path);
    // A generation begins again if a worker that applied an outdated revision undoes the change.
    // Until then the watch has made no alert.
    if (watch.generation <= (generations.get(path) ?? 0)) met('generation begun again');
    generations.set(path, watch.generation);
    const isNew = watch.state === 'unknown' && watch.alerts === 0;
    if (!isNew) broken('a generation begins without state', path);
    const found = documentOf(key, watch);
    if (found === undefined) return broken('a watch belongs to a revision of its list', path);
    followed.set(path, {
      ...found,
      contract: contractOf(key),
      generation: watch.generation,
      state: createWatchState(watch.since),
      evaluated: 0,
      editedAfter: 0,
      isSilent: watch.admin !== 'enabled',
    });
  };

  const edit = (path: string, key: Key, known: Followed, watch: WatchItem) => {
    const found = documentOf(key, watch);
    if (found === undefined) return broken('a watch belongs to a revision of its list', path);
    const { since, alerts, episode: episodes, noValueSince: staleSince } = watch;
    // A rule that gets a new end after it has expired starts over.
    const isAnew = since !== known.state.made;
    const anew = { ...createWatchState(since), alerts, episodes, staleSince };
    const status = watch.state === 'ended' ? ('ended' as const) : ('unknown' as const);
    const state = isAnew ? { ...anew, status } : adopted(known.state, watch);
    // An evaluation that changes nothing writes no watch, but its steps have been evaluated.
    const evaluated = Math.max(watch.evaluatedSeq, isAnew ? 0 : known.evaluated);
    followed.set(path, {
      ...known,
      ...found,
      state,
      evaluated,
      editedAfter: contracts.knownOf(known.contract).observations.at(-1)?.step.seq ?? 0,
      isSilent: watch.admin !== 'enabled',
    });
  };

  /** The rule of a watch in the revision of the list from which the watch was made. */
  const documentOf = (key: Key, watch: WatchItem): Pick<Followed, 'text' | 'rule'> | undefined => {
    const [tenant = '', list = '', name = ''] = key.sk.split('#');
    const [id, series] = name.split('~');
    const contract = contractOf(key);
    return world
      .revisionsOf(tenant, list)
      .toReversed()
      .flatMap(({ document }) => {
        const text = document.rules.find((other) => other.id === id);
        const member = watchedIn(document).find((other) => other.contract === contract);
        if (text === undefined || member === undefined) return [];
        const holding = holdingFor(document, text, contract);
        if (holding === undefined) return [];
        const since = series === undefined ? text.since : (text.noDataSince ?? 0);
        const generation = Math.max(text.since, since, member.joined, holding.since);
        const rule =
          series === undefined
            ? readRule(text, holding.held)
            : readNoDataRule(text, series as PriceSeriesName);
        return generation === watch.generation && isSaidBy(text, rule, watch)
          ? [{ text, rule }]
          : [];
      })[0];
  };

  const evaluated = (
    path: string,
    known: Followed,
    old: WatchItem | undefined,
    item: WatchItem,
    reported: readonly AlertItem[],
    startedAt: number,
  ) => {
    const inTime = ({ stateSince, remindedAt, admin }: WatchItem) => [
      stateSince,
      remindedAt,
      admin,
    ];
    const isPassed = old !== undefined && stateText(old) === stateText(item);
    if (isPassed && isDeepStrictEqual(inTime(old), inTime(item))) {
      followed.set(path, { ...known, evaluated: item.evaluatedSeq });
      return;
    }
    // A day after the end of a rule, its list ends the watch without an evaluation.
    const made = item.alerts - (old?.alerts ?? 0);
    const possible = predictions(known, item, reported, startedAt);
    const wrongIn = ({ alerts: said }: Transition): readonly string[] => {
      if (said.length !== made) return [`${made} alerts where there must be ${said.length}`];
      const { cadenceMinutes } = world;
      const { prices, isRevised } = contracts.knownOf(known.contract);
      return reported.flatMap((alert) => {
        const number = numberOf(alert);
        const one = said[number - (item.alerts - made) - 1];
        const place = { path, number, watch: item, cadenceMinutes, prices, isRevised };
        return one === undefined
          ? [`no number ${number}`]
          : checkAlert(alert, one, known.rule, place);
      });
    };
    const wanted = stateText(item);
    const right = possible.filter(({ watch: state }) => modelText(known.rule, state) === wanted);
    const flawless = right.find((prediction) => wrongIn(prediction).length === 0);
    const found = flawless ?? right[0];
    const { evaluatedSeq } = item;
    if (found === undefined) {
      followed.set(path, { ...known, state: adopted(known.state, item), evaluated: evaluatedSeq });
      return broken(
        'the state of a watch equals the oracle',
        modelOf(path, known, item, possible[0]),
      );
    }
    if (flawless === undefined) {
      const what = `${path}: ${wrongIn(found).join(', ')}: ${JSON.stringify(reported)}`;
      broken('the alerts of a watch equal the oracle', what);
    }
    followed.set(path, { ...known, state: found.watch, evaluated: evaluatedSeq });
    for (const alert of reported) {
      met('alert');
      met(`${nameOf(known.rule)} said: ${alert.kind}`);
      if (expected.has(alert.id)) broken('no alert id is used twice', alert.id);
      expected.set(alert.id, { alert, watch: path });
    }
  };

  /**
   * The states that a watch may have after the steps up to a number, and after an evaluation by the
   * clock.
   */
  const predictions = (
    known: Followed,
    item: Partial<WatchItem> & Pick<WatchItem, 'evaluatedSeq'>,
    posted: readonly AlertItem[],
    startedAt: number,
  ): readonly Transition[] => {
    const { evaluatedSeq: upTo } = item;
    const data = contracts.knownOf(known.contract);
    // A rule on the age of data ignores steps.
    const isByClock = isOfClock(known.rule);
    const bySteps = isByClock
      ? [{ watch: known.state, alerts: [] }]
      : data
          .floorsSince(startedAt)
          // Newest first, because the end of an episode compares values with the floors recorded at
          // that time.
          .toReversed()
          .flatMap((floors) =>
            data
              .observationsSince(startedAt)
              .map((observations) =>
                foldSteps(known, observations, floors, Math.max(upTo, known.evaluated)),
              ),
          );
    const moments = isByClock ? momentsOf(item, posted, startedAt, world.now()) : [world.now()];
    const byClock = differing(data.healthSince(startedAt)).flatMap((health) =>
      moments.flatMap((now) => bySteps.map((before) => passed(known, before, { ...health, now }))),
    );
    return [...bySteps, ...byClock, passByList(known.rule, known.state, world.now())];
  };

  const atRest = (items: readonly Item[]) => {
    for (const [path, known] of followed) {
      if (known.isSilent) continue;
      const data = contracts.knownOf(known.contract);
      const last = data.observations.at(-1)?.step;
      const now = world.now();
      // An unknown watch stays unknown only if the last poll gives it no value, so only the steps
      // of that poll are applied.
      const isNew = known.state.status === 'unknown';
      const evaluated = isNew && last !== undefined ? firstOfPoll(data, last.asked) - 1 : undefined;
      const from = { ...known, evaluated: evaluated ?? known.evaluated };
      // Older floors that were recorded after the last poll take effect with the next poll.
      const since = Math.min(now - GRACE_PERIOD, isNew ? (last?.asked ?? now) : now);
      expectStatus(
        path,
        known,
        isOfClock(known.rule)
          ? predictions(known, { evaluatedSeq: 0 }, [], now - GRACE_PERIOD)
          : data
              .floorsSince(since)
              .map((floors) => foldSteps(from, data.observations, floors, last?.seq ?? 0)),
      );
    }
    for (const item of items) {
      if (!item.pk.startsWith('CONTRACTS#')) continue;
      if ('steps' in item) broken('every committed step is evaluated', item.sk);
    }
  };

  const contractWritten = (written: Written) => {
    contracts.contractWritten(written);
    // A poll evaluates nothing: it adds steps and may merge old ones.
    if (written.before?.seq !== written.after?.seq) return;
    const left = new Set(stepsOf(written.after));
    const done = stepsOf(written.before).filter((step) => !left.has(step));
    if (done.length > 0) checkpointed(written, Math.max(...done));
  };

  /**
   * A checkpoint completes the evaluation of all watches of a contract for the steps up to a
   * number.
   */
  const checkpointed = ({ key, by }: Written, upTo: number) => {
    for (const [path, known] of followed) {
      if (known.contract !== key.sk || known.evaluated >= upTo) continue;
      followed.set(path, { ...known, evaluated: upTo });
      if (known.isSilent || known.state.status === 'unknown' || isOfClock(known.rule)) continue;
      const data = contracts.knownOf(known.contract);
      const possible = data
        .floorsSince(by.startedAt)
        .flatMap((floors) =>
          data
            .observationsSince(by.startedAt)
            .map((observations) => foldSteps(known, observations, floors, upTo)),
        );
      // The evaluation of a poll may have read the timers before an edit moved the end of a rule.
      const endsLater =
        known.editedAfter >= upTo && possible.some(({ watch }) => watch.status === 'expired');
      if (!endsLater) expectStatus(path, known, possible);
    }
  };

  const expectStatus = (path: string, known: Followed, possible: readonly Transition[]) => {
    const before = modelText(known.rule, known.state);
    if (possible.some(({ watch: state }) => modelText(known.rule, state) === before)) return;
    const due = possible[0] && modelText(known.rule, possible[0].watch);
    broken(
      'no committed crossing is lost',
      `${path}: still ${before} where the model says ${due}, by ${JSON.stringify(known.text)}`,
    );
  };

  const { historyWritten } = contracts;
  return { contractWritten, historyWritten, watchWritten, atRest, expected };
}

const GRACE_PERIOD = 3 * 60_000;

/** Applies the steps up to a number to a watch, poll by poll. */
function foldSteps(
  { rule, state, evaluated }: Followed,
  observations: Known['observations'],
  floors: Observation['floors'],
  upTo: number,
): Transition {
  const news = observations.filter(({ step: { seq } }) => seq > evaluated && seq <= upTo);
  let folded: Transition = { watch: state, alerts: [] };
  for (const [asked, poll] of Map.groupBy(news, ({ step }) => step.asked)) {
    const { watch, alerts } = follow(
      rule,
      folded.watch,
      poll.map((observation) => ({ ...observation, floors })),
      !observations.some(({ step }) => step.asked === asked && step.seq > upTo),
    );
    folded = { watch, alerts: [...folded.alerts, ...alerts] };
  }
  return folded;
}

function passed({ rule }: Followed, before: Transition, health: Health): Transition {
  const { watch, alerts } = passByClock(rule, before.watch, health);
  return { watch, alerts: [...before.alerts, ...alerts] };
}

/** The number of the first step of a poll. */
function firstOfPoll({ observations }: Known, asked: number): number {
  return observations.find(({ step }) => step.asked === asked)?.step.seq ?? 0;
}

/** The alerts among items. */
function alertsIn(items: readonly Item[]): readonly AlertItem[] {
  return items.filter(({ sk }) => sk.startsWith('ALERT#')).map(({ alert }) => alert as AlertItem);
}

/** The numbers of the steps that a contract's record holds. */
function stepsOf(record: Item | undefined): readonly number[] {
  const { steps = [] } = (record ?? {}) as { readonly steps?: readonly { readonly n: number }[] };
  return steps.map(({ n }) => n);
}

/**
 * Moments at which the worker of a write may have read the clock: its start, now, and the times
 * that it has written.
 */
function momentsOf(
  item: Partial<WatchItem>,
  posted: readonly AlertItem[],
  startedAt: number,
  now: number,
): readonly number[] {
  const said = posted.flatMap(({ at, dataTime }) => [Date.parse(at), Date.parse(dataTime)]);
  const written = Object.values(item).filter((value) => typeof value === 'number');
  const moments = [startedAt, now, ...said, ...written];
  return [...new Set(moments.filter((moment) => moment >= startedAt && moment <= now))];
}

function differing<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function contractOf({ pk }: Key): string {
  return pk.slice('WATCHES#'.length);
}

/** Describes a watch whose state differs from the oracle. */
function modelOf(
  path: string,
  { rule, state, text, evaluated }: Followed,
  watch: WatchItem,
  predicted: Transition | undefined,
): string {
  const due = predicted && modelText(rule, predicted.watch);
  return [
    `${path}: ${stateText(watch)} where the model says ${due}`,
    `from ${modelText(rule, state)}, by ${JSON.stringify(text)}`,
    `steps ${evaluated} to ${watch.evaluatedSeq}`,
  ].join(', ');
}

/** The number at the end of an alert id. */
function numberOf({ id }: AlertItem): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}

function nameOf({ clauses }: OracleRule): string {
  return clauses.length > 1 ? 'all' : clauses[0].metric.replace(/\..*/, '');
}

/**
 * The members of a continuing watch that an edit of the list may change. An expired watch is
 * compared as if it were enabled, because a watch expires without an edit.
 */
function saysOfItself(watch: WatchItem | undefined): string {
  if (watch === undefined) return '';
  const { ruleCondition, repeatPolicy, presentation, admin, expiresAt, since } = watch;
  const set = admin === 'expired' ? 'enabled' : admin;
  return JSON.stringify([ruleCondition, repeatPolicy, presentation, set, expiresAt, since]);
}

function isSaidBy(
  text: RuleDocument,
  { once, reminder, steps, clauses, expiresAt: end }: OracleRule,
  { ruleCondition, repeatPolicy, presentation, expiresAt }: WatchItem,
): boolean {
  const [{ threshold }] = clauses;
  return (
    (repeatPolicy.repeat === 'once') === once &&
    repeatPolicy.reminder === reminder &&
    expiresAt === end &&
    repeatPolicy.steps === steps?.toString() &&
    (ruleCondition.condition.threshold ?? '0') === threshold.toString() &&
    presentation.label === text.label &&
    presentation.severity === text.severity &&
    presentation.notifyRecovery === text.notifyRecovery
  );
}
