import { isDeepStrictEqual } from 'node:util';
import { omit } from '#shared/domain/omit.ts';
import type { Item } from '#shared/stores/table.ts';
import { readRule } from '#test/simulation/oracle/read-rule.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { type ListDocument, listDocument, type RuleDocument } from './documents.ts';

export type ListInvariantsWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly now: () => number;
};

/** Holds what lists say against what is made of them. */
export function createListInvariants({ broken, now }: ListInvariantsWorld) {
  const known = new Map<string, Set<number>>();
  /** What is written next to a version follows it, whichever worker writes; and none comes again. */
  const checkVersion = ({ key: { pk, sk }, before, after }: Written) => {
    if (after === undefined || !isVersioned(pk, sk)) return;
    const path = `${pk} ${sk}`;
    const versions = known.get(path) ?? new Set();
    known.set(path, versions);
    const version = Number(after.version);
    const follows = before === undefined || version === Number(before.version) + 1;
    if (!follows || versions.has(version)) {
      broken('a version follows the one before', `${path}: ${Number(before?.version)}, ${version}`);
    }
    versions.add(version);
  };

  /** A rule that says what it said goes on; an edit of its words ends nothing. */
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
      broken('words are edited without an end', `${pk} ${sk} ${rule.id}`);
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
      if (!isOf(known, id, item.pk.slice('WATCHES#'.length))) {
        broken('watches of what is gone go', path);
      }
    }
    for (const [name, { members, rules }] of lists) {
      for (const { contract, joined } of members) {
        for (const rule of rules.filter((one) => isOn(one, contract))) {
          const path = `${name}#${rule.id} on ${contract}`;
          const { generation, admin, state } = (watches.get(path) ?? {}) as Partial<WatchItem>;
          // A watch whose episodes have ended expires together with the last watch of its rule.
          const waitsFor = members.filter(
            (one) => one.contract === contract || (state === 'ended' && isOn(rule, one.contract)),
          );
          const isAnsweredFor = waitsFor.every((one) =>
            isAnswered(items, one.contract, rule, now()),
          );
          const isRight =
            generation === Math.max(rule.since, joined) &&
            adminsOf(rule, isAnsweredFor, now()).includes(admin);
          if (!isRight) broken('each rule has its watches', `${path}: ${generation} ${admin}`);
        }
      }
    }
  };

  /** A part of a contract that only paused rules read, or none, is not asked for. */
  const checkNeeds = (lists: ReadonlyMap<string, ListDocument>, items: readonly Item[]) => {
    for (const { pk, sk, parts } of items) {
      if (!pk.startsWith('CONTRACTS#')) continue;
      const rules = [...lists.values()].flatMap((list) =>
        list.rules.filter(({ id, enabled }) => enabled && isOf(list, id, sk)),
      );
      const read = new Set<string>(rules.flatMap((rule) => readRule(rule).parts));
      // Statistics come with the floor.
      const isCounted = [...read].some((part) => /^(volume|sales|owners)/.test(part));
      const needed = isCounted ? read.add('floor') : read;
      const unneeded = Object.keys(parts ?? {}).find((part) => !needed.has(part));
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

/** Items of which each version is written once. */
function isVersioned(pk: string, sk: string): boolean {
  if (pk.startsWith('TENANT#') || pk === 'STACK') return /^(LIST#|MUTES#|CHANNEL#|QUOTA)/.test(sk);
  // Outcomes of alerts are written without a version.
  if (pk.startsWith('LIST#')) return sk.startsWith('ALERT#');
  return /^(CONTRACTS|WATCHES|DISPATCH)#/.test(pk) || sk.startsWith('GOVERNOR#');
}

function isOf(list: ListDocument | undefined, rule: string, contract: string): boolean {
  const found = list?.rules.find(({ id }) => id === rule);
  const isMember = list?.members.some((member) => member.contract === contract) === true;
  return isMember && found !== undefined && isOn(found, contract);
}

function isOn({ on }: RuleDocument, contract: string): boolean {
  return on === '*' || on === contract || on.includes(contract);
}

/** A rule ends with an answer from its end, minutes later at most. */
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

/** Whether each part that a rule reads was answered since its end, and not only just now. */
function isAnswered(
  items: readonly Item[],
  contract: string,
  rule: RuleDocument,
  now: number,
): boolean {
  const record = items.find(({ pk, sk }) => pk.startsWith('CONTRACTS#') && sk === contract);
  const parts = (record?.parts ?? {}) as Readonly<Record<string, AnsweredPart>>;
  return readRule(rule).parts.every((part) => {
    const { asked = 0, from = 0 } = parts[part] ?? {};
    return asked >= endOf(rule) && from <= now - JUST_NOW;
  });
}

/** The last answer, and since when there have been answers. */
type AnsweredPart = { readonly asked?: number; readonly from?: number };

const JUST_NOW = 5 * 60_000;

/** What a rule means, without its words and how often it speaks. */
function essence(rule: RuleDocument) {
  const rest = omit(rule, 'since', 'severity', 'label', 'notify');
  return rest;
}
