import { isDeepStrictEqual } from 'node:util';
import { omit } from '#shared/domain/omit.ts';
import type { Item } from '#shared/stores/table.ts';
import { readRule } from '#test/simulation/oracle/read-rule.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { isSource, isSourceWatch, sourcesOf } from './derived-invariants.ts';
import {
  holdingFor,
  isOfList,
  type ListDocument,
  listDocument,
  type RuleDocument,
  watchedIn,
} from './documents.ts';

export type ListInvariantsWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly now: () => number;
};

/** Checks that watches and polled series match the lists. */
export function createListInvariants({ broken, now }: ListInvariantsWorld) {
  const known = new Map<string, Set<number>>();
  /**
   * Versions of an item must increase by one, whichever worker writes, and must never be reused.
   */
  const checkVersion = ({ key: { pk, sk }, before, after }: Written) => {
    if (after === undefined || !isVersioned(pk, sk)) return;
    const path = `${pk} ${sk}`;
    const versions = known.get(path) ?? new Set();
    known.set(path, versions);
    const version = Number(after.version);
    const follows = before === undefined || version === Number(before.version) + 1;
    if (!follows || versions.has(version)) {
      broken('versions increase by one', `${path}: ${Number(before?.version)}, ${version}`);
    }
    versions.add(version);
  };

  /** An edit that keeps the meaning of a rule must not restart its watches. */
  const checkSince = ({ key: { pk, sk }, before, after }: Written) => {
    if (!sk.startsWith('LIST#') || before === undefined || after === undefined) return;
    for (const rule of listDocument(after).rules) {
      const old = listDocument(before).rules.find(({ id }) => id === rule.id);
      if (
        old === undefined ||
        old.since === rule.since ||
        !isDeepStrictEqual(essence(old), essence(rule))
      ) {
        continue;
      }
      broken('an edit of texts does not restart a rule', `${pk} ${sk} ${rule.id}`);
    }
  };

  const checkWatches = (lists: ReadonlyMap<string, ListDocument>, items: readonly Item[]) => {
    const watches = new Map<string, Item>();
    for (const item of items) {
      if (!item.pk.startsWith('WATCHES#')) continue;
      const path = `${item.sk} on ${item.pk.slice('WATCHES#'.length)}`;
      watches.set(path, item);
      const [tenant, list, name = ''] = item.sk.split('#');
      const known = lists.get(`${tenant}#${list}`);
      const [id = ''] = name.split('~');
      const contract = item.pk.slice('WATCHES#'.length);
      const isNeeded = isSourceWatch(name)
        ? isSource(known, contract, (rule, derived) => rule.id === id && isOn(rule, derived))
        : isOf(known, id, contract);
      if (!isNeeded) broken('watches of removed rules and contracts are deleted', path);
    }
    for (const [name, list] of lists) {
      const { rules } = list;
      const members = watchedIn(list);
      for (const { contract, joined } of members) {
        for (const rule of rules.filter((one) => isOf(list, one.id, contract))) {
          const { since = 0 } = holdingFor(list, rule, contract) ?? {};
          const path = `${name}#${rule.id} on ${contract}`;
          const { generation, admin, state } = (watches.get(path) ?? {}) as Partial<WatchItem>;
          // A watch whose episodes have ended expires together with the last watch of its rule.
          const waitsFor = members.filter(
            (one) =>
              one.contract === contract || (state === 'ended' && isOf(list, rule.id, one.contract)),
          );
          const isAnsweredFor = waitsFor.every((one) =>
            isAnswered(items, one.contract, rule, now()),
          );
          const isRight =
            generation === Math.max(rule.since, joined, since) &&
            adminsOf(rule, isAnsweredFor, now()).includes(admin);
          if (!isRight) broken('each rule has its watches', `${path}: ${generation} ${admin}`);
          const sources = sourcesOf(list, contract);
          for (const member of members.filter((one) => sources.includes(one.contract))) {
            const source = `${name}#${rule.id}~of on ${member.contract}`;
            const found = watches.get(source) as Partial<WatchItem> | undefined;
            const isNeeded =
              found?.generation === Math.max(rule.since, member.joined) &&
              adminsOf(rule, false, now()).includes(found.admin);
            if (!isNeeded) broken('the floors of a ratio or a value are polled', source);
          }
        }
      }
    }
  };

  /** A series that no enabled rule reads must not be polled. */
  const checkNeeds = (lists: ReadonlyMap<string, ListDocument>, items: readonly Item[]) => {
    for (const { pk, sk, series } of items) {
      if (!pk.startsWith('CONTRACTS#')) continue;
      const rules = [...lists.values()].flatMap((list) =>
        list.rules.filter(({ id, enabled }) => enabled && isOf(list, id, sk)),
      );
      const isPolledForDerived = [...lists.values()].some((list) =>
        isSource(list, sk, (rule, derived) => rule.enabled && isOn(rule, derived)),
      );
      const read = new Set<string>([
        ...rules.flatMap((rule) => readRule(rule).series),
        ...(isPolledForDerived ? ['floor'] : []),
      ]);
      // Statistics are part of the answer for the floor.
      const isCounted = [...read].some((name) => /^(volume|sales|owners)/.test(name));
      const needed = isCounted ? read.add('floor') : read;
      const unneeded = Object.keys(series ?? {}).find((name) => !needed.has(name));
      if (unneeded !== undefined)
        broken('nothing is polled that no rule reads', `${sk} ${unneeded}`);
    }
  };

  return {
    written: (write: Written) => {
      checkVersion(write);
      checkSince(write);
    },

    atRest: (items: readonly Item[]) => {
      const lists = items.filter(({ sk }) => sk.startsWith('LIST#'));
      const named = lists.map(
        (item) =>
          [
            `${item.pk.slice('TENANT#'.length)}#${item.sk.slice('LIST#'.length)}`,
            listDocument(item),
          ] as const,
      );
      checkWatches(new Map(named), items);
      checkNeeds(new Map(named), items);
    },
  };
}

type WatchItem = {
  readonly generation: number;
  readonly admin: string;
  readonly state: string;
};

/** Whether each version of an item is written once. */
function isVersioned(pk: string, sk: string): boolean {
  if (pk.startsWith('TENANT#') || pk === 'STACK') return /^(LIST#|MUTES#|CHANNEL#|QUOTA)/.test(sk);
  // Outcomes of alerts are written without a version.
  if (pk.startsWith('LIST#')) return sk.startsWith('ALERT#');
  return /^(CONTRACTS|WATCHES|DISPATCH)#/.test(pk) || sk.startsWith('RATE_LIMITER#');
}

function isOf(list: ListDocument | undefined, rule: string, contract: string): boolean {
  const found = list?.rules.find(({ id }) => id === rule);
  if (list === undefined || found === undefined) return false;
  if (isOfList(found)) return list.value?.contract === contract;
  const isMember = list.members.some((member) => member.contract === contract);
  if (!isMember || !isOn(found, contract)) return false;
  return holdingFor(list, found, contract) !== undefined;
}

function isOn({ on }: RuleDocument, contract: string): boolean {
  return on === '*' || (typeof on === 'string' ? on === contract : on.includes(contract));
}

/** A rule expires within minutes of the first answer after its end. */
function adminsOf(
  { enabled, expiresAt }: RuleDocument,
  isEnded: boolean,
  now: number,
): readonly unknown[] {
  if (!enabled) return ['paused'];
  const end = endOf({ expiresAt });
  if (end > now) return ['enabled'];
  return isEnded && end <= now - JUST_NOW ? ['expired'] : ['enabled', 'expired'];
}

function endOf({ expiresAt }: { readonly expiresAt?: string | undefined }): number {
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}

/**
 * Whether each series of a rule was answered after the end of the rule, and has had answers for
 * five minutes.
 */
function isAnswered(
  items: readonly Item[],
  contract: string,
  rule: RuleDocument,
  now: number,
): boolean {
  const record = items.find(({ pk, sk }) => pk.startsWith('CONTRACTS#') && sk === contract);
  const series = (record?.series ?? {}) as Readonly<Record<string, AnsweredSeries>>;
  return readRule(rule).series.every((name) => {
    const { asked = 0, from = 0 } = series[name] ?? {};
    return asked >= endOf(rule) && from <= now - JUST_NOW;
  });
}

/** The times of the last and of the first answer. */
type AnsweredSeries = { readonly asked?: number; readonly from?: number };

const JUST_NOW = 5 * 60_000;

/** The members of a rule that decide when it fires. */
function essence(rule: RuleDocument) {
  const rest = omit(rule, 'since', 'severity', 'label', 'notify');
  return rest;
}
