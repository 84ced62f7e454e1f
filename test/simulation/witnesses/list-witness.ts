import { isDeepStrictEqual } from 'node:util';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { type ListDocument, listDocument, type RuleDocument } from './documents.ts';

export type ListWitnessWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly now: () => number;
};

/** Holds what lists say against what is made of them. */
export function createListWitness({ broken, now }: ListWitnessWorld) {
  const known = new Map<string, Set<number>>();
  /** What is written next to a version follows it, whoever writes; and none comes again. */
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
        for (const rule of rules.filter(({ on }) => on === '*' || on === contract)) {
          const path = `${name}#${rule.id} on ${contract}`;
          const { generation, admin } = (watches.get(path) ?? {}) as Partial<WatchItem>;
          const isRight =
            generation === Math.max(rule.since, joined) && adminsOf(rule, now()).includes(admin);
          if (!isRight) broken('each rule has its watches', `${path}: ${generation} ${admin}`);
        }
      }
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
    },
  };
}

type WatchItem = { readonly generation: number; readonly admin: string };

/** Items of which each version is written once. */
function isVersioned(pk: string, sk: string): boolean {
  if (pk.startsWith('TENANT#') || pk === 'STACK')
    return /^(LIST#|MUTES#|CHANNEL#|HOLDINGS)/.test(sk);
  return /^(CONTRACTS|WATCHES|LIST|DISPATCH)#/.test(pk) || sk === 'GOVERNOR';
}

function isOf(list: ListDocument | undefined, rule: string, contract: string): boolean {
  const found = list?.rules.find(({ id }) => id === rule);
  const isMember = list?.members.some((member) => member.contract === contract) === true;
  return isMember && found !== undefined && (found.on === '*' || found.on === contract);
}

/** A rule whose end has only just come may not be put aside yet. */
function adminsOf({ enabled, expiresAt }: RuleDocument, now: number): readonly unknown[] {
  if (!enabled) return ['paused'];
  const end = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  if (end > now) return ['enabled'];
  return end > now - JUST_NOW ? ['enabled', 'expired'] : ['expired'];
}

const JUST_NOW = 5 * 60_000;

/** What a rule means, without its words and how often it speaks. */
function essence(rule: RuleDocument) {
  const { since: _since, severity: _severity, label: _label, ...rest } = rule;
  return rest;
}
