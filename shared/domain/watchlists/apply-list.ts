import { isDeepStrictEqual } from 'node:util';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { type Instant, readInstant } from '#shared/domain/market/instant.ts';
import {
  companionsOf,
  type Manner,
  type Meaning,
  mannerOf,
  meaningOf,
} from '#shared/domain/rules/alert-rule.ts';
import { isClock } from '#shared/domain/rules/metric.ts';
import { companionName, type Watch } from '#shared/domain/watching/watch.ts';
import {
  companionGeneration,
  generationOf,
  type Member,
  type Rule,
  rulesOn,
  type Watchlist,
} from './watchlist.ts';

/** What has to be done to a list's watches on one contract, so that they agree with its document. */
export type WatchChange =
  | { readonly kind: 'put'; readonly watch: Watch }
  | { readonly kind: 'delete'; readonly watch: Watch };

/**
 * Brings a list's watches on a contract in line with its document. A watch of the same generation
 * keeps its state; any other begins anew, and waits for an answer asked for after `now`.
 */
export function applyList(
  list: Watchlist,
  contract: ContractKey,
  existing: readonly Watch[],
  now: Instant,
): readonly WatchChange[] {
  const member = list.members.find((other) => other.contract === contract);
  const wanted = member === undefined ? [] : watchesWanted(list, member);
  const gone = existing.filter((watch) => !wanted.some(({ name }) => name === watch.rule));
  const changes = wanted.flatMap((one): WatchChange[] => {
    const old = existing.find((watch) => watch.rule === one.name);
    const watch = desiredWatch(list, one, old, now);
    return old !== undefined && sameWatch(old, watch) ? [] : [{ kind: 'put', watch }];
  });
  return [...gone.map((watch): WatchChange => ({ kind: 'delete', watch })), ...changes];
}

/** Whether a list's document asks for a watch as it was begun. */
export function isWanted(list: Watchlist, { contract, rule, generation }: Watch): boolean {
  const member = list.members.find((other) => other.contract === contract);
  const wanted = member === undefined ? [] : watchesWanted(list, member);
  return wanted.some((one) => one.name === rule && one.generation === generation);
}

/** The watches that a change of a list begins, and how many it ends; those that go on are neither. */
export function watchesBetween(
  before: Watchlist | undefined,
  after: Watchlist,
  now: Instant,
): { readonly begun: readonly Watch[]; readonly ended: number } {
  const wantedIn = (list: Watchlist | undefined) =>
    new Map(
      list?.members
        .flatMap((member) => watchesWanted(list, member))
        .map((one) => [`${one.member.contract} ${one.name} ${one.generation}`, one]),
    );
  const [old, young] = [wantedIn(before), wantedIn(after)];
  return {
    begun: [...young].flatMap(([key, one]) =>
      old.has(key) ? [] : [desiredWatch(after, one, undefined, now)],
    ),
    ended: [...old.keys()].filter((key) => !young.has(key)).length,
  };
}

/** A watch that a list asks for: a rule on one of its members, or what speaks of missing data. */
type Wanted = {
  readonly name: string;
  readonly rule: Rule;
  readonly member: Member;
  readonly generation: number;
  readonly meaning: Meaning;
  readonly manner: Manner;
};

function watchesWanted(list: Watchlist, member: Member): readonly Wanted[] {
  return rulesOn(list, member.contract).flatMap((rule): Wanted[] => [
    {
      name: rule.id,
      rule,
      member,
      generation: generationOf(rule, member),
      meaning: meaningOf(rule, contractOf(member.contract).chain),
      manner: mannerOf(rule),
    },
    ...companionsOf(rule).map(({ part, meaning }) => ({
      name: companionName(rule.id, part),
      rule,
      member,
      generation: companionGeneration(rule, member) ?? generationOf(rule, member),
      meaning,
      manner: { repeat: 'every' as const },
    })),
  ]);
}

function desiredWatch(
  list: Watchlist,
  { name, rule, member, generation, meaning, manner }: Wanted,
  old: Watch | undefined,
  now: Instant,
): Watch {
  const expiresAt = rule.expiresAt === undefined ? undefined : readInstant(rule.expiresAt);
  const { expiresAt: _old, ...kept }: Watch | NewWatch =
    old?.generation === generation
      ? resumed(
          lookedAtAgain(shownAgain(reminded(old, manner, now), rule, now), meaning, now),
          adminOf(rule, expiresAt, now),
          now,
        )
      : {
          tenant: list.tenant,
          list: list.id,
          rule: name,
          contract: member.contract,
          version: old?.version ?? 0,
          generation,
          since: now,
          state: 'unknown' as const,
          judgedSeq: 0,
          episode: 0,
          alerts: 0,
          outbox: [],
        };
  return {
    ...kept,
    manner,
    meaning,
    wording: {
      ...(rule.label === undefined ? {} : { label: rule.label }),
      ...(member.name === undefined ? {} : { name: member.name }),
      severity: rule.severity,
      notifyRecovery: rule.notifyRecovery,
    },
    admin: adminOf(rule, expiresAt, now),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

type NewWatch = Omit<Watch, 'meaning' | 'manner' | 'wording' | 'admin'>;

/** A clock that is set anew in an open episode reminds of nothing that it would have before. */
function reminded(old: Watch, { reminder }: Manner, now: Instant): Watch {
  return reminder === old.manner.reminder || old.state !== 'firing'
    ? old
    : { ...old, remindedAt: now };
}

/** A mute of one severity does not cover what has another now: its list's actor looks again. */
function shownAgain(old: Watch, { severity }: Rule, now: Instant): Watch {
  return old.folded === undefined || old.wording.severity === severity
    ? old
    : { ...old, outboxDueAt: now };
}

function lookedAtAgain(old: Watch, meaning: Meaning, now: Instant): Watch {
  return isDeepStrictEqual(old.meaning, meaning) ? old : { ...old, ...edited(old, now) };
}

/** It may be that no news ever reaches what the clock moves, though its line is another now. */
function edited({ meaning }: Watch, now: Instant): Pick<Watch, 'editedAt'> {
  return isClock(meaning.metric) ? { editedAt: now } : {};
}

/**
 * A rule that goes on after its end has seen nothing since: it is judged anew by the next answer.
 * A watch comes to its end by itself, whether its list was applied then or not.
 */
function resumed(old: Watch, admin: Watch['admin'], now: Instant): Watch {
  const hasEnded = old.expiresAt !== undefined && old.expiresAt <= now;
  if (!hasEnded || admin !== 'enabled') return old;
  const { countsFrom: _before, ...kept } = old;
  return {
    ...kept,
    ...{ since: now, judgedSeq: 0, judgedUntil: now, ...edited(old, now) },
    ...(isWaitingFor(old) && { stateSince: now }),
  };
}

/** What has to last for some time must last for as long while it is watched. */
function isWaitingFor({ state, ring }: Watch): boolean {
  return state === 'recovering' || (state === 'pending' && ring === undefined);
}

function adminOf(rule: Rule, expiresAt: Instant | undefined, now: Instant): Watch['admin'] {
  if (!rule.enabled) return 'paused';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'enabled';
}

function sameWatch(left: Watch, right: Watch): boolean {
  return (
    left.generation === right.generation &&
    left.admin === right.admin &&
    left.expiresAt === right.expiresAt &&
    isDeepStrictEqual(left.manner, right.manner) &&
    isDeepStrictEqual(left.meaning, right.meaning) &&
    left.wording.label === right.wording.label &&
    left.wording.name === right.wording.name &&
    left.wording.severity === right.wording.severity &&
    left.wording.notifyRecovery === right.wording.notifyRecovery
  );
}
