import { isArchiveCursor } from '#shared/domain/archive/place.ts';

/** Marks a cursor of an upstream that could be taken for one of ours: it may be such a service too. */
const MARK = 'up.';

/** A cursor of the upstream as clients get it. */
export function cursorForClients(cursor: string): string {
  return isArchiveCursor(cursor) || cursor.startsWith(MARK) ? MARK + cursor : cursor;
}

/** The same again as the upstream gave it. */
export function cursorForUpstream(cursor: string): string {
  return cursor.startsWith(MARK) ? cursor.slice(MARK.length) : cursor;
}
