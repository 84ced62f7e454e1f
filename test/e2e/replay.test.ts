import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { startLocalStack } from '#test/support/local-stack.ts';

const DATA = '../shared/data';
const FLOORS = `${DATA}/cryptopunks/floors.jsonl.gz`;
const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

const rules = [
  { id: 'under-60', metric: 'floor_price', when: 'below', threshold: '60', recover: '70' },
  { id: 'under-72', metric: 'floor_price', when: 'below', threshold: '72' },
  { id: 'over-100', metric: 'floor_price', when: 'above', threshold: '100', recover: '90.5' },
  { id: 'at-least', metric: 'floor_price', when: 'above', threshold: '33', arm: 'cross' },
  { id: 'usd', metric: 'floor_price_usd', when: 'below', threshold: '200000', arm: 'cross' },
] as const;

/** The feed's glitch of 2021-08-28, 41.0 for one day, as a plain rule sees it and as patient ones do. */
const glitch = { metric: 'floor_price', when: 'below', threshold: '45', arm: 'cross' } as const;
const glitchRules = [
  { id: 'plain', ...glitch },
  { id: 'confirmed', ...glitch, confirm: { times: 2, of: 3 } },
  { id: 'held', ...glitch, for: '1d' },
] as const;

type Rule = (typeof rules)[number];
type Floor = { floor_price: string; floor_price_usd: string; timestamp: string };

/** The independent script: what the rule should say over the floors of the file, day by day. */
function expected(rule: Rule, floors: readonly Floor[]) {
  const sign = rule.when === 'below' ? 1 : -1;
  const said: string[][] = [];
  let state = 'new';
  for (const { floor_price, floor_price_usd, timestamp } of floors) {
    const price = rule.metric === 'floor_price' ? floor_price : floor_price_usd;
    const beyond = sign * (Number(price) - Number(rule.threshold)) <= 0;
    const over = 'recover' in rule ? sign * (Number(price) - Number(rule.recover)) >= 0 : !beyond;
    if (
      state === 'firing' ? over : state === 'disarmed' ? !beyond : state === 'ok' ? beyond : true
    ) {
      const before = state;
      state = before === 'firing' || before === 'disarmed' || !beyond ? 'ok' : 'firing';
      if (before === 'new' && beyond && 'arm' in rule) state = 'disarmed';
      const kind = state === 'firing' ? 'fired' : before === 'firing' ? 'recovered' : undefined;
      if (kind)
        said.push([rule.id, kind, timestamp, `${Number(price)}`, `${Number(floor_price_usd)}`]);
    }
  }
  return said;
}

describe('a replay of the real CryptoPunks floor', () => {
  const found = existsSync(FLOORS);
  if (!found) process.stderr.write(`SKIPPED: the real data are not at ${DATA}\n`);

  it.skipIf(!found)(
    'tells exactly the transitions that an independent script computes from the file',
    async () => {
      const floors = gunzipSync(readFileSync(FLOORS))
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Floor);
      const folder = await mkdtemp(join(tmpdir(), 'floorwatch-'));
      const file = join(folder, 'watchlists.json');
      const members = [{ contract: PUNKS, name: 'CryptoPunks' }];
      await writeFile(
        file,
        JSON.stringify({
          ...{ id: 'punks', name: 'Punks', contracts: members },
          rules: [...rules, ...glitchRules],
        }),
      );
      const alerts: Alert[] = [];

      await using stack = startLocalStack([
        '--data',
        DATA,
        '--watchlists',
        file,
        '--speed',
        'max',
        '--exit-at-end',
      ]);
      for await (const line of stack.events) if (line.event === 'alert') alerts.push(line.alert);

      expect(await stack.exited).toBe(0);
      for (const rule of rules) {
        const said = alerts
          .filter((alert) => alert.rule === rule.id)
          .map(({ kind, dataTime, value, usd }) => [
            rule.id,
            kind,
            dataTime,
            `${Number(value)}`,
            `${Number(usd)}`,
          ]);
        expect(said).toEqual(expected(rule, floors));
        expect(said.length).toBeGreaterThan(1);
      }
      const glitches = alerts.filter(
        ({ rule, dataTime }) =>
          glitchRules.some(({ id }) => id === rule) && dataTime > '2021-08-25',
      );
      expect(
        glitches.map(({ rule, kind, dataTime }) => [rule, kind, dataTime.slice(0, 10)]),
      ).toEqual([
        ['plain', 'fired', '2021-08-28'],
        ['plain', 'recovered', '2021-08-29'],
      ]);
      await rm(folder, { recursive: true });
    },
    300_000,
  );
});
