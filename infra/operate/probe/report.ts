import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { type Finding, MEANINGS } from './finding.ts';
import type { Skipped } from './probe-channel.ts';
import type { Probed } from './probe-provider.ts';
import type { Exchange } from './record-exchanges.ts';

/** The report that users attach to a bug. It contains no bodies, URLs or keys. */
export type ProbeReport = {
  readonly floorwatch: string;
  readonly at: string;
  /** The number of differences. */
  readonly differences: number;
  readonly findings: readonly (Finding & { readonly means?: string })[];
  readonly skipped: readonly Skipped[];
  readonly exchanges: readonly object[];
};

/**
 * Creates the report from the findings. Answers may repeat secrets, so `hide` removes them from
 * each text.
 */
export function createProbeReport(
  version: string,
  at: Instant,
  probed: readonly (Probed | Skipped)[],
  hide: (text: string) => string,
): ProbeReport {
  const asked = probed.flatMap((each) => ('findings' in each ? [each] : []));
  const findings = asked.flatMap((each) => each.findings);
  return {
    floorwatch: version,
    at: formatInstant(at),
    differences: findings.filter(({ agrees }) => !agrees).length,
    findings: findings.map((finding) => ({
      ...finding,
      subject: hide(finding.subject),
      expected: hide(finding.expected),
      found: hide(finding.found),
      ...(finding.agrees ? {} : { means: MEANINGS[finding.check] }),
    })),
    skipped: probed.flatMap((each) =>
      'findings' in each ? [] : [{ ...each, subject: hide(each.subject) }],
    ),
    exchanges: asked.flatMap(({ subject, exchanges }) =>
      exchanges.map((exchange) => ({ subject: hide(subject), ...viewOf(exchange, hide) })),
    ),
  };
}

/** Headers that the clients read, and headers that name the server software. */
const SHOWN_HEADERS = [
  ...['content-type', 'date', 'retry-after', 'server', 'via', 'cf-ray'],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
];

function viewOf(
  { request: { method }, response, milliseconds }: Exchange,
  hide: (text: string) => string,
): object {
  if (typeof response === 'string') return { method, milliseconds, failed: response };
  const { status, body } = response;
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, hide(value)] as const];
  });
  const bytes = Buffer.byteLength(body);
  return { method, milliseconds, status, bytes, headers: Object.fromEntries(headers) };
}

/**
 * The report as text. Each answer has a line with the checks that passed, and an entry for each
 * difference.
 */
export function reportInWords({ findings, skipped, differences }: ProbeReport): string {
  const answers = Map.groupBy(findings, ({ subject, answer }) => `${subject}: ${answer}`);
  const lines = [...answers].flatMap(([answer, all]) => {
    const agreeing = all.filter(({ agrees }) => agrees).map(({ check }) => check);
    const ok = agreeing.length === 0 ? [] : [`agrees   ${answer}  ${agreeing.join(', ')}`];
    const differing = all.flatMap(({ agrees, check, expected, found, means }) =>
      agrees
        ? []
        : [
            `DIFFERS  ${answer}  ${check}`,
            `           expected: ${expected}`,
            `           found:    ${found}`,
            `           means:    ${means}`,
          ],
    );
    return [...ok, ...differing];
  });
  const end =
    differences === 0
      ? `All ${findings.length} comparisons agree.`
      : `${differences} of ${findings.length} comparisons differ.`;
  const unasked = skipped.map(({ subject, reason }) => `skipped  ${subject}: ${reason}`);
  return `${[...lines, ...unasked, end].join('\n')}\n`;
}
