import * as z from 'zod';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { STATUSES } from '#shared/domain/evaluation/watch-status.ts';
import type { Forms } from '#shared/domain/forms.ts';
import { ContractKey, contractPattern } from '#shared/domain/market/contract.ts';
import { Moment } from '#shared/domain/rules/alert-rule.ts';
import { heldMembers } from '#shared/domain/watchlists/holding.ts';
import { Identifier, identifierPattern, Line } from '#shared/domain/words.ts';
import {
  CursorText,
  cursorParameter,
  limitParameter,
  pageOf,
  pointsParameter,
  UsualLimit,
} from '#shared/http/cursor.ts';

export const WatchlistsQuery = z.lazy(() => pageOf(Identifier, 'LIST#'));
export type WatchlistsQuery = z.output<typeof WatchlistsQuery>;

export const PutQuery = z.lazy(() =>
  z.strictObject({
    dryRun: z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true'),
  }),
);
export type PutQuery = z.output<typeof PutQuery>;

export const WatchesQuery = z.lazy(() =>
  z.strictObject({ cursor: cursorParameter(ContractKey).optional() }),
);
export type WatchesQuery = z.output<typeof WatchesQuery>;

/** The body of a PUT of a contract. The path identifies the contract. */
export const MemberReplacement = z.lazy(() =>
  z.strictObject({
    contract: ContractKey.optional(),
    name: Line.optional(),
    ...heldMembers,
  }),
);

export const ValueQuery = z.lazy(() =>
  z.strictObject({ from: Moment.optional(), points: pointsParameter() }),
);
export type ValueQuery = z.output<typeof ValueQuery>;

/** The path of a watch after the path of its list. */
export const WatchPath = z.lazy(() => z.object({ contract: ContractKey, rule: Identifier }));

/** The id of an entry of the audit log: its time and a number. */
const ChangeId = z.lazy(() => z.string().regex(/^[\w:.-]{1,40}~[0-9a-z]{1,20}$/));

/** An entry of the audit log may name a thousand parts of a list, so a page has fewer entries. */
export const ChangesQuery = z.lazy(() =>
  z.strictObject({
    limit: limitParameter(25),
    cursor: cursorParameter(ChangeId, 'CHANGE#').optional(),
    watchlist: Identifier.optional(),
  }),
);
export type ChangesQuery = z.output<typeof ChangesQuery>;

export const ChangePath = z.lazy(() => z.object({ change: ChangeId }));

/** Maximum values of one parameter. */
const MOST_VALUES = 20;

/** A parameter with one or more values, separated by commas. */
const several = <Schema extends z.ZodType<string, string>>(schema: Schema) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(
      z.array(schema).check(({ value, issues }) => {
        if (value.length <= MOST_VALUES) return;
        const message = `expected at most ${MOST_VALUES} values, found ${value.length}`;
        issues.push({ code: 'custom', input: value, message });
      }),
    );

export const AlertsQuery = z.lazy(() =>
  z.strictObject({
    limit: UsualLimit,
    cursor: CursorText.optional(),
    format: z.enum(['json', 'csv']).default('json'),
    text: Line.optional(),
    contract: several(ContractKey).optional(),
    rule: several(Identifier).optional(),
    kind: several(Alert.shape.kind).optional(),
    severity: several(Alert.shape.severity).optional(),
    from: Moment.optional(),
    to: Moment.optional(),
  }),
);
export type AlertsQuery = z.output<typeof AlertsQuery>;

export const AllAlertsQuery = z.lazy(() =>
  AlertsQuery._zod.innerType.extend({ watchlist: several(Identifier).optional() }),
);
export type AllAlertsQuery = z.output<typeof AllAlertsQuery>;

/** Maximum episodes on a page, because each episode needs several reads. */
const MOST_EPISODES = 50;

export const EpisodesQuery = z.lazy(() =>
  AllAlertsQuery._zod.innerType.omit({ kind: true }).extend({
    limit: limitParameter(MOST_EPISODES),
    state: z.enum(['open', 'over']).optional(),
  }),
);
export type EpisodesQuery = z.output<typeof EpisodesQuery>;

export const AllWatchesQuery = z.lazy(() =>
  z.strictObject({
    limit: UsualLimit,
    cursor: CursorText.optional(),
    sort: z.enum(['contract', 'distance']).default('contract'),
    state: several(z.enum(STATUSES)).optional(),
    watchlist: several(Identifier).optional(),
    contract: several(ContractKey).optional(),
  }),
);
export type AllWatchesQuery = z.output<typeof AllWatchesQuery>;

/** Maximum rows on a page, because each row needs several reads. */
const MOST_ROWS = 50;

export const OverviewQuery = z.lazy(() =>
  z.strictObject({
    limit: limitParameter(MOST_ROWS),
    cursor: cursorParameter(ContractKey).optional(),
  }),
);
export type OverviewQuery = z.output<typeof OverviewQuery>;

/** JSON Schemas of the parameters with several values. */
export function severalForms(): Forms {
  const { contract, rule, kind, severity, watchlist } = AllAlertsQuery._zod.innerType.shape;
  const { state, ...ofWatches } = AllWatchesQuery._zod.innerType.shape;
  const form = (one: string) => ({ pattern: `^${one}(,${one}){0,${MOST_VALUES - 1}}$` });
  const ofWords = (words: readonly string[]) => form(`(${words.join('|')})`);
  return [
    [contract.unwrap(), form(contractPattern())],
    [rule.unwrap(), form(identifierPattern())],
    [watchlist.unwrap(), form(identifierPattern())],
    [kind.unwrap(), ofWords(Alert.shape.kind.options)],
    [severity.unwrap(), ofWords(Alert.shape.severity.options)],
    [ofWatches.contract.unwrap(), form(contractPattern())],
    [ofWatches.watchlist.unwrap(), form(identifierPattern())],
    [state.unwrap(), ofWords(STATUSES)],
  ];
}
