import { type Unreadable, UnreadableError } from '#shared/domain/unreadable.ts';

/** What was read, or how it is named where it cannot be. */
export async function orUnreadable<Thing>(
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
