/** A page; `next` is where the following one starts, absent at the end. */
export type Page<Entry, Position> = {
  readonly entries: readonly Entry[];
  readonly next?: Position;
};
