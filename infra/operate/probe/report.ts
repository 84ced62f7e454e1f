import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { type Finding, MEANINGS } from './finding.ts';
import type { Skipped } from './probe-channel.ts';
import type { Probed } from './probe-provider.ts';
import type { Exchange } from './record-exchanges.ts';

/** A table for people: a line for each answer with its agreements, and one for each difference. */
export function findingsInWords(findings: readonly Finding[], skipped: readonly Skipped[]): string {
  const answers = Map.groupBy(findings, ({ subject, answer }) => `${subject}: ${answer}`);
  const lines = [...answers].flatMap(([answer, all]) => {
    const agreeing = all.filter(({ agrees }) => agrees).map(({ check }) => check);
    const ok = agreeing.length === 0 ? [] : [`agrees   ${answer}  ${agreeing.join(', ')}`];
    const differing = all.filter(({ agrees }) => !agrees);
    return [...ok, ...differing.map((finding) => differenceInWords(answer, finding))];
  });
  const count = findings.filter(({ agrees }) => !agrees).length;
  const end =
    count === 0
      ? `All ${findings.length} comparisons agree.`
      : `${count} of ${findings.length} comparisons differ.`;
  const unasked = skipped.map(({ subject, reason }) => `skipped  ${subject}: ${reason}`);
  return `${[...lines, ...unasked, end].join('\n')}\n`;
}

function differenceInWords(answer: string, { check, expected, found }: Finding): string {
  return [
    `DIFFERS  ${answer}  ${check}`,
    `           expected: ${expected}`,
    `           found:    ${found}`,
    `           means:    ${MEANINGS[check]}`,
  ].join('\n');
}

/** One finding as an event of `--json`. */
export function findingInJson(finding: Finding): object {
  return {
    event: 'finding',
    ...finding,
    ...(finding.agrees ? {} : { means: MEANINGS[finding.check] }),
  };
}

/** Headers that the clients read, and such that name the software which answered. */
const SHOWN_HEADERS = [
  ...['content-type', 'date', 'retry-after', 'server', 'via', 'cf-ray'],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
];

/** The report for a bug: no bodies, no addresses, no keys. */
export function reportDocument(
  version: string,
  at: Instant,
  asked: readonly Probed[],
  skipped: readonly Skipped[],
): object {
  const findings = asked.flatMap((each) => each.findings);
  return {
    floorwatch: version,
    at: formatInstant(at),
    differences: findings.filter(({ agrees }) => !agrees).length,
    findings,
    skipped,
    exchanges: asked.flatMap(({ subject, exchanges }) =>
      exchanges.map((exchange) => ({ subject, ...exchangeInJson(exchange) })),
    ),
  };
}

function exchangeInJson({ request: { method }, response, milliseconds }: Exchange): object {
  if (typeof response === 'string') return { method, milliseconds, failed: response };
  const { status, body } = response;
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const bytes = Buffer.byteLength(body);
  return { method, milliseconds, status, bytes, headers: Object.fromEntries(headers) };
}
