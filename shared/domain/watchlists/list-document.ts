import { isDeepStrictEqual } from 'node:util';
import { channelView } from '#shared/channels/channel.ts';
import { defined } from '#shared/domain/defined.ts';
import { omit } from '#shared/domain/omit.ts';
import { writtenMembers } from './wallet-members.ts';
import type { Member, Watchlist } from './watchlist.ts';

/**
 * A watchlist as a person would write it: without the members from its wallet, and with names in
 * place of secrets.
 */
export function documentOf(list: Watchlist) {
  const { name, wallet, rules, channels, contactPoints, notify } = list;
  const { escalate, timeZone, quiet, report } = list;
  return {
    name,
    ...(wallet && { wallet: wallet.address }),
    contracts: contractsView(writtenMembers(list)),
    rules: rules.map((rule) => omit(rule, 'since', 'noDataSince')),
    channels: [...contactPoints, ...channels.map(channelView)],
    ...defined({ notify, escalate, timeZone, quiet, report }),
  };
}

/**
 * The document with all members. If a client writes the document back, members with `by` stay with
 * the wallet.
 */
export function wholeDocumentOf(list: Watchlist): ListDocument {
  return { ...documentOf(list), contracts: contractsView(list.members) };
}

/** The members of a list in an answer. */
export function contractsView(members: readonly Member[]) {
  return members.map((member) => omit(member, 'joined', 'holdingSince'));
}

/**
 * The document of a list. Another version of the stack may have written it, so its members are
 * unknown.
 */
export type ListDocument = Readonly<Record<string, unknown>>;

/** The difference in one part of a list, in words. */
export type Difference = {
  readonly part: 'list' | 'contract' | 'rule' | 'channel';
  /** The id of the rule or the channel, or the contract; null for the list itself. */
  readonly name: string | null;
  readonly how: 'added' | 'changed' | 'removed';
  readonly members: readonly {
    readonly member: string;
    /**
     * Null if the member did not exist before the change. `after` is null if it no longer exists.
     */
    readonly before: string | null;
    readonly after: string | null;
  }[];
};

/**
 * The differences between two documents of a list. A document is undefined if the list did not
 * exist.
 */
export function differencesBetween(
  before: ListDocument | undefined,
  after: ListDocument | undefined,
): readonly Difference[] {
  const [old, young] = [partsOf(before), partsOf(after)];
  const names = [...new Set([...young.keys(), ...old.keys()])];
  return names.flatMap((key): readonly Difference[] => {
    const [was, is] = [old.get(key), young.get(key)];
    const part = is ?? was;
    if (part === undefined || isDeepStrictEqual(was?.members, is?.members)) return [];
    const how = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    const members = differingMembers(was?.members, is?.members);
    return [{ part: part.kind, name: part.name, how, members }];
  });
}

type Part = {
  readonly kind: Difference['part'];
  readonly name: string | null;
  readonly members: Readonly<Record<string, unknown>>;
};

/**
 * The parts of a document (the list itself, its contracts, rules and channels), each by a unique
 * key.
 */
function partsOf(document: ListDocument | undefined): ReadonlyMap<string, Part> {
  if (document === undefined) return new Map();
  const { contracts, rules, channels, ...members } = document;
  const parts: readonly Part[] = [
    { kind: 'list', name: null, members },
    ...namedParts('contract', contracts, 'contract'),
    ...namedParts('rule', rules, 'id'),
    ...namedParts('channel', channels, 'id'),
  ];
  return new Map(parts.map((part) => [`${part.kind} ${part.name}`, part]));
}

/** The parts of one kind. Each entry is an object that contains its name, or only the name. */
function namedParts(kind: Part['kind'], parts: unknown, naming: string): readonly Part[] {
  if (!Array.isArray(parts)) return [];
  return parts.map((part: unknown) => {
    const { [naming]: name, ...members } = isObject(part) ? part : { [naming]: part };
    return { kind, name: String(name), members };
  });
}

function differingMembers(
  before: Part['members'] = {},
  after: Part['members'] = {},
): Difference['members'] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.flatMap((member) => {
    const [was, is] = [before[member], after[member]];
    if (isDeepStrictEqual(was, is)) return [];
    return [{ member, before: inWords(was), after: inWords(is) }];
  });
}

/** A value of a document as people read it: `alert 6h`, `desk, room`. */
function inWords(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map((one) => inWords(one) ?? '').join(', ') || 'none';
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, one]) => `${name} ${inWords(one) ?? ''}`);
    return members.join(', ') || 'none';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
