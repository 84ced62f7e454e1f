import { linkToView, type SavedView } from '#console/alerts/saved-views.ts';
import type { Answer } from '#console/interface/operations.ts';
import { linkTo, linkWith } from '#console/shell/place.ts';
import { collectionName } from '#console/words/collection-name.ts';
import { ruleName } from '#console/words/rule-name.ts';
import type { Findable } from './rank.ts';

type Row = Answer<'GET /v1/overview'>['contracts'][number];
type List = Answer<'GET /v1/watchlists'>['watchlists'][number];
type Rule = List['rules'][number];

/** An action on all lists or all open episodes. The palette requires a confirmation for it. */
export type ActionOnAll = 'mute' | 'unmute' | 'acknowledge';

/** An entry of the palette. `does` is what happens when a person chooses it. */
export type Entry = Findable & {
  readonly id: string;
  readonly kind: 'Action' | 'View' | 'Page' | 'Collection' | 'List' | 'Rule';
  /** Distinguishes entries with the same title. */
  readonly detail?: string;
  readonly does:
    | { readonly kind: 'go'; readonly hash: string }
    | { readonly kind: 'act'; readonly action: ActionOnAll }
    | { readonly kind: 'new rule' }
    | { readonly kind: 'help' };
};

/** The data that determine the entries. */
export type Known = {
  readonly rows: readonly Row[];
  readonly lists: readonly List[];
  readonly views: readonly SavedView[];
  readonly mayWrite: boolean;
  readonly mayRead: boolean;
  readonly firing: number;
};

type Collection = {
  readonly contract: string;
  readonly name: string;
  /** The names that lists give the collection, and its slug. */
  readonly also: readonly string[];
  readonly watchlists: readonly string[];
};

/** All entries, in the order in which an empty query shows them. */
export function entriesOf(known: Known): readonly Entry[] {
  return [
    ...(known.mayWrite ? actions(known) : []),
    ...known.views.map((view): Entry => {
      const go = { kind: 'go', hash: linkToView(view.filter) } as const;
      return { ...named('View', view.name, view.name), also: ['alerts'], does: go };
    }),
    ...pages(known),
    ...collectionsOf(known).map(collectionEntry),
    ...known.lists.map(
      ({ id, name }): Entry => ({
        ...named('List', id, name),
        also: [id],
        does: { kind: 'go', hash: linkTo('lists', id) },
      }),
    ),
    ...known.lists.flatMap((list) => list.rules.map((rule) => ruleEntry(rule, list, known))),
  ];
}

/**
 * Entries that open the form for a new rule: one for each collection and each list that contains
 * it.
 */
export function newRules(known: Known): readonly Entry[] {
  const listNames = new Map(known.lists.map(({ id, name }) => [id, name]));
  return collectionsOf(known).flatMap(({ contract, name, also, watchlists }) =>
    watchlists.map((watchlist): Entry => {
      const hash = linkTo('collections', contract, 'rules', watchlist, 'new');
      return {
        ...named('Action', `new ${contract} ${watchlist}`, `New rule on ${name}`),
        detail: `list ${listNames.get(watchlist) ?? watchlist}`,
        also: [contract, ...also],
        does: { kind: 'go', hash },
      };
    }),
  );
}

/** The collections of the overview, then members of lists that are not on its first page. */
function collectionsOf({ rows, lists }: Known): readonly Collection[] {
  const all = new Map<string, Collection>(
    rows.map(({ contract, name, slug, watchlists }) => [
      contract,
      { contract, name: collectionName({ contract, name }, rows), also: [slug ?? ''], watchlists },
    ]),
  );
  for (const { id, contracts } of lists) {
    for (const { contract, name } of contracts) {
      const known = all.get(contract);
      const { also = [], watchlists = [] } = known ?? {};
      all.set(contract, {
        contract,
        name: known?.name ?? collectionName({ contract, name }, contracts),
        also: [...also, name ?? ''],
        watchlists: watchlists.includes(id) ? watchlists : [...watchlists, id],
      });
    }
  }
  return [...all.values()];
}

function actions({ firing, rows, lists }: Known): readonly Entry[] {
  const acknowledge: Entry = {
    ...named('Action', 'acknowledge', 'Acknowledge all firing alerts'),
    also: ['alerts'],
    does: { kind: 'act', action: 'acknowledge' },
  };
  const mute: readonly Entry[] = [
    {
      ...named('Action', 'mute', 'Mute everything for 1 h'),
      also: ['mute all', 'snooze all', 'silence'],
      does: { kind: 'act', action: 'mute' },
    },
    {
      ...named('Action', 'unmute', 'Unmute everything'),
      also: ['unmute all', 'end snooze'],
      does: { kind: 'act', action: 'unmute' },
    },
  ];
  return [
    ...(firing > 0 ? [acknowledge] : []),
    ...(rows.length > 0
      ? [
          {
            ...named('Action', 'new-rule', 'New rule on …'),
            also: [],
            does: { kind: 'new rule' },
          } as const,
        ]
      : []),
    {
      ...named('Action', 'add', 'Add collection'),
      also: ['watch'],
      does: { kind: 'go', hash: linkWith({ open: 'collection' }) },
    },
    ...(lists.length > 0 ? mute : []),
  ];
}

function pages({ mayRead }: Known): readonly Entry[] {
  const page = (title: string, ...at: readonly string[]): Entry => ({
    ...named('Page', title, title),
    also: [],
    does: { kind: 'go', hash: linkTo(...at) },
  });
  return [
    page('Overview'),
    page('Alerts', 'alerts'),
    page('Channels', 'channels'),
    page('Lists', 'lists'),
    ...(mayRead ? [page('Operations', 'operations')] : []),
    { ...named('Page', 'help', 'Keyboard shortcuts'), also: ['help'], does: { kind: 'help' } },
  ];
}

function collectionEntry({ contract, name, also }: Collection): Entry {
  return {
    ...named('Collection', contract, name),
    also: [...also, contract, contract.split(':')[1] ?? ''],
    does: { kind: 'go', hash: linkTo('collections', contract) },
  };
}

/** The entry of a rule. It opens the rule on its first collection. */
function ruleEntry(rule: Rule, list: List, { rows }: Known): Entry {
  const { id, label, on } = rule;
  const members = list.contracts.filter(
    ({ contract }) => on === '*' || [on].flat().includes(contract),
  );
  const names = members.map(
    ({ contract, name }) =>
      rows.find((row) => row.contract === contract)?.name ??
      collectionName({ contract, name }, list.contracts),
  );
  const [first] = members;
  const shown = names.length > 1 ? `${names[0]} and ${names.length - 1} more` : (names[0] ?? '');
  return {
    ...named('Rule', `${list.id} ${id}`, ruleName({ ...(rule.all?.[0] ?? rule), label })),
    detail: [shown, `list ${list.name}`].filter(Boolean).join(', '),
    also: [id, list.name, list.id, ...names],
    does: {
      kind: 'go',
      hash:
        first === undefined
          ? linkTo('lists', list.id)
          : linkTo('collections', first.contract, 'rules', list.id, id),
    },
  };
}

function named<Kind extends Entry['kind']>(kind: Kind, id: string, title: string) {
  return { id: `${kind} ${id}`, kind, title };
}
