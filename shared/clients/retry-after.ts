import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';

/**
 * The seconds to wait according to `Retry-After` (seconds or an HTTP date), 1 to 86,400. Undefined
 * for zero, a past date or an invalid value, so that these do not shorten the caller's own pause.
 */
export function secondsToWait(
  { 'retry-after': asked = '' }: Readonly<Record<string, string>>,
  now: Instant,
): number | undefined {
  const seconds = secondsIn(asked, now);
  return seconds > 0 ? Math.min(seconds, DAY / SECOND) : undefined;
}

function secondsIn(asked: string, now: Instant): number {
  if (/^\d{1,9}$/.test(asked)) return Number(asked);
  if (!/^[A-Z][a-z]+, .* GMT$/.test(asked)) return Number.NaN;
  return Math.ceil((Date.parse(asked) - now) / SECOND);
}
