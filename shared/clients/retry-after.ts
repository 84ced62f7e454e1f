import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';

/**
 * The seconds that an answer asks to wait, at most a day: `Retry-After` as seconds or as an HTTP
 * date, of which one that has passed is zero. Undefined where it asks for nothing that makes sense.
 */
export function secondsToWait(
  { 'retry-after': asked = '' }: Readonly<Record<string, string>>,
  now: Instant,
): number | undefined {
  if (/^\d{1,9}$/.test(asked)) return Math.min(Number(asked), DAY / SECOND);
  if (!/^[A-Z][a-z]+, .* GMT$/.test(asked)) return undefined;
  const date = Date.parse(asked);
  if (Number.isNaN(date)) return undefined;
  return Math.min(Math.max(0, Math.ceil((date - now) / SECOND)), DAY / SECOND);
}
