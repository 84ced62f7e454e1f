import { VersionConflictError } from '#shared/domain/version-conflict.ts';

/** Makes a conditional write; undefined if another write was first. */
export async function unlessConflict<Result>(
  write: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    return undefined;
  }
}
