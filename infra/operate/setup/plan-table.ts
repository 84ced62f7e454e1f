import { UsageError } from '#infra/command-line/usage-error.ts';
import type { StackTable } from '#infra/operate/account/cloud-stacks.ts';

/** The tables of a stage, and the one that its stack uses. */
export type FoundTables = {
  readonly all: readonly string[];
  /** Undefined without a stack, or after one that was never made. */
  readonly inUse: (StackTable & { readonly lacking: readonly string[] }) | undefined;
};

export type PlannedTable = {
  /** An existing table; undefined where the stack has one of its own. */
  readonly existing: string | undefined;
  /** Whether the stack begins to use it: it is adopted before the deployment. */
  readonly isAdopted: boolean;
  /** The table that the stack uses no more. */
  readonly replaced: { readonly name: string; readonly isKept: boolean } | undefined;
};

/** In place of a name: an empty table of the stack's own. */
export const NEW_TABLE = 'new';

/**
 * Chooses the table: the one that is asked for, that of the settings, the one in use, or the only
 * one that an earlier stack has left.
 */
export function planTable(
  asked: string | undefined,
  known: string | undefined,
  { all, inUse }: FoundTables,
): PlannedTable {
  const wanted = asked ?? known ?? inUse?.name ?? leftBehind(all);
  const isOwn = wanted === undefined || (wanted === inUse?.name && inUse.isOwn);
  const existing = isOwn || wanted === NEW_TABLE ? undefined : wanted;
  if (existing !== undefined && !all.includes(existing)) {
    const known = all.length === 0 ? 'has none' : `has ${all.join(', ')}`;
    throw new UsageError(
      `there is no table ${existing} in this account and region, which ${known}: give --table with one of the stage, or --table ${NEW_TABLE}`,
    );
  }
  // `new` leaves the stack's own table in use.
  const stays = existing === undefined ? inUse?.isOwn === true : existing === inUse?.name;
  if (stays && inUse !== undefined && inUse.lacking.length > 0) {
    throw new UsageError(
      `the table ${inUse.name} of this stage is of an older version: it lacks ${inUse.lacking.join(', ')}, and only a new table can have them. End the stage with npm run operate -- destroy, then set it up again with --table ${NEW_TABLE}`,
    );
  }
  return {
    existing,
    isAdopted: existing !== undefined && !stays,
    replaced:
      inUse === undefined || stays
        ? undefined
        : { name: inUse.name, isKept: !inUse.isOwn || inUse.isRetained },
  };
}

function leftBehind(all: readonly string[]): string | undefined {
  const [only, ...others] = all;
  if (others.length === 0) return only;
  throw new UsageError(
    `earlier stacks have left several tables: choose one with --table: ${all.join(', ')}, or ${NEW_TABLE}`,
  );
}
