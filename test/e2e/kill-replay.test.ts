import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { startLocalStack } from '#test/support/local-stack.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const DATA = '../shared/data';
const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
/**
 * The span ends hours after the last point, so that a process killed at that point has time to
 * continue.
 */
const SPAN = ['--from', '2021-08-26', '--to', '2021-09-12T06:00Z'];
const KILLS = 2;
/** The maximum number of alerts between two kills. */
const APART = 6;

const floor = { metric: 'floor_price' } as const;
const rules = [
  { id: 'glitch', ...floor, when: 'below', threshold: '45', arm: 'cross' },
  { id: 'held', ...floor, when: 'above', threshold: '90', for: '36h', keepFor: '30h' },
  { id: 'confirmed', ...floor, when: 'below', threshold: '90', confirm: { times: 2, of: 3 } },
  { id: 'steps', ...floor, when: 'above', threshold: '80', recover: '76', steps: '10' },
  { id: 'crossed', ...floor, when: 'crosses', threshold: '100' },
  { id: 'over', ...floor, when: 'above', threshold: '95', expiresAt: '2021-09-07T00:00:00Z' },
  {
    ...{ id: 'reminded', metric: 'floor_price_usd', when: 'above', threshold: '300000' },
    repeat: { reminder: '2d' },
  },
  { id: 'sale', metric: 'lowest_price.1d', when: 'below', threshold: '50' },
];
/** Rules whose alerts depend on timers: `for`, reminders, or the expiry. */
const TIMED = new Set(['held', 'over', 'reminded']);

describe('the local stack, killed at any point of a replay and started again', () => {
  const found = existsSync(DATA);
  if (!found) process.stderr.write(`SKIPPED: the real data are not at ${DATA}\n`);

  it.skipIf(!found)(
    'a replay that is killed and restarted at any point delivers the same alerts and reaches the same states',
    async () => {
      // biome-ignore lint/style/noProcessEnv: a failure is repeated with the seed that it printed
      const seed = Number(process.env.KILL_SEED ?? Date.now() % 100_000);
      onTestFailed(() => void process.stderr.write(`KILL_SEED=${seed}\n`));
      const random = createSeededRandom(seed);
      const folder = await mkdtemp(join(tmpdir(), 'floorwatch-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const watchlists = join(folder, 'watchlists.json');
      const contracts = [{ contract: PUNKS, name: 'CryptoPunks' }];
      const channels = [{ id: 'desk', kind: 'email', to: 'desk@example.com' }];
      const list = { id: 'punks', name: 'Punks', contracts, rules, channels };
      await writeFile(watchlists, JSON.stringify(list));
      const optionsOf = (keep: string) => [
        ...['--data', DATA, ...SPAN, '--speed', 'max', '--watchlists', watchlists],
        ...['--keep', join(folder, keep)],
      ];

      const undisturbed = await replay(optionsOf('undisturbed'));
      const disturbed = new Map<string, string>();
      const add = ({ alerts }: Replay) => {
        for (const [id, alert] of alerts) disturbed.set(id, alert);
      };
      add(await replay(optionsOf('killed'), { afterMs: random.below(undisturbed.readyAfterMs) }));
      for (let kill = 1; kill < KILLS; kill += 1) {
        const afterAlerts = 1 + random.below(APART);
        add(await replay(optionsOf('killed'), { afterAlerts, afterMs: random.below(200) }));
      }
      const last = await replay(optionsOf('killed'));
      add(last);

      expect([undisturbed.exit, last.exit]).toEqual([0, 0]);
      expect(undisturbed.alerts.size).toBeGreaterThan((KILLS - 1) * APART);
      expect([...disturbed].toSorted()).toEqual([...undisturbed.alerts].toSorted());
      const expected = await outcomeIn(optionsOf('undisturbed'));
      const actual = await outcomeIn(optionsOf('killed'));
      expect(expected.some((line) => / pending$/.test(line))).toBe(false);
      // The message names each line that differs, since a failure is seldom reproducible.
      const differences = [
        ...expected.filter((line) => !actual.includes(line)).map((line) => `without ${line}`),
        ...actual.filter((line) => !expected.includes(line)).map((line) => `with ${line}`),
      ];
      expect(differences, differences.join('; ')).toEqual([]);
    },
    900_000,
  );
});

type Replay = {
  /** The members of each alert that depend only on the data, by alert id. */
  readonly alerts: ReadonlyMap<string, string>;
  readonly readyAfterMs: number;
  readonly exit: number | null;
};

/** Replays to the end, or kills the process after this time or this number of alerts. */
async function replay(
  options: readonly string[],
  kill?: { readonly afterAlerts?: number; readonly afterMs: number },
): Promise<Replay> {
  const begun = performance.now();
  await using stack = startLocalStack([...options, '--exit-at-end']);
  const killSoon = async () => {
    await delay(kill?.afterMs);
    stack.kill();
  };
  if (kill !== undefined && kill.afterAlerts === undefined) void killSoon();
  const alerts = new Map<string, string>();
  let readyAfterMs = 0;
  for await (const line of stack.events) {
    if (line.event === 'ready') readyAfterMs = performance.now() - begun;
    if (line.event !== 'alert') continue;
    alerts.set(line.alert.id, reported(line.alert));
    if (alerts.size === kill?.afterAlerts) void killSoon();
  }
  return { alerts, readyAfterMs, exit: await stack.exited };
}

function reported({
  at: _seen,
  late: _late,
  title: _title,
  facts: _facts,
  links: _links,
  dataTime,
  duration,
  ...alert
}: Alert & { readonly links?: unknown }): string {
  const times = timesOf(alert.rule, { dataTime, duration });
  return JSON.stringify({ ...alert, ...times });
}

/**
 * The times of an alert, without those that a kill changes. For a rule with a timer they depend on
 * a poll, which a kill delays by minutes. For other rules only the seconds differ: a poll is due at
 * a whole minute, and a busy machine begins it a second or more later.
 */
function timesOf(rule: string | null, times: Readonly<Record<string, string | null>>) {
  if (rule !== null && TIMED.has(rule)) return {};
  return Object.fromEntries(
    Object.entries(times).map(([name, time]) => [
      name,
      time?.replace(/:\d\d\.\d{3}Z$/, 'Z') ?? null,
    ]),
  );
}

/** The states of the watches after a replay, and the outcome of each alert at each destination. */
async function outcomeIn(options: readonly string[]) {
  await using stack = startLocalStack(options);
  for await (const line of stack.events) {
    if (line.event !== 'ready') continue;
    const headers = { 'x-api-key': line.apiKey };
    const list = `${line.url}/v1/watchlists/punks`;
    const [watches, alerts] = await Promise.all(
      [`${list}/watches`, `${list}/alerts?limit=100`].map(
        async (url) => (await (await fetch(url, { headers })).json()) as Answer,
      ),
    );
    const ofWatches = watches?.watches?.flatMap(
      ({ health: _health, stateSince, contract, ...watch }) =>
        Object.entries({ ...watch, ...timesOf(watch.rule, { stateSince }) }).map(
          ([name, value]) => `${watch.rule} on ${contract} ${name} ${JSON.stringify(value)}`,
        ),
    );
    const deliveries = alerts?.alerts?.flatMap(({ id, deliveries: sent }) =>
      Object.entries(sent).map(([destinationId, { state }]) => `${id} ${destinationId} ${state}`),
    );
    return [...(ofWatches ?? []), ...(deliveries ?? [])].toSorted();
  }
  return [];
}

type Answer = {
  readonly watches?: readonly {
    readonly rule: string;
    readonly contract: string;
    readonly stateSince: string;
    readonly health: unknown;
  }[];
  readonly alerts?: readonly (Alert & {
    readonly deliveries: Readonly<Record<string, { readonly state: string }>>;
  })[];
};
