import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRenderer } from '#infra/stack/renderer-files.ts';
import { createPictureRenderer } from '#shared/clients/picture-renderer.ts';
import { drawPriceChart, type PriceChart } from '#shared/domain/charts/price-chart.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { benchOptions } from '#test/support/bench-options.ts';
import { bundleFunctions } from '#test/support/bundles.ts';

/**
 * The size of a chart, and the CPU time that a fresh process needs for each step of its first
 * chart. Times are also given relative to the start of a bare handler, which is measured in
 * alternation: the ratios are valid on any machine, the milliseconds are not. `bench:cold` compares
 * the start of `draw-chart` with the other functions.
 */
const values = benchOptions('bench:chart', {
  starts: { type: 'string', default: '10' },
  child: { type: 'string' },
});
const NOON = Date.parse('2026-01-05T12:00Z');

if (values.child === undefined) await compare(Number(values.starts));
else await drawTwice(values.child);

async function compare(starts: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'floorwatch-bench-chart-'));
  writeRenderer(folder);
  const bundle = bundleFunctions().functions.find(({ folder: name }) => name === 'draw-chart');
  if (bundle === undefined) throw new Error('there is no bundle of draw-chart');
  const variables = bundle.variablesOn('https://sqs.us-east-1.amazonaws.com');
  const taken: Record<string, number[]> = { bare: [], start: [], first: [], next: [] };
  let bytes = 0;
  for (let start = 1; start <= starts; start += 1) {
    taken.bare?.push(millisecondsToStart(''));
    taken.start?.push(millisecondsToStart(`require(${JSON.stringify(bundle.file)});`, variables));
    const drawn = execFileSync(process.execPath, [import.meta.filename, '--child', folder]);
    const [first = 0, next = 0, length = 0] = JSON.parse(drawn.toString());
    taken.first?.push(first);
    taken.next?.push(next);
    bytes = length;
  }
  const kilobytes = (file: string) => `${Math.round(statSync(file).size / 1000)} kB`;
  const layer = ['renderer.wasm', 'font.ttf'].map((file) => kilobytes(join(folder, file)));
  rmSync(folder, { recursive: true });

  const bare = median(taken.bare);
  const times = (milliseconds: number) =>
    `${milliseconds.toFixed(1)} ms, ${(milliseconds / bare).toFixed(1)} × bare`;
  process.stdout.write(
    `${[
      ['bundle', kilobytes(bundle.file)],
      ['renderer, font', `${layer.join(', ')}, in files`],
      ['picture', `${(bytes / 1000).toFixed(1)} kB`],
      ['bare handler', `${bare.toFixed(1)} ms of CPU`],
      ['cold start', times(median(taken.start))],
      ['first picture', times(median(taken.first))],
      ['each other', times(median(taken.next))],
    ]
      .map(([name = '', value = '']) => `${name.padEnd(16)}${value}`)
      .join('\n')}\n`,
  );
}

/** Runs in a fresh process: the first picture also compiles the renderer. */
async function drawTwice(folder: string): Promise<void> {
  const render = createPictureRenderer(() => ({
    wasm: readFileSync(join(folder, 'renderer.wasm')),
    font: readFileSync(join(folder, 'font.ttf')),
  }));
  const chart = aChart();
  const milliseconds: number[] = [];
  let length = 0;
  for (let picture = 0; picture < 6; picture += 1) {
    const before = process.cpuUsage();
    ({ length } = await render(drawPriceChart(chart)));
    const { user, system } = process.cpuUsage(before);
    milliseconds.push((user + system) / 1000);
  }
  const [first, ...others] = milliseconds;
  process.stdout.write(JSON.stringify([first, median(others), length]));
}

/** A day with a price each minute, an open episode and a gap: the most detailed chart. */
function aChart(): PriceChart {
  const eth = (text: string) => readDecimal(text) ?? 0n;
  return {
    ...{ title: 'Bored Ape Yacht Club', subtitle: 'Floor price at or below 9.5 ETH' },
    ...{ value: '9.31 ETH', tone: 'critical', unit: 'eth', from: NOON - DAY, moment: NOON },
    points: Array.from({ length: 1440 }, (_, minute) => ({
      time: NOON - DAY + minute * MINUTE,
      price: eth((9.5 + Math.sin(minute / 90) / 2 + (minute % 11) / 100).toFixed(3)),
    })),
    gaps: [{ from: NOON - DAY / 4, to: NOON - DAY / 5 }],
    ...{ thresholds: [eth('9.5')], recover: eth('9.8'), episodeFrom: NOON - DAY / 3 },
  };
}

function millisecondsToStart(load: string, variables: Readonly<Record<string, string>> = {}) {
  const start = `
    ${load}
    const { user, system } = process.cpuUsage();
    process.stdout.write(String((user + system) / 1000), () => process.exit());`;
  const env = {
    ...variables,
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  };
  return Number(execFileSync(process.execPath, ['-e', start], { env, encoding: 'utf8' }));
}

function median(numbers: readonly number[] = []): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
