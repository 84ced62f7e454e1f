import type { Item, Key } from '#shared/stores/table.ts';
import { type Explanation, explain, type Latest } from '#test/simulation/oracle/explain.ts';
import { answeredFor, type Fact, inTime, isKnownAt } from '#test/simulation/oracle/facts.ts';
import { missFirstValue } from '#test/simulation/oracle/laws.ts';
import {
  type ExpectedAlert,
  type ModelState,
  newModelState,
} from '#test/simulation/oracle/model.ts';
import { steadied } from '#test/simulation/oracle/outliers.ts';
import { isOfClock, type OracleRule } from '#test/simulation/oracle/rule.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { type AlertItem, checkAlert } from './alert-check.ts';
import {
  type ContractInvariantsWorld,
  createContractInvariants,
  type Known,
  type View,
} from './contract-invariants.ts';
import { ruleBehind } from './delivery-invariants.ts';
import { noDataRule, oracleRule, type Revision, type RuleDocument } from './documents.ts';
import { adopted, modelStateText, stateText, type WatchItem } from './watch-item.ts';

/** A watch with what the oracle believes of it. */
type Followed = {
  readonly contract: string;
  readonly generation: number;
  readonly rule: OracleRule;
  readonly text: RuleDocument;
  readonly modelState: ModelState;
  /** How many views there were when it was last explained. */
  readonly seen: number;
  /** Paused, or at its end: it says nothing, whatever comes. */
  readonly isSilent: boolean;
};

/** An alert that a watch has made, as the oracle says that it must. */
export type ExplainedAlert = { readonly alert: AlertItem; readonly watch: string };

type Occurrence =
  | 'alert'
  | 'generation begun again'
  | 'resumed view'
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
  /** Holds what is when all has come to rest against what must be. */
  readonly atRest: (items: readonly Item[]) => void;
  readonly expected: ReadonlyMap<string, ExplainedAlert>;
};

/** Holds each write of a contract and of a watch against the oracle. */
export function createWatchInvariants(world: WatchInvariantsWorld): WatchInvariants {
  const { broken, met } = world;
  const contracts = createContractInvariants(world);
  const followed = new Map<string, Followed>();
  const generations = new Map<string, number>();
  const expected = new Map<string, ExplainedAlert>();

  const watchWritten = ({ key, before, after, by }: Written) => {
    const path = `${key.pk} ${key.sk}`;
    const old = before as unknown as WatchItem | undefined;
    if (after === undefined) {
      followed.delete(path);
      const lost = old?.outbox.find((alert) => isMadeWhileItStood(path, alert));
      if (by.function === 'run-contracts' && lost !== undefined) {
        broken('what an edit has left is sent', `${path}: ${lost.id}`);
      }
      return;
    }
    const watch = after as unknown as WatchItem;
    const known = followed.get(path);
    const isNew = known === undefined || watch.generation !== known.generation;
    if (!isNew && saysOfItself(old) === saysOfItself(watch)) {
      return follow(path, known, old, watch, by.startedAt);
    }
    checkLeft(path, known, old, watch);
    if (isNew) begin(path, key, watch);
    else edit(path, key, known, watch);
  };

  /** What an edit has left is still to be sent, and an episode that it has ended is closed. */
  const checkLeft = (
    path: string,
    known: Followed | undefined,
    old: WatchItem | undefined,
    watch: WatchItem,
  ) => {
    const isChanged =
      watch.state !== old?.state ||
      watch.noValueSince !== old?.noValueSince ||
      watch.generation !== old?.generation;
    const kept = new Set(watch.outbox.map(({ id }) => id));
    const left = old?.outbox ?? [];
    const dropped = left.filter(({ id }) => !kept.has(id));
    const added = watch.outbox.filter(({ id }) => !left.some((alert) => alert.id === id));
    const wasOpen =
      ['firing', 'recovering'].includes(known?.modelState.state ?? '') ||
      known?.modelState.noValueSince !== undefined;
    // A full outbox folds its last alert into a count.
    const isFull = left.length > 20;
    // Of what was said after its rule was no more nothing is sent, and nothing is closed.
    const isBeginning = ({ kind, episode }: AlertItem) =>
      (kind === 'fired' || kind === 'stale') && (episode ?? 0) === known?.modelState.episodes;
    const isFolded = isFull && dropped.length === 1;
    const isSaid = isFolded || !dropped.some(isBeginning);
    const mustClose = isChanged && wasOpen && isSaid && known?.rule.tellsRecovery === true;
    const isRight = mustClose
      ? added.length === 1 && isClosing(added[0], known)
      : added.length === 0;
    const isKept = isFull || dropped.every((alert) => !isMadeWhileItStood(path, alert));
    if (!isRight || !isKept) {
      broken('what an edit has left is sent', `${path}: ${JSON.stringify([left, added])}`);
    }
    for (const alert of added) {
      met(`${known === undefined ? 'new' : nameOf(known.rule)} said: ${alert.kind}`);
      expected.set(alert.id, { alert, watch: path });
    }
  };

  /** Whether the rule that an alert is of stood when it was made. */
  const isMadeWhileItStood = (path: string, alert: AlertItem) => {
    const [, name = ''] = path.split(' ');
    const [tenant = '', list = ''] = name.split('#');
    const then = world
      .revisionsOf(tenant, list)
      .findLast(({ writtenAt }) => writtenAt <= Date.parse(alert.at));
    return then !== undefined && ruleBehind(alert, then.document)?.enabled === true;
  };

  const isClosing = (alert: AlertItem | undefined, { modelState }: Followed) =>
    alert?.kind === 'closed' &&
    alert.value === null &&
    // Crossings have no episodes.
    (alert.episode ?? 0) === modelState.episodes &&
    numberOf(alert) === modelState.alerts + 1;

  const begin = (path: string, key: Key, watch: WatchItem) => {
    const former = followed.get(path)?.generation ?? 0;
    if (watch.generation < former) broken('no generation comes again', path);
    // A worker that applies a revision that is no more takes back what it did: nothing was said meanwhile.
    if (watch.generation <= (generations.get(path) ?? 0)) met('generation begun again');
    generations.set(path, watch.generation);
    const isNew = watch.state === 'unknown' && watch.alerts === 0;
    if (!isNew) broken('a generation begins with nothing', path);
    const found = documentOf(key, watch);
    if (found === undefined) return broken('a watch is of its list', path);
    followed.set(path, {
      ...found,
      contract: contractOf(key),
      generation: watch.generation,
      modelState: newModelState(watch.since),
      seen: 0,
      isSilent: watch.admin !== 'enabled',
    });
  };

  const edit = (path: string, key: Key, known: Followed, watch: WatchItem) => {
    const found = documentOf(key, watch);
    if (found === undefined) return broken('a watch is of its list', path);
    const { remindedAt, since: born, state, evaluatedUntil = 0, alerts, episode } = watch;
    const { noValueSince } = watch;
    const movedAt = state === 'unknown' ? 0 : evaluatedUntil;
    const isOver = watch.admin === 'expired';
    // A rule that gets another end after it has ended begins anew.
    const anew = { ...newModelState(born), state, alerts, episodes: episode, noValueSince };
    const isClosed =
      state !== known.modelState.state || noValueSince !== known.modelState.noValueSince;
    const reported = isClosed
      ? adopted(known.modelState, watch, known.modelState.evaluated)
      : known.modelState;
    followed.set(path, {
      ...known,
      ...found,
      modelState:
        born === known.modelState.born ? { ...reported, remindedAt, movedAt, isOver } : anew,
      isSilent: watch.admin !== 'enabled',
    });
  };

  /** The rule that a revision of the list had for a watch, as the watch says of itself. */
  const documentOf = (key: Key, watch: WatchItem): Pick<Followed, 'text' | 'rule'> | undefined => {
    const [tenant = '', list = '', name = ''] = key.sk.split('#');
    const [id, part] = name.split('~');
    const contract = contractOf(key);
    return world
      .revisionsOf(tenant, list)
      .toReversed()
      .flatMap(({ document: { rules, members } }) => {
        const text = rules.find((other) => other.id === id);
        const member = members.find((other) => other.contract === contract);
        if (text === undefined || member === undefined) return [];
        const since = part === undefined ? text.since : (text.noDataSince ?? 0);
        const generation = Math.max(text.since, since, member.joined);
        const rule = part === undefined ? oracleRule(text) : noDataRule(text, part);
        return generation === watch.generation && isSaidBy(text, rule, watch)
          ? [{ text, rule }]
          : [];
      })[0];
  };

  const follow = (
    path: string,
    known: Followed,
    old: WatchItem | undefined,
    watch: WatchItem,
    startedAt: number,
  ) => {
    const isEnding = watch.admin === 'expired' && old?.admin === 'enabled';
    if (isEnding && isAbandoned(known)) return abandon(path, known, old, watch);
    if (isEnding) checkEnd(path, known);
    const isUnmoved = old !== undefined && stateText(old) === stateText(watch);
    if (isUnmoved && old.evaluatedUntil === watch.evaluatedUntil) {
      if (isEnding) followed.set(path, over(known));
      return;
    }
    const { facts, views, forgotten } = contracts.knownOf(known.contract);
    const latest = { facts, views, forgotten, past: contracts.pastOf(known.contract) };
    const made = watch.alerts - (old?.alerts ?? 0);
    const before = watch.alerts - made;
    // An outbox that is full keeps the last of them.
    const reported = watch.outbox.filter(
      (alert) =>
        isNoSummary(alert) && alert.generation === watch.generation && numberOf(alert) > before,
    );
    const wrongIn = (said: readonly ExpectedAlert[]) => {
      if (said.length !== made) return [`${made} alerts where there must be ${said.length}`];
      return reported.flatMap((alert) => {
        const number = numberOf(alert);
        const one = said[number - before - 1];
        if (one === undefined) return [`no number ${number}`];
        const { cadenceMinutes } = world;
        const claim = { path, number, watch, cadenceMinutes, forgotten };
        const wrong = checkAlert(alert, one, known.rule, claim);
        const isRightAsRecorded = () =>
          byTheClock(one, known.rule, latest).some(
            (asRecorded) => checkAlert(alert, asRecorded, known.rule, claim).length === 0,
          );
        return wrong.length === 0 || isRightAsRecorded() ? [] : wrong;
      });
    };
    const span = { from: startedAt, to: world.now() };
    const found = explain(known, latest, { watch, wrongIn }, span);
    const { expiresAt = Number.POSITIVE_INFINITY } = known.rule;
    if (!found.isRight && isEnding && world.now() >= expiresAt + DAY) {
      return abandon(path, known, old, watch);
    }
    if (!found.isRight) {
      followed.set(path, {
        ...known,
        modelState: adopted(known.modelState, watch, views.at(-1)?.upTo ?? 0),
      });
      return broken('states equal the model', modelOf(path, known, latest, watch, found));
    }
    if (found.view < views.length - 1) met('resumed view');
    const prediction = found.prediction.modelState;
    // An evaluation that went further by time than was thought has read what there was by then.
    const { evaluatedUntil = 0, evaluatedSeq } = watch;
    const further = {
      movedAt: evaluatedUntil,
      evaluated: Math.max(prediction.evaluated, evaluatedSeq),
    };
    const modelState =
      evaluatedUntil > prediction.movedAt ? { ...prediction, ...further } : prediction;
    const next = { ...known, modelState, seen: found.view };
    followed.set(path, isEnding ? over(next) : next);
    if (found.wrong.length > 0) {
      const what = `${path}: ${found.wrong.join(', ')}: ${JSON.stringify(reported)}`;
      broken('alerts say what the model says', what);
    }
    for (const alert of reported) {
      met('alert');
      met(`${nameOf(known.rule)} said: ${alert.kind}`);
      if (expected.has(alert.id)) broken('no id is used twice', alert.id);
      expected.set(alert.id, { alert, watch: path });
    }
  };

  /** A day after the end of a rule its watch is put aside, whatever is known of it. */
  const abandon = (path: string, known: Followed, old: WatchItem | undefined, watch: WatchItem) => {
    checkLeft(path, known, old, watch);
    const modelState = adopted(known.modelState, watch, known.modelState.evaluated);
    followed.set(path, over({ ...known, modelState }));
  };

  /** Whether no answer came for a day after the end of a rule. */
  const isAbandoned = ({ contract, rule }: Followed) => {
    const { expiresAt = Number.POSITIVE_INFINITY, parts, clauses } = rule;
    const view = contracts.knownOf(contract).views.at(-1);
    const until = (view && answeredFor(parts, view)) ?? 0;
    const isWaiting = until < expiresAt && !isOfClock(clauses[0]);
    return isWaiting && world.now() >= expiresAt + DAY;
  };

  /**
   * A rule ends with an answer from its end; by the clock where that moves it, or where it has said
   * all that it ever will.
   */
  const checkEnd = (path: string, { contract, rule, modelState }: Followed) => {
    const { expiresAt = Number.POSITIVE_INFINITY, parts, clauses } = rule;
    const view = contracts.knownOf(contract).views.at(-1);
    const until = view && answeredFor(parts, view);
    const isAnswered = until !== undefined && until >= expiresAt;
    const isByClock = isOfClock(clauses[0]) || modelState.state === 'ended';
    if (!(isAnswered || isByClock) || world.now() < expiresAt) {
      broken('a rule ends by an answer from then', path);
    }
  };

  const atRest = (items: readonly Item[]) => {
    for (const [path, known] of followed) {
      const { facts, views } = contracts.knownOf(known.contract);
      if (known.isSilent) continue;
      const latest = { facts, views, past: contracts.pastOf(known.contract) };
      // What the clock does is done within minutes.
      const isClock = isOfClock(known.rule.clauses[0]);
      // The worker that began it stopped short of its contract, which heard of it after its last answer.
      const wanted = wantedOf(items, known.contract);
      const soon = world.now() - PATIENCE;
      if (known.modelState.state === 'unknown' && known.rule.parts.some((part) => part in wanted)) {
        const told = missFirstValue(known.rule, { modelState: known.modelState, said: [] }, soon);
        if (told.said.length > 0) broken('what never had a value says so', path);
        continue;
      }
      const { stateSince = 0, born } = known.modelState;
      if (isClock && Math.max(stateSince, born) > soon) continue;
      const lastLook = Math.max(soon, views.at(-1)?.at ?? 0);
      const moments = isClock ? [lastLook, soon] : [soon];
      // A timer that has come within the minute, by an answer or by a price of then, comes with the
      // next.
      const minuteAgo = world.now() - 60_000;
      const before = { ...latest, views: answeredUntil(views, minuteAgo) };
      const isOlder = ({ time }: Fact) => time <= minuteAgo;
      const past = { ...latest.past, floors: latest.past.floors.filter(isOlder) };
      const older = { ...before, facts: facts.filter(isOlder), past };
      const [due, ...others] = moments.flatMap((moment) =>
        [latest, before, older].map((seen) =>
          explain(known, seen, undefined, { from: moment, to: moment }),
        ),
      );
      if (due === undefined || [due, ...others].some(({ isRight }) => isRight)) continue;
      broken(
        'no committed crossing is lost',
        `${path}: still ${modelStateText(known.modelState)} where the model says ${modelStateText(due.prediction.modelState)}, by ${JSON.stringify(known.text)}`,
      );
    }
    for (const item of items) {
      if (!item.pk.startsWith('CONTRACTS#')) continue;
      const { unevaluated = [] } = item as { unevaluated?: readonly unknown[] };
      if (unevaluated.length > 0) broken('all that is committed is evaluated', item.sk);
    }
  };

  const { contractWritten, historyWritten } = contracts;
  return { contractWritten, historyWritten, watchWritten, atRest, expected };
}

const DAY = 86_400_000;
const PATIENCE = 3 * 60_000;

function contractOf({ pk }: Key): string {
  return pk.slice('WATCHES#'.length);
}

/** What a reader needs to know of a watch that is not what it must be. */
function modelOf(
  path: string,
  { modelState, text, seen }: Followed,
  { facts, views }: Known,
  watch: WatchItem,
  { prediction }: Explanation,
): string {
  const recent = facts.slice(-6).map(({ number, part, time, price, currency }) => {
    return `${number} ${part} at ${hour(time)}: ${price} ${currency}`;
  });
  const newest = views.slice(-4).map(({ past, ...view }) => ({ ...view, past: past.length }));
  return [
    `${path}: ${stateText(watch)} where the model says ${modelStateText(prediction.modelState)}`,
    `from ${modelStateText(modelState)}, moved at ${hour(modelState.movedAt)}, by ${JSON.stringify(text)}`,
    `and ${recent.join(', ')}; views ${JSON.stringify(newest)}, seen ${seen} of ${views.length}`,
  ].join(', ');
}

/** The last part of an alert's id. */
function numberOf({ id }: AlertItem): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}

function isNoSummary({ kind }: AlertItem): boolean {
  return kind !== 'summary';
}

function nameOf({ clauses }: OracleRule): string {
  return clauses.length > 1 ? 'all' : clauses[0].metric.replace(/\..*/, '');
}

function hour(time: number): string {
  return new Date(time).toISOString().slice(11, 19);
}

/**
 * What an edit of the list may change of a watch that goes on; its end comes by itself within a
 * day.
 */
function saysOfItself(watch: WatchItem | undefined): string {
  if (watch === undefined) return '';
  const { ruleCondition, repeatPolicy, presentation, admin, expiresAt, since } = watch;
  const set = admin === 'expired' ? 'enabled' : admin;
  return JSON.stringify([ruleCondition, repeatPolicy, presentation, set, expiresAt, since]);
}

function over(known: Followed): Followed {
  return { ...known, modelState: { ...known.modelState, isOver: true }, isSilent: true };
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

/**
 * What the clock brings may tell what is recorded: floors of a time that no poll has seen, or what is
 * left of them once a glitch is known; what was observed, whatever it was reported as since; of sales,
 * what was observed before their part was forgotten.
 */
function byTheClock(
  said: ExpectedAlert,
  { clauses: [clause], parts, takesOutliers }: OracleRule,
  { facts, views, forgotten, past: { floors } }: ContractHistory,
): readonly ExpectedAlert[] {
  const [part] = parts;
  const view = views.at(-1);
  const isOfPrice = clause.formula.of === 'price' && clause.window === 0 && parts.length === 1;
  const isByClock = said.kind === 'reminder' || said.kind === 'recovered';
  if (!isByClock || !isOfPrice || view === undefined) return [];
  const confirmed = takesOutliers ? [] : steadied(facts, { ...view, past: floors }).past;
  const observed = facts.filter(isOf(part)).toSorted(inTime);
  const records = part === 'floor' ? [floors, confirmed, observed] : [forgotten.filter(isOf(part))];
  return records.flatMap((recorded) => {
    const held = recorded.findLast((fact) => isKnownAt(fact, said.time));
    if (held === undefined) return [];
    return [{ ...said, value: clause.unit === 'usd' ? held.usd : held.price, usd: held.usd }];
  });
}

type ContractHistory = Latest & { readonly forgotten: readonly Fact[] };

function isOf(wanted: string | undefined): (fact: Fact) => boolean {
  return ({ part }) => part === wanted;
}

/** The parts of a contract that somebody waits for an answer of. */
function wantedOf(items: readonly Item[], contract: string): object {
  const item = items.find(({ pk, sk }) => pk.startsWith('CONTRACTS#') && sk === contract);
  return (item?.wanted as object | undefined) ?? {};
}

/** The views as they were if nothing had been asked for since a moment. */
function answeredUntil(views: readonly View[], moment: number): readonly View[] {
  return views.map((view) => ({
    ...view,
    answered: Object.fromEntries(
      Object.entries(view.answered).map(([part, asked]) => [
        part,
        asked === undefined ? undefined : Math.min(asked, moment),
      ]),
    ),
  }));
}
