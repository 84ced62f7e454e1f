/**
 * Thrown if a stored item does not match its schema. An item is parsed as a whole or not at all.
 */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  readonly code = 'unreadable';
  /** What this version could not parse, in words for people. */
  readonly reason: string;

  constructor(what: string, reason: string, options?: ErrorOptions) {
    super(`${what} cannot be read: ${reason}`, options);
    this.reason = reason;
  }
}

/** An item that a page omits because it is unreadable. */
export type Unreadable = {
  readonly kind:
    | 'watchlist'
    | 'contract'
    | 'watch'
    | 'channel'
    | 'alert'
    | 'acknowledgement'
    | 'change';
  /** The item's id in API paths. */
  readonly id: string;
  readonly reason: string;
};

/** The readable entries, and those that could not be parsed. */
export type ReadSome<Entry, Left = Unreadable> = {
  readonly entries: readonly Entry[];
  readonly unreadable: readonly Left[];
};

/** A page of entries with the omitted ones. */
export type ReadPage<Entry> = ReadSome<Entry> & { readonly next?: string };
