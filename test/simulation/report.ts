import type { Outcome } from './world.ts';

/** The summary of many seeds. */
export type Report = {
  readonly seeds: number;
  readonly minutes: number;
  readonly seedsPerSecond: number;
  /** Seeds with violations. */
  readonly broken: readonly number[];
  /** Alerts that were compared with the oracle. */
  readonly alerts: number;
  readonly losses: number;
  /** Upper bound of the share of lost alerts with 95% confidence (rule of three). */
  readonly lossBound: number;
  readonly messages: number;
  /** Repeated messages, by the fault that caused them. */
  readonly repeated: Readonly<Record<string, number>>;
  /**
   * Minutes until the system was idle, without documented back-offs. `most` is the 99th percentile.
   */
  readonly healing: { readonly median: number; readonly most: number; readonly longest: number };
  readonly met: Readonly<Record<string, number>>;
};

const LOSSES: readonly string[] = [
  'no alert is lost',
  'no committed crossing is lost',
  'nothing is lost on its way',
  'everything is delivered',
];
const REPEATED = 'repeated message: ';

/** Sums up the outcomes of seeds one by one. */
export function createTally(minutes: number) {
  const met = new Map<string, number>();
  const broken: number[] = [];
  const healing: number[] = [];
  let seeds = 0;
  let losses = 0;
  const count = (what: string) => met.get(what) ?? 0;

  return {
    broken,

    add: (outcome: Outcome) => {
      seeds += 1;
      for (const [what, times] of Object.entries(outcome.met)) met.set(what, count(what) + times);
      if (outcome.healing !== undefined) healing.push(outcome.healing.netMinutes);
      if (outcome.violations.length > 0) broken.push(outcome.seed);
      losses += outcome.violations.filter(({ invariant }) => LOSSES.includes(invariant)).length;
    },

    report: (seconds: number): Report => {
      const alerts = count('alert');
      const sorted = healing.toSorted((a, b) => a - b);
      const quantile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
      return {
        seeds,
        minutes,
        seedsPerSecond: Number((seeds / seconds).toFixed(1)),
        broken,
        alerts,
        losses,
        lossBound: (losses + 3) / Math.max(alerts, 1),
        messages: count('delivery'),
        repeated: Object.fromEntries(
          [...met].flatMap(([what, times]) =>
            what.startsWith(REPEATED) ? [[what.slice(REPEATED.length), times]] : [],
          ),
        ),
        healing: { median: quantile(0.5), most: quantile(0.99), longest: quantile(1) },
        met: Object.fromEntries([...met].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      };
    },
  };
}

/** Describes a broken seed with its faults, settings, violations and last events. */
export function brokenSeedText({ seed, expansion, violations, hash, lastEvents }: Outcome): string {
  const { faults, ...rest } = expansion;
  const on = Object.entries(faults).filter(([, rate]) => rate > 0);
  return [
    `seed ${seed}, trace ${hash}`,
    `  faults: ${on.map(([name, rate]) => `${name} ${rate.toFixed(4)}`).join(', ')}`,
    `  settings: ${JSON.stringify(rest)}`,
    ...violations.map(({ invariant, what, at }) => `  ${at} ${invariant}: ${what}`),
    '  last events:',
    ...lastEvents.map((event) => `    ${event}`),
  ].join('\n');
}

export function reportText(report: Report): string {
  const { seeds, minutes, seedsPerSecond, broken, alerts, losses, lossBound, healing } = report;
  const total = Object.values(report.repeated).reduce((sum, times) => sum + times, 0);
  const share = (times: number) => `${((100 * times) / Math.max(report.messages, 1)).toFixed(2)}%`;
  const rows: readonly (readonly [string, string])[] = [
    ['seeds', `${grouped(seeds)} of ${minutes} minutes, ${seedsPerSecond} a second`],
    ['broken', broken.length === 0 ? 'none' : `${broken.length}: ${broken.join(', ')}`],
    ['alerts checked', grouped(alerts)],
    ['lost', `${losses} (with 95% confidence under ${(100 * lossBound).toFixed(3)}%)`],
    ['messages', grouped(report.messages)],
    ['repeated', `${grouped(total)} (${share(total)}), with the same id, because of`],
    ...Object.entries(report.repeated)
      .toSorted(([, a], [, b]) => b - a)
      .map(([why, times]) => [`  ${why}`, `${grouped(times)} (${share(times)})`] as const),
    [
      'minutes to heal',
      `median ${healing.median}, 99% ${healing.most}, longest ${healing.longest}, net of back-offs`,
    ],
  ];
  const met = Object.entries(report.met).map(([what, times]) => `${what} ${grouped(times)}`);
  return [...aligned(rows), '', ...wrapped(['met:', ...met.map((text) => `${text};`)])].join('\n');
}

function aligned(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

const LINE = 100;

function wrapped(texts: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last === undefined || last.length + text.length >= LINE) lines.push(text);
    else lines[lines.length - 1] = `${last} ${text}`;
  }
  return lines;
}

function grouped(number: number): string {
  return number.toLocaleString('en-US');
}
