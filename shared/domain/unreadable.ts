/** Thrown when something is kept in a form that makes no sense: it is never half-read. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  readonly code = 'unreadable';
  /** What this version does not understand, in words for people. */
  readonly reason: string;

  constructor(what: string, reason: string, options?: ErrorOptions) {
    super(`${what} cannot be read: ${reason}`, options);
    this.reason = reason;
  }
}

/** Something that a page leaves out since it cannot be read. */
export type Unreadable = {
  readonly kind:
    | 'watchlist'
    | 'contract'
    | 'watch'
    | 'channel'
    | 'alert'
    | 'acknowledgement'
    | 'change';
  /** Its name, as paths have it. */
  readonly id: string;
  readonly reason: string;
};

/** What was read of several things, and what could not be. */
export type ReadSome<Entry, Left = Unreadable> = {
  readonly entries: readonly Entry[];
  readonly unreadable: readonly Left[];
};

/** A page of things, and what it leaves out. */
export type ReadPage<Entry> = ReadSome<Entry> & { readonly next?: string };
