import type { Instant } from '#shared/domain/market/instant.ts';

/**
 * The version with which a thing is written next. What is made again once it was deleted does not
 * begin where it began before: nobody who still knows the former takes the one for the other.
 */
export function nextVersion(version: number, since: Instant): number {
  return version === 0 ? since : version + 1;
}
