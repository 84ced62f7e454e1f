import { type Unreadable, UnreadableError } from '#shared/domain/unreadable.ts';

/** The result of a read, or an `Unreadable` if the item is unreadable. */
export async function tryRead<Thing>(
  name: Pick<Unreadable, 'kind' | 'id'>,
  read: () => Promise<Thing>,
): Promise<
  | { readonly found: Thing; readonly unreadable?: undefined }
  | { readonly found?: undefined; readonly unreadable: Unreadable }
> {
  try {
    return { found: await read() };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { unreadable: { ...name, reason: error.reason } };
  }
}
