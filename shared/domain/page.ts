/** A page of entries. `next` is the position of the next page, absent on the last one. */
export type Page<Entry, Position> = {
  readonly entries: readonly Entry[];
  readonly next?: Position;
};
