import { isArchiveCursor } from '#shared/domain/archive/place.ts';
import { Provider } from '#shared/domain/market/provider.ts';

/**
 * Marks an upstream cursor that has the format of our cursors, because the upstream may run the
 * same software.
 */
const MARK = 'up.';
/** Marks a cursor of an additional provider. */
const BY = 'by.';

/** Converts an upstream cursor to the form that clients get. */
export function cursorForClients(cursor: string): string {
  const isLikeOurs = [MARK, BY].some((mark) => cursor.startsWith(mark));
  return isArchiveCursor(cursor) || isLikeOurs ? MARK + cursor : cursor;
}

/** Converts a client's cursor back to the upstream's original cursor. */
export function cursorForUpstream(cursor: string): string {
  return cursor.startsWith(MARK) ? cursor.slice(MARK.length) : cursor;
}

/**
 * Marks a cursor of an additional provider with the provider's name. Cursors of the main provider
 * have no such mark.
 */
export function cursorOfProvider(provider: Provider, cursor: string): string {
  return `${BY}${provider}.${cursor}`;
}

/** The provider of a cursor and the original cursor; undefined for the main provider. */
export function providerOfCursor(
  cursor: string,
): { provider: Provider; cursor: string } | undefined {
  if (!cursor.startsWith(BY)) return undefined;
  const [name, ...rest] = cursor.slice(BY.length).split('.');
  const provider = Provider.safeParse(name);
  return provider.success ? { provider: provider.data, cursor: rest.join('.') } : undefined;
}
