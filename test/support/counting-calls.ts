import type { Table } from '#shared/stores/table.ts';

/** Wraps a table, and counts the calls of each operation. */
export function countingCalls(table: Table): {
  readonly table: Table;
  readonly calls: Map<string, number>;
} {
  const calls = new Map<string, number>();
  const counted = <Operation extends keyof Table>(name: Operation): Table[Operation] =>
    new Proxy(table[name], {
      apply: (operation, self, given) => {
        calls.set(name, (calls.get(name) ?? 0) + 1);
        return Reflect.apply(operation, self, given);
      },
    });
  return {
    calls,
    table: {
      get: counted('get'),
      put: counted('put'),
      delete: counted('delete'),
      transact: counted('transact'),
      query: counted('query'),
      queryThresholdIndex: counted('queryThresholdIndex'),
      due: counted('due'),
    },
  };
}
