import { HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { FREE_READS_PER_HOUR } from '#shared/domain/polling/provider-limits.ts';
import { CLOCK_TOLERANCE } from '#shared/providers/prices.ts';
import { EXPECTED, type ExpectedAnswer } from './expected-answers.ts';
import { type Compare, compareAnswer, type Finding } from './finding.ts';
import { describeForm, valuesAt } from './forms.ts';
import type { Exchange } from './record-exchanges.ts';

/** Compares one exchange with our assumptions about its provider. */
export function compareExchange(provider: Provider, exchange: Exchange): readonly Finding[] {
  const expected = EXPECTED[provider].find(({ isOf }) => isOf(exchange));
  const compare = compareAnswer(provider, expected?.name ?? 'unknown call');
  const { response } = exchange;
  if (typeof response === 'string') return [compare('body', false, 'a response', response)];
  const clock = compareClock(compare, exchange);
  const hasRate = provider === 'opensea' && response.status < 400;
  const rate = hasRate ? compareRate(compare, exchange, response.headers) : [];
  const status = compareStatus(compare, expected, response.status);
  const isUsable = expected?.statuses.includes(response.status) === true;
  const body = isUsable || isHtml(response.body) ? compareBody(compare, response.body) : undefined;
  const content =
    isUsable && body?.json !== undefined ? compareContent(compare, expected, body.json) : [];
  return [status, ...(body === undefined ? [] : [body.finding]), ...content, ...clock, ...rate];
}

/**
 * The error statuses that the clients handle specially; the clients treat any other error status as
 * a bad request.
 */
const REFUSALS = [400, 401, 402, 403, 404, 408, 410, 429, 500, 502, 503, 504, 599];

function compareStatus(
  compare: Compare,
  expected: ExpectedAnswer | undefined,
  status: number,
): Finding {
  const wanted = expected?.statuses ?? [200];
  const isKnown = wanted.includes(status) || REFUSALS.includes(status);
  return compare('status', isKnown, wanted.join(' or '), `${status}`);
}

const isHtml = (body: string) => body.trimStart().startsWith('<');

function compareBody(compare: Compare, body: string) {
  if (isHtml(body)) return { finding: compare('body', false, 'JSON', 'an HTML page') };
  try {
    const json: unknown = JSON.parse(body);
    return { json, finding: compare('body', true, 'JSON', 'JSON') };
  } catch {
    return { finding: compare('body', false, 'JSON', 'text that is not JSON') };
  }
}

function compareContent(
  compare: Compare,
  { members, page }: ExpectedAnswer,
  json: unknown,
): readonly Finding[] {
  const differences = Object.entries(members).flatMap(([path, { forms, isOptional }]) => {
    const found = valuesAt(json, path);
    const present = found.filter(({ value }) => value !== undefined && value !== null);
    const names = forms.map(({ name }) => name).join(' or ');
    if (found.length > 0 && present.length === 0 && isOptional === undefined) {
      const others = [...new Set(found.flatMap(({ siblings }) => siblings))].slice(0, 20);
      return [
        compare('members', false, `${path}: ${names}`, `missing; found ${others.join(', ')}`),
      ];
    }
    const others = present.filter(({ value }) => !forms.some(({ accepts }) => accepts(value)));
    if (others.length === 0) return [];
    const seen = [...new Set(others.map(({ value }) => describeForm(value)))].join(', ');
    const count = `${others.length} of ${present.length}`;
    return [compare('members', false, `${path}: ${names}`, `${seen} (${count})`)];
  });
  const count = Object.keys(members).length;
  const all =
    differences.length > 0
      ? differences
      : [compare('members', true, `${count} members`, `${count} members`)];
  return [...all, ...(page === undefined ? [] : comparePage(compare, page, json))];
}

/** A page that is followed by another page must be full. */
function comparePage(
  compare: Compare,
  { list, next, size }: NonNullable<ExpectedAnswer['page']>,
  json: unknown,
): readonly Finding[] {
  const [records] = valuesAt(json, list);
  if (!Array.isArray(records?.value)) return [];
  const count = records.value.length;
  const follows = valuesAt(json, next).some(({ value }) => typeof value === 'string' && value);
  const agrees = follows ? count === size : count <= size;
  const found = `${count}${follows ? ', although another page follows' : ''}`;
  return [compare('page size', agrees, `${size} on each page, fewer on the last`, found)];
}

/** Compares the server's clock, in the header `Date`, with ours. */
export function compareClock(
  compare: Compare,
  { sentAt, milliseconds, response }: Exchange,
): readonly Finding[] {
  const date = typeof response === 'string' ? undefined : response.headers.date;
  if (date === undefined) return [];
  const theirs = Date.parse(date);
  if (Number.isNaN(theirs)) return [];
  const difference = Math.round((theirs - (sentAt + milliseconds)) / MINUTE);
  const found = `${Math.abs(difference)} min ${difference < 0 ? 'behind' : 'ahead'}`;
  const tolerance = CLOCK_TOLERANCE / MINUTE;
  const agrees = Math.abs(difference) <= tolerance;
  return [
    compare('clock', agrees, `within ${tolerance} min`, difference === 0 ? 'the same' : found),
  ];
}

/** OpenSea documents these three headers; `-Reset` is in seconds since 1970. */
function compareRate(
  compare: Compare,
  { sentAt }: Exchange,
  headers: Readonly<Record<string, string>>,
): readonly Finding[] {
  const wanted = `x-ratelimit-limit of at least ${FREE_READS_PER_HOUR}, x-ratelimit-remaining, and x-ratelimit-reset within an hour`;
  const names = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}`);
  const missing = names.filter((name) => headers[name] === undefined);
  if (missing.length > 0) {
    return [compare('rate headers', false, wanted, `no ${missing.join(', no ')}`)];
  }
  const [limit, remaining, reset] = names.map((name) => Number(headers[name]));
  const seconds = (reset ?? 0) - sentAt / SECOND;
  const isReset = Math.abs(seconds) <= (HOUR + CLOCK_TOLERANCE) / SECOND;
  const agrees = (limit ?? 0) >= FREE_READS_PER_HOUR && (remaining ?? -1) >= 0 && isReset;
  const ends = isReset ? `reset in ${Math.round(seconds)} s` : 'no reset within an hour';
  return [
    compare('rate headers', agrees, wanted, `limit ${limit}, remaining ${remaining}, ${ends}`),
  ];
}
