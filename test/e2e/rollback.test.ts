import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import { checkOut, lastRelease } from '#test/releases/last-release.ts';
import { startLocalStack } from '#test/support/local-stack.ts';
import { aFloorLine, PUNKS, writeMarketFiles } from '#test/support/market-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const START = Date.parse('2021-08-01T00:00Z');
const HOURS = 24;
const SPAN = ['--from', formatInstant(START), '--to', formatInstant(START + HOURS * HOUR)];
/** Alerts until another version takes over. */
const APART = 2;

const floor = { metric: 'floor_price', outliers: 'take' } as const;
const rules = [
  { id: 'low', ...floor, when: 'below', threshold: '60', recover: '62', steps: '10' },
  { id: 'held', ...floor, when: 'above', threshold: '80', for: '5h', keepFor: '3h' },
  { id: 'confirmed', ...floor, when: 'below', threshold: '50', confirm: { times: 2, of: 3 } },
  { id: 'crossed', ...floor, when: 'crosses', threshold: '70' },
  { id: 'reminded', ...floor, when: 'above', threshold: '75', repeat: { reminder: '4h' } },
  { id: 'moved', metric: 'floor_change_pct.24h', when: 'outside', low: '-20', high: '20' },
  { id: 'over', ...floor, when: 'above', threshold: '85', expiresAt: '2021-08-01T18:00:00Z' },
];

const release = lastRelease();
if (release === undefined) {
  process.stderr.write(
    'SKIPPED: THE ROLLBACK IS NOT TESTED: this copy has neither tags nor the commit of a release\n',
  );
}

it.skipIf(release === undefined)(
  `goes on with the table of today in the code of ${release}, and back, as if nothing had happened`,
  async () => {
    const last = join(aFolder(), 'checkout');
    checkOut(release ?? '', last);
    await using market = await writeMarketFiles({ 'floors.jsonl': floorsOf(HOURS) });
    const folder = aFolder();
    const watchlists = join(folder, 'watchlists.json');
    const contracts = [{ contract: PUNKS, name: 'CryptoPunks' }];
    const channels = [{ id: 'desk', kind: 'email', to: 'desk@example.com' }];
    const list = { id: 'punks', name: 'Punks', contracts, rules, channels };
    writeFileSync(watchlists, JSON.stringify(list));
    const goOn = async (kept: string, checkout: string, alerts?: number) => {
      const options = ['--data', market.directory, ...SPAN, '--speed', 'max'];
      const keep = ['--watchlists', watchlists, '--keep', join(folder, kept), '--exit-at-end'];
      return await replay([...options, ...keep], checkout, alerts);
    };

    const undisturbed = await goOn('today', ROOT);
    const parts = [
      await goOn('both', ROOT, APART),
      await goOn('both', last, APART),
      await goOn('both', ROOT, APART),
      await goOn('both', last),
    ];

    expect(undisturbed.size).toBeGreaterThan(4 * APART);
    expect(parts.map(({ size }) => size >= APART)).toEqual([true, true, true, true]);
    const together = new Map(parts.flatMap((part) => [...part]));
    expect([...together].toSorted()).toEqual([...undisturbed].toSorted());
  },
  900_000,
);

/** Up and down between 40 and 90 ETH, twice a day, each hour another. */
function floorsOf(hours: number) {
  return Array.from({ length: hours }, (_, hour) => {
    const price = 65 + 25 * Math.sin((hour * Math.PI) / 6) + (hour % 7) / 10;
    return aFloorLine(formatInstant(START + hour * HOUR), price.toFixed(2));
  });
}

/** Replays until so many alerts have come, or to the end; of each alert, by its id, what data decide. */
async function replay(options: readonly string[], checkout: string, alerts = Infinity) {
  await using stack = startLocalStack(options, 'shown', undefined, checkout);
  const came = new Map<string, string>();
  for await (const line of stack.events) {
    if (line.event !== 'alert') continue;
    const { id, kind, rule, value, dataTime } = line.alert;
    came.set(id, [kind, rule, value, dataTime].join(' '));
    if (came.size === alerts) stack.kill();
  }
  if (alerts === Infinity) expect(await stack.exited).toBe(0);
  return came;
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'floorwatch-rollback-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
