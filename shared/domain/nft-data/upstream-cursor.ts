import { isArchiveCursor } from '#shared/domain/archive/place.ts';
import { Provider } from '#shared/domain/market/provider.ts';

/** Marks a cursor of the upstream that could be taken for one of ours: it may be such a service too. */
const MARK = 'up.';
/** Marks a cursor of another provider than the first. */
const BY = 'by.';

/** A cursor of the upstream as clients get it. */
export function cursorForClients(cursor: string): string {
  const isLikeOurs = [MARK, BY].some((mark) => cursor.startsWith(mark));
  return isArchiveCursor(cursor) || isLikeOurs ? MARK + cursor : cursor;
}

/** The same again as the upstream gave it. */
export function cursorForUpstream(cursor: string): string {
  return cursor.startsWith(MARK) ? cursor.slice(MARK.length) : cursor;
}

/** A cursor that leads back to the provider that gave it, where that is not the first. */
export function cursorOfProvider(provider: Provider, cursor: string): string {
  return `${BY}${provider}.${cursor}`;
}

/** The provider that gave a cursor, and the cursor as it gave it; undefined where that is the first. */
export function providerOfCursor(
  cursor: string,
): { provider: Provider; cursor: string } | undefined {
  if (!cursor.startsWith(BY)) return undefined;
  const [name, ...rest] = cursor.slice(BY.length).split('.');
  const provider = Provider.safeParse(name);
  return provider.success ? { provider: provider.data, cursor: rest.join('.') } : undefined;
}
