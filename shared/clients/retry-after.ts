import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';

/**
 * The seconds that an answer asks to wait, 1 to 86,400: `Retry-After` as seconds or as an HTTP date.
 * Undefined for zero, a passed date or garbage: these must not shorten the caller's own pause.
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
