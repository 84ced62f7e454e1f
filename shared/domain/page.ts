/** A page; `next` is the position of the following one, absent on the last page. */
export type Page<Entry, Position> = {
  readonly entries: readonly Entry[];
  readonly next?: Position;
};
