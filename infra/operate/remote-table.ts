import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';

/** The path at which a stack of `npm start` serves its table to commands on this machine. */
export const TABLE_PATH = '/local/table';
/** Browsers send this header to other origins only after a preflight request, which fails here. */
export const COMMAND_HEADER = 'x-floorwatch-command';

/** A call of the table, as commands send it. */
const TableCall = z.object({
  operation: z.enum([
    ...['get', 'put', 'delete', 'transact', 'query', 'queryThresholdIndex', 'due'],
    ...['getAll', 'putAll', 'deleteAll'],
  ] as const satisfies readonly (keyof BulkTable)[]),
  given: z.array(z.unknown()),
});

const TableAnswer = z.union([
  z.object({ conflict: z.string() }),
  z.object({ result: z.unknown().optional() }),
]);

const Key = z.object({ pk: z.string(), sk: z.string() });
const Item = z.looseObject(Key.shape);

/** The table of a stack of `npm start`, by the URL of its API. */
export function createRemoteTable(url: string): BulkTable {
  const call = async <Schema extends z.ZodType>(
    schema: Schema,
    operation: keyof BulkTable,
    ...given: readonly unknown[]
  ): Promise<z.output<Schema>> => {
    const response = await fetch(new URL(TABLE_PATH, url), {
      method: 'POST',
      headers: { [COMMAND_HEADER]: '1' },
      body: JSON.stringify({ operation, given }),
    });
    if (!response.ok)
      throw new Error(
        `${url} returned ${response.status} to the table operation "${operation}": if the stack runs another version, restart it with npm start`,
      );
    const answer = TableAnswer.parse(await response.json());
    if ('conflict' in answer) throw new VersionConflictError(answer.conflict);
    return schema.parse(answer.result);
  };
  const nothing = z.unknown().transform(() => undefined);
  return {
    get: (key) => call(Item.optional(), 'get', key),
    put: (...given) => call(nothing, 'put', ...given),
    delete: (...given) => call(nothing, 'delete', ...given),
    transact: (writes) => call(nothing, 'transact', writes),
    query: (query) => call(ItemPage, 'query', query),
    queryThresholdIndex: (query) => call(ThresholdIndexPage, 'queryThresholdIndex', query),
    due: (...given) => call(z.array(Key.extend({ dueAt: z.number() })), 'due', ...given),
    getAll: (keys) => call(z.array(Item), 'getAll', keys),
    putAll: (items) => call(nothing, 'putAll', items),
    deleteAll: (keys) => call(nothing, 'deleteAll', keys),
  };
}

const ItemPage = z.object({ entries: z.array(Item), next: z.string().exactOptional() });
const ThresholdIndexPage = z.object({
  entries: z.array(Key),
  next: z.object({ sk: z.string(), position: z.string() }).exactOptional(),
});

/**
 * Returns the response of a table to a request to `TABLE_PATH`; undefined if no command sent the
 * request.
 */
export async function answerTableCall(
  table: BulkTable,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: string },
): Promise<unknown> {
  if (headers[COMMAND_HEADER] === undefined) return undefined;
  const { operation, given } = JsonText.pipe(TableCall).parse(body);
  try {
    return { result: await Reflect.apply(table[operation], table, given) };
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    return { conflict: error.message.replace(/ has changed .*$/, '') };
  }
}
