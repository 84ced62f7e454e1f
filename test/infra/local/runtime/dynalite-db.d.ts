declare module 'dynalite/db/index.js' {
  type Reported<Result> = (error: Error | null, result: Result) => void;

  /** The database behind a dynalite, to do by hand what it does in several steps. */
  type Store = {
    readonly db: { readonly close: () => Promise<void> };
    readonly getTable: (name: string, reported: Reported<unknown>) => void;
  };
  export const create: (options: { readonly path: string }) => Store;
  export const updateIndexes: (
    store: Store,
    table: unknown,
    known: unknown,
    item: unknown,
    reported: Reported<void>,
  ) => void;
}
