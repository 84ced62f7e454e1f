import type { Item, Key } from '#shared/stores/table.ts';
import { type Belief, newBelief, type Utterance } from '#test/simulation/oracle/belief.ts';
import { type Explanation, explain } from '#test/simulation/oracle/explain.ts';
import { isOfClock, type OracleRule } from '#test/simulation/oracle/rule.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { type AlertItem, checkAlert } from './alert-check.ts';
import {
  type ContractWitnessWorld,
  createContractWitness,
  type Known,
} from './contract-witness.ts';
import { companionRule, oracleRule, type Revision, type RuleDocument } from './documents.ts';
import { adopted, beliefText, stateText, type WatchItem } from './watch-item.ts';

/** A watch with what the oracle believes of it. */
type Followed = {
  readonly contract: string;
  readonly generation: number;
  readonly rule: OracleRule;
  readonly text: RuleDocument;
  readonly belief: Belief;
  /** How many views there were when it was last explained. */
  readonly seen: number;
  /** Paused, or at its end: it says nothing, whatever comes. */
  readonly isSilent: boolean;
};

/** An alert that a watch has made, as the oracle says that it must. */
export type ExpectedAlert = { readonly alert: AlertItem; readonly watch: string };

type Meeting =
  | 'alert'
  | 'generation begun again'
  | 'resumed view'
  | 'past filled'
  | 'floors missing'
  | 'missing floors filled'
  | `${string} said: ${string}`;

export type WatchWitnessWorld = {
  readonly now: () => number;
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: Meeting) => void;
  readonly cadenceMinutes: number;
  readonly floorTimes: ContractWitnessWorld['floorTimes'];
  /** All revisions of a list's document, oldest first. */
  readonly revisionsOf: (tenant: string, list: string) => readonly Revision[];
};

export type WatchWitness = {
  readonly contractWritten: (written: Written) => void;
  readonly historyWritten: (written: Written) => void;
  readonly watchWritten: (written: Written) => void;
  /** Holds what is when all has come to rest against what must be. */
  readonly atRest: (items: readonly Item[]) => void;
  readonly expected: ReadonlyMap<string, ExpectedAlert>;
};

/** Holds each write of a contract and of a watch against the oracle. */
export function createWatchWitness(world: WatchWitnessWorld): WatchWitness {
  const { broken, met } = world;
  const contracts = createContractWitness(world);
  const followed = new Map<string, Followed>();
  const generations = new Map<string, number>();
  const expected = new Map<string, ExpectedAlert>();

  const watchWritten = ({ key, before, after, by }: Written) => {
    const path = `${key.pk} ${key.sk}`;
    if (after === undefined) {
      followed.delete(path);
      return;
    }
    const watch = after as unknown as WatchItem;
    const old = before as unknown as WatchItem | undefined;
    const known = followed.get(path);
    if (known === undefined || watch.generation !== known.generation) begin(path, key, watch);
    else if (saysOfItself(old) !== saysOfItself(watch)) edit(path, key, known, watch);
    else follow(path, known, old, watch, by.startedAt);
  };

  const begin = (path: string, key: Key, watch: WatchItem) => {
    const former = followed.get(path)?.generation ?? 0;
    if (watch.generation < former) broken('no generation comes again', path);
    // Who applies a revision that is no more takes back what it did: nothing was said meanwhile.
    if (watch.generation <= (generations.get(path) ?? 0)) met('generation begun again');
    generations.set(path, watch.generation);
    const isNew = watch.state === 'unknown' && watch.alerts === 0 && watch.outbox.length === 0;
    if (!isNew) broken('a generation begins with nothing', path);
    const found = documentOf(key, watch);
    if (found === undefined) return broken('a watch is of its list', path);
    followed.set(path, {
      ...found,
      contract: contractOf(key),
      generation: watch.generation,
      belief: newBelief(watch.since),
      seen: 0,
      isSilent: watch.admin !== 'enabled',
    });
  };

  const edit = (path: string, key: Key, known: Followed, watch: WatchItem) => {
    const found = documentOf(key, watch);
    if (found === undefined) return broken('a watch is of its list', path);
    const { remindedAt, since: born, state, judgedUntil = 0 } = watch;
    const movedAt = state === 'unknown' ? 0 : judgedUntil;
    const isResumed = born !== known.belief.born;
    const isWaiting = known.belief.isWaiting || isResumed;
    // What must last for some time begins to do so when somebody watches again.
    const isBegun = isResumed && watch.stateSince === born;
    const stateSince = isBegun ? born : known.belief.stateSince;
    followed.set(path, {
      ...known,
      ...found,
      belief: { ...known.belief, stateSince, remindedAt, born, isWaiting, movedAt },
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
        const rule = part === undefined ? oracleRule(text) : companionRule(text, part);
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
    const isUnmoved = old !== undefined && stateText(old) === stateText(watch);
    if (isUnmoved && old.judgedUntil === watch.judgedUntil) return;
    const { facts, views } = contracts.knownOf(known.contract);
    const latest = { facts, views, past: contracts.pastOf(known.contract) };
    const made = watch.alerts - (old?.alerts ?? 0);
    const before = watch.alerts - made;
    // An outbox that is full keeps the last of them.
    const told = watch.outbox.filter((alert) => isNoSummary(alert) && numberOf(alert) > before);
    const wrongIn = (said: readonly Utterance[]) => {
      if (said.length !== made) return [`${made} alerts where there must be ${said.length}`];
      return told.flatMap((alert) => {
        const number = numberOf(alert);
        const one = said[number - before - 1];
        if (one === undefined) return [`no number ${number}`];
        const { cadenceMinutes } = world;
        return checkAlert(alert, one, known.rule, { path, number, watch, cadenceMinutes });
      });
    };
    const span = { from: startedAt, to: world.now() };
    const found = explain(known, latest, { watch, wrongIn }, span);
    if (!found.isRight) {
      followed.set(path, {
        ...known,
        belief: adopted(known.belief, watch, views.at(-1)?.upTo ?? 0),
      });
      return broken('states equal the model', storyOf(path, known, latest, watch, found));
    }
    if (found.view < views.length - 1) met('resumed view');
    const thought = found.thought.belief;
    // Who has judged further by time than was thought has judged what there was by then.
    const { judgedUntil = 0, judgedSeq } = watch;
    const further = { movedAt: judgedUntil, judged: Math.max(thought.judged, judgedSeq) };
    const belief = judgedUntil > thought.movedAt ? { ...thought, ...further } : thought;
    followed.set(path, { ...known, belief, seen: found.view });
    if (found.wrong.length > 0) {
      const what = `${path}: ${found.wrong.join(', ')}: ${JSON.stringify(told)}`;
      broken('alerts say what the model says', what);
    }
    for (const alert of told) {
      met('alert');
      met(`${nameOf(known.rule)} said: ${alert.kind}`);
      if (expected.has(alert.id)) broken('no id is used twice', alert.id);
      expected.set(alert.id, { alert, watch: path });
    }
  };

  const atRest = (items: readonly Item[]) => {
    for (const [path, known] of followed) {
      const { facts, views } = contracts.knownOf(known.contract);
      if (known.isSilent) continue;
      const latest = { facts, views, past: contracts.pastOf(known.contract) };
      // What the clock does is done within minutes.
      const isClock = isOfClock(known.rule.clauses[0]);
      const { stateSince = 0, born } = known.belief;
      const soon = world.now() - PATIENCE;
      if (isClock && Math.max(stateSince, born) > soon) continue;
      const lastLook = Math.max(soon, views.at(-1)?.at ?? 0);
      const moments = isClock ? [lastLook, soon] : [world.now()];
      const [due, ...others] = moments.map((moment) =>
        explain(known, latest, undefined, { from: moment, to: moment }),
      );
      if (due === undefined || [due, ...others].some(({ isRight }) => isRight)) continue;
      broken(
        'no committed crossing is lost',
        `${path}: still ${beliefText(known.belief)} where the model says ${beliefText(due.thought.belief)}, by ${JSON.stringify(known.text)}`,
      );
    }
    for (const item of items) {
      if (!item.pk.startsWith('CONTRACTS#')) continue;
      const { unjudged = [] } = item as { unjudged?: readonly unknown[] };
      if (unjudged.length > 0) broken('all that is committed is judged', item.sk);
    }
  };

  const { contractWritten, historyWritten } = contracts;
  return { contractWritten, historyWritten, watchWritten, atRest, expected };
}

const PATIENCE = 3 * 60_000;

function contractOf({ pk }: Key): string {
  return pk.slice('WATCHES#'.length);
}

/** What a reader needs to know of a watch that is not what it must be. */
function storyOf(
  path: string,
  { belief, text, seen }: Followed,
  { facts, views }: Known,
  watch: WatchItem,
  { thought }: Explanation,
): string {
  const recent = facts.slice(-6).map(({ number, part, time, price, currency }) => {
    return `${number} ${part} at ${hour(time)}: ${price} ${currency}`;
  });
  const newest = views.slice(-4).map(({ past, ...view }) => ({ ...view, past: past.length }));
  return [
    `${path}: ${stateText(watch)} where the model says ${beliefText(thought.belief)}`,
    `from ${beliefText(belief)}, moved at ${hour(belief.movedAt)}, by ${JSON.stringify(text)}`,
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
  return clauses.length > 1 ? 'all' : clauses[0].kind;
}

function hour(time: number): string {
  return new Date(time).toISOString().slice(11, 19);
}

/** What an edit of the list may change of a watch that goes on. */
function saysOfItself(watch: WatchItem | undefined): string {
  if (watch === undefined) return '';
  const { meaning, manner, wording, admin, expiresAt, since } = watch;
  return JSON.stringify([meaning, manner, wording, admin, expiresAt, since]);
}

function isSaidBy(
  text: RuleDocument,
  { once, reminder, steps, clauses }: OracleRule,
  { meaning, manner, wording }: WatchItem,
): boolean {
  const [{ threshold }] = clauses;
  return (
    (manner.repeat === 'once') === once &&
    manner.reminder === reminder &&
    manner.steps === steps?.toString() &&
    (meaning.condition.threshold ?? '0') === threshold.toString() &&
    wording.label === text.label &&
    wording.severity === text.severity &&
    wording.notifyRecovery === text.notifyRecovery
  );
}
