import type { Instant } from '#shared/domain/market/instant.ts';

/**
 * The version of the next write. An item that is created again after a deletion starts at another
 * version, so the write of a worker that read the deleted item conflicts.
 */
export function nextVersion(version: number, since: Instant): number {
  return version === 0 ? since : version + 1;
}
