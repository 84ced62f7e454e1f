import { cpuUsage, memoryUsage, stdout } from 'node:process';
import { readOptions } from '#infra/local/options.ts';
import { runSession } from '#infra/local/session.ts';
import { benchOptions } from '#test/support/bench-options.ts';

/**
 * The costs of `npm start`: CPU time until the console responds and until the first alert, memory
 * over time, and CPU time for a virtual minute. The session runs in this process, so loading its
 * code counts, too.
 */
const { minutes } = benchOptions('bench:start', { minutes: { type: 'string', default: '10' } });

/** CPU time of this process in seconds. */
const spent = () => {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
};
const megabytes = () => Math.round(memoryUsage().rss / 1e6);
const print = (what: string, value: string, target: string) =>
  stdout.write(`${what.padEnd(40)} ${value.padStart(9)}   target ${target}\n`);

const options = readOptions(['--for', `${minutes}m`, '--json'], {});
if (options === undefined) throw new Error('there are no options');
let isFirst = true;
let ticks: { readonly since: number; rounds: number } | undefined;
const memory: number[] = [];

await runSession({
  options,
  signal: new AbortController().signal,
  log: () => {},
  onFailure: (error) => {
    throw error;
  },
  report: {
    ready: ({ url, apiKey }) => {
      void answered(`${url}/app`, apiKey);
    },
    round: () => {
      // The first rounds load code.
      if (ticks === undefined) ticks = { since: spent(), rounds: -5 };
      ticks.rounds += 1;
      if (ticks.rounds === 0) ticks = { since: spent(), rounds: 0 };
      if (ticks.rounds % 60 === 0) memory.push(megabytes());
    },
    alert: () => {
      if (isFirst) print('first alert, CPU', `${spent().toFixed(1)} s`, '6 s');
      isFirst = false;
    },
    collection: () => {},
    unanswered: () => {},
    notification: () => {},
    refused: () => {},
    ended: () => {},
    end: () => {},
  },
});
const { since, rounds } = ticks ?? { since: 0, rounds: 0 };
print(`memory after ${minutes} minutes`, `${megabytes()} MB`, '250 MB');
print('  each virtual hour', memory.join(', '), 'flat');
print(
  'a virtual minute of six collections, CPU',
  `${((spent() - since) / rounds).toFixed(3)} s`,
  '0.05 s',
);

async function answered(url: string, apiKey: string): Promise<void> {
  const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
  await response.text();
  print('until the console responds, CPU', `${spent().toFixed(1)} s`, '4 s');
}
