import type { Item, Key } from '#shared/stores/table.ts';
import { amount, type ListDocument, oracleRule, partOf, type RuleDocument } from './documents.ts';
import type { Written } from './faulty-table.ts';
import {
  type Belief,
  type Fact,
  newBelief,
  type OracleRule,
  type Thought,
  think,
} from './oracle.ts';

/** What was known of a part of a contract after some write of its record. */
type View = { readonly upTo: number; readonly answeredAt: number | undefined };

type Followed = {
  readonly contract: string;
  readonly part: string;
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

export type AlertItem = {
  readonly id: string;
  readonly kind: string;
  readonly tenant: string;
  readonly watchlist: string;
  readonly rule: string | null;
  readonly contract: string | null;
  readonly value: string | null;
  readonly dataTime: string;
  readonly generation: number | null;
  readonly episode: number | null;
  readonly at: string;
};

export type WatchWitnessWorld = {
  readonly now: () => number;
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: 'alert' | 'generation begun again' | 'resumed view') => void;
  /** All revisions of a list's document, oldest first. */
  readonly revisionsOf: (tenant: string, list: string) => readonly ListDocument[];
};

export type WatchWitness = {
  readonly contractWritten: (written: Written) => void;
  readonly watchWritten: (written: Written) => void;
  /** Holds what is when all has come to rest against what must be. */
  readonly atRest: (items: readonly Item[]) => void;
  readonly expected: ReadonlyMap<string, ExpectedAlert>;
};

/** Holds each write of a contract and of a watch against the oracle. */
export function createWatchWitness(world: WatchWitnessWorld): WatchWitness {
  const { broken } = world;
  const facts = new Map<string, Fact[]>();
  const views = new Map<string, View[]>();
  const lastNumbers = new Map<string, number>();
  const followed = new Map<string, Followed>();
  const generations = new Map<string, number>();
  const expected = new Map<string, ExpectedAlert>();

  const contractWritten = ({ after }: Written) => {
    if (after === undefined) return;
    const record = after as unknown as ContractItem;
    const contract = after.sk;
    let last = lastNumbers.get(contract) ?? 0;
    for (const observation of record.unjudged ?? []) {
      if (observation.n <= last) continue;
      last = observation.n;
      const path = `${contract} ${observation.of}`;
      const told = facts.get(path) ?? [];
      const fact = factOf(observation);
      checkFact(fact, told.at(-1), `${path} ${fact.number}`);
      facts.set(path, [...told, fact]);
    }
    lastNumbers.set(contract, last);
    // A part that nobody needs any more is forgotten, and begins anew.
    for (const path of views.keys()) {
      const [owner, part = ''] = path.split(' ');
      if (owner !== contract || record.parts[part] !== undefined) continue;
      facts.delete(path);
      views.delete(path);
    }
    for (const [part, known] of Object.entries(record.parts)) {
      const path = `${contract} ${part}`;
      const before = views.get(path) ?? [];
      const view = { upTo: record.seq, answeredAt: known.asked };
      const newest = before.at(-1);
      if (newest?.upTo === view.upTo && newest.answeredAt === view.answeredAt) continue;
      views.set(path, [...before, view]);
    }
  };

  const checkFact = (fact: Fact, before: Fact | undefined, name: string) => {
    const isOrdered = before === undefined || fact.time >= before.time;
    if (!isOrdered) broken('observations are in order', name);
    if (fact.time > world.now() + 5 * 60_000) broken('no observation is of the future', name);
    if (fact.price !== undefined && fact.price <= 0n) broken('no price is zero', name);
  };

  const watchWritten = ({ key, before, after }: Written) => {
    const path = `${key.pk} ${key.sk}`;
    if (after === undefined) {
      followed.delete(path);
      return;
    }
    const watch = after as unknown as WatchItem;
    const old = before as unknown as WatchItem | undefined;
    const known = followed.get(path);
    if (known === undefined || watch.generation !== known.generation) {
      begin(path, key, watch);
    } else if (saysOfItself(old) !== saysOfItself(watch)) {
      edit(path, key, known, watch);
    } else {
      explain(path, known, old, watch);
    }
  };

  const begin = (path: string, key: Key, watch: WatchItem) => {
    // Who applies a revision that is no more takes back what it did: nothing was said meanwhile.
    if (watch.generation <= (generations.get(path) ?? 0)) world.met('generation begun again');
    generations.set(path, watch.generation);
    const isNew = watch.state === 'unknown' && watch.alerts === 0 && watch.outbox.length === 0;
    if (!isNew) broken('a generation begins with nothing', path);
    const text = documentOf(key, watch);
    if (text === undefined) return broken('a watch is of its list', path);
    followed.set(path, {
      contract: contractOf(key),
      part: partOf(text.metric),
      generation: watch.generation,
      rule: oracleRule(text),
      text,
      belief: newBelief(watch.since),
      seen: 0,
      isSilent: watch.admin !== 'enabled',
    });
  };

  const edit = (path: string, key: Key, known: Followed, watch: WatchItem) => {
    const text = documentOf(key, watch);
    if (text === undefined) return broken('a watch is of its list', path);
    const { remindedAt, since: born } = watch;
    followed.set(path, {
      ...known,
      text,
      rule: oracleRule(text),
      belief: { ...known.belief, remindedAt, born },
      isSilent: watch.admin !== 'enabled',
    });
  };

  /** The rule that a revision of the list had for a watch, as the watch says of itself. */
  const documentOf = (key: Key, watch: WatchItem): RuleDocument | undefined => {
    const [tenant = '', list = '', id] = key.sk.split('#');
    const contract = contractOf(key);
    return world
      .revisionsOf(tenant, list)
      .toReversed()
      .flatMap(({ rules, members }) => {
        const rule = rules.find((other) => other.id === id);
        const member = members.find((other) => other.contract === contract);
        if (rule === undefined || member === undefined) return [];
        const generation = Math.max(rule.since, member.joined);
        return generation === watch.generation && isSaidBy(rule, watch) ? [rule] : [];
      })[0];
  };

  const explain = (path: string, known: Followed, old: WatchItem | undefined, watch: WatchItem) => {
    if (old !== undefined && stateText(old) === stateText(watch)) return;
    const source = `${known.contract} ${known.part}`;
    const told = facts.get(source) ?? [];
    const all = views.get(source) ?? [];
    const made = watch.alerts - (old?.alerts ?? 0);
    const wanted = stateText(watch);
    for (let index = all.length - 1; index >= Math.max(0, known.seen - 1); index -= 1) {
      const view = all[index] as View;
      for (const outlook of [view, { ...view, answeredAt: undefined }]) {
        const thought = think(known.rule, known.belief, told, outlook);
        if (beliefText(thought.belief) !== wanted) continue;
        if (index < all.length - 1) world.met('resumed view');
        followed.set(path, { ...known, belief: thought.belief, seen: index });
        return checkSaid(path, known, watch, made, thought);
      }
    }
    const newest = all.at(-1) ?? { upTo: 0, answeredAt: undefined };
    const { belief } = think(known.rule, known.belief, told, newest);
    const recent = told
      .slice(-5)
      .map(
        ({ number, time, price, currency }) =>
          `${number} at ${new Date(time).toISOString().slice(11, 19)}: ${price} ${currency}`,
      );
    broken(
      'states equal the model',
      `${path}: ${wanted} where the model says ${beliefText(belief)}, by ${JSON.stringify(known.text)} and ${recent.join(', ')}; views ${JSON.stringify(all.slice(-4))}, seen ${known.seen} of ${all.length}`,
    );
    followed.set(path, { ...known, belief: adopted(known.belief, watch, newest.upTo) });
  };

  const checkSaid = (
    path: string,
    known: Followed,
    watch: WatchItem,
    made: number,
    { said }: Thought,
  ) => {
    const alerts = watch.outbox.filter(({ kind }) => kind !== 'summary').slice(-made);
    if (made < 1) return;
    // An outbox that is full keeps the last.
    const folded = made - alerts.length;
    said.slice(folded).forEach((utterance, index) => {
      const alert = alerts[index];
      if (alert === undefined) return;
      world.met('alert');
      const number = watch.alerts - made + folded + index + 1;
      const isRight =
        alert.kind === utterance.kind &&
        amount(alert.value) === utterance.value &&
        Date.parse(alert.dataTime) === utterance.time &&
        alert.generation === watch.generation &&
        alert.episode === (known.rule.when === 'crosses' ? null : utterance.episode) &&
        alert.id.endsWith(`.${watch.generation}.${number}`) &&
        path === `WATCHES#${alert.contract} ${alert.tenant}#${alert.watchlist}#${alert.rule}`;
      if (!isRight) {
        broken('alerts say what the model says', `${path}: ${JSON.stringify(alert)}`);
      }
      const same = expected.get(alert.id);
      if (same !== undefined) broken('no id is used twice', alert.id);
      expected.set(alert.id, { alert, watch: path });
    });
  };

  const atRest = (items: readonly Item[]) => {
    for (const [path, { contract, part, rule, belief, isSilent, text }] of followed) {
      const source = `${contract} ${part}`;
      const newest = views.get(source)?.at(-1);
      if (newest === undefined || isSilent) continue;
      const thought = think(rule, belief, facts.get(source) ?? [], newest);
      if (beliefText(thought.belief) === beliefText(belief)) continue;
      broken(
        'no committed crossing is lost',
        `${path}: still ${beliefText(belief)} where the model says ${beliefText(thought.belief)}, by ${JSON.stringify(text)}`,
      );
    }
    for (const item of items) {
      if (!item.pk.startsWith('CONTRACTS#')) continue;
      const { unjudged = [] } = item as unknown as ContractItem;
      if (unjudged.length > 0) broken('all that is committed is judged', item.sk);
    }
  };

  return { contractWritten, watchWritten, atRest, expected };
}

type ContractItem = {
  readonly seq: number;
  readonly parts: Readonly<Record<string, { readonly asked?: number }>>;
  readonly unjudged?: readonly ObservationItem[];
};

type ObservationItem = {
  readonly n: number;
  readonly of: string;
  readonly at: {
    readonly t: number;
    readonly p?: string;
    readonly c?: string;
    readonly u?: string;
  };
};

type WatchItem = {
  readonly generation: number;
  readonly state: string;
  readonly stateSince?: number;
  readonly since: number;
  readonly alerts: number;
  readonly episode: number;
  readonly firedAt?: number;
  readonly remindedAt?: number;
  readonly lastTold?: string;
  readonly ring?: readonly boolean[];
  readonly admin: string;
  readonly outbox: readonly AlertItem[];
  readonly folded?: unknown;
  readonly expiresAt?: number;
  readonly manner: { readonly repeat: string; readonly reminder?: number; readonly steps?: string };
  readonly wording: {
    readonly label?: string;
    readonly severity: string;
    readonly notifyRecovery: boolean;
  };
};

function factOf({ n, at }: ObservationItem): Fact {
  return {
    number: n,
    time: at.t,
    price: at.p === undefined ? undefined : BigInt(at.p),
    currency: at.c ?? '',
    usd: at.u === undefined ? undefined : BigInt(at.u),
  };
}

function contractOf({ pk }: Key): string {
  return pk.slice('WATCHES#'.length);
}

/** What an edit of the list may change of a watch that goes on. */
function saysOfItself(watch: WatchItem | undefined): string {
  if (watch === undefined) return '';
  const { manner, wording, admin, expiresAt, since } = watch;
  return JSON.stringify([manner, wording, admin, expiresAt, since]);
}

function isSaidBy(rule: RuleDocument, { manner, wording }: WatchItem): boolean {
  const { once, reminder, steps } = oracleRule(rule);
  return (
    (manner.repeat === 'once') === once &&
    manner.reminder === reminder &&
    manner.steps === steps?.toString() &&
    wording.label === rule.label &&
    wording.severity === rule.severity &&
    wording.notifyRecovery === rule.notifyRecovery
  );
}

function stateText({ state, stateSince, alerts, episode, firedAt, lastTold, ring }: WatchItem) {
  return JSON.stringify({ state, stateSince, alerts, episode, firedAt, lastTold, ring });
}

function beliefText(belief: Belief): string {
  const { state, stateSince, alerts, episodes, firedAt, lastTold, ring } = belief;
  return JSON.stringify({
    state,
    stateSince,
    alerts,
    episode: episodes,
    firedAt,
    lastTold: lastTold?.toString(),
    ring: ring.length > 0 ? ring : undefined,
  });
}

/** What the product says is believed once it was found wrong, so that each fault is told once. */
function adopted(belief: Belief, watch: WatchItem, judged: number): Belief {
  const { state, stateSince, firedAt, remindedAt, alerts, episode: episodes, lastTold } = watch;
  const ring = watch.ring ?? [];
  const told = lastTold === undefined ? undefined : BigInt(lastTold);
  return {
    ...belief,
    state,
    stateSince,
    firedAt,
    remindedAt,
    alerts,
    episodes,
    ring,
    judged,
    lastTold: told,
  };
}
