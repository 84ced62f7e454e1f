import * as z from 'zod';
import { formatInstant, type Instant, readInstant } from '#shared/domain/market/instant.ts';

/** The range of times whose texts sort chronologically. */
const FIRST = Date.UTC(1970, 0);
const LAST = Date.UTC(9999, 0);

const isMoment = (text: string) => {
  const time = readInstant(text);
  return time !== undefined && time >= FIRST && time < LAST;
};
export const Timestamp = z
  .string()
  .refine(isMoment, 'expected an ISO 8601 timestamp between the years 1970 and 9998');

const SPECIFIED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/;

/**
 * The format of a trade's timestamp in section 2.5 of the NFT data interface: UTC without a zone.
 */
export function withoutZone(timestamp: string): string {
  if (SPECIFIED.test(timestamp)) return timestamp;
  return formatInstant(timeIn(timestamp)).replace(/(?:\.000)?Z$/, '');
}

/** The instant of a validated timestamp. */
export function timeIn(timestamp: string): Instant {
  return readInstant(timestamp) ?? Number.NaN;
}
