import type { Instant } from '#shared/domain/market/instant.ts';

/**
 * The version of the next write. An item that is created again after a deletion starts at another
 * version, so a worker with the former version conflicts.
 */
export function nextVersion(version: number, since: Instant): number {
  return version === 0 ? since : version + 1;
}
