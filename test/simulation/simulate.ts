import { parseArgs } from 'node:util';
import { type Outcome, simulate } from './world.ts';

/** Lives through seeds and tells what broke: `npm run simulate -- --seeds 100 [--from 1] [--minutes 100]`. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '100' },
    /** Tells every event of every seed. */
    trace: { type: 'boolean', default: false },
    /** Stops at the first seed that breaks something. */
    first: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [seeds, from, minutes] = [Number(values.seeds), Number(values.from), Number(values.minutes)];
const say = (line: string) => process.stdout.write(`${line}\n`);
const listen = values.trace ? say : undefined;

const begun = performance.now();
const met = new Map<string, number>();
const broken: number[] = [];
const healing: number[] = [];
for (let seed = from; seed < from + seeds; seed += 1) {
  const outcome = await simulate(seed, minutes, listen);
  for (const [what, count] of Object.entries(outcome.met)) {
    met.set(what, (met.get(what) ?? 0) + count);
  }
  if (outcome.healing !== undefined) healing.push(outcome.healing.netMinutes);
  if (outcome.violations.length > 0) broken.push(seed);
  if (values.json) say(JSON.stringify(outcome));
  else if (outcome.violations.length > 0) tell(outcome);
  if (values.first && broken.length > 0) break;
}
const summary = {
  seeds,
  minutes,
  broken,
  seedsPerSecond: Number(((seeds * 1000) / (performance.now() - begun)).toFixed(1)),
  longestHealingMinutes: Math.max(0, ...healing),
  met: Object.fromEntries([...met].toSorted()),
};
say(JSON.stringify(summary, null, values.json ? 0 : 1));
process.exitCode = broken.length === 0 ? 0 : 1;

function tell({ seed, expansion, violations, hash, lastEvents }: Outcome): void {
  const on = Object.entries(expansion.faults).filter(([, rate]) => rate > 0);
  say(`seed ${seed}, trace ${hash}`);
  say(`  faults: ${on.map(([name, rate]) => `${name} ${rate.toFixed(4)}`).join(', ')}`);
  for (const { invariant, what, at } of violations) say(`  ${at} ${invariant}: ${what}`);
  say(`  last events:\n    ${lastEvents.join('\n    ')}`);
}
