import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { type Watch, waitingOf } from '#shared/domain/evaluation/watch.ts';
import { GREATEST } from '#shared/domain/market/decimal.ts';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import type { Metric } from '#shared/domain/metrics/metric.ts';
import { passedLine } from '#shared/domain/rules/condition.ts';
import { type IndexRange, thresholdIndexText } from '#shared/domain/rules/threshold-index.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchStore, type WatchStore } from '#shared/stores/watch-store.ts';
import { APES, aWatch, eth, NOON, PUNKS } from '#test/support/builders.ts';
import { countingCalls } from '#test/support/counting-calls.ts';
import { ENGINES } from '#test/support/engines.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

describe.each(ENGINES)('watches in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each([
    ['only the required members', aNewWatch()],
    ['every member', aFullWatch()],
    ['a threshold of 38 digits', aNewWatch({ ruleCondition: { threshold: GREATEST - 1n } })],
  ])('reads back a watch with %s', async (_, watch) => {
    const watches = createWatchStore(await engine.createTable());

    const written = await watches.put(watch);

    expect(written).toStrictEqual({ ...watch, version: watch.since });
    expect(await watches.get(watch)).toStrictEqual(written);
  });

  it('removes members that the writer left out of a watch', async () => {
    const watches = createWatchStore(await engine.createTable());
    const full = await watches.put(aFullWatch());
    const bare = aNewWatch({ version: full.version });

    await watches.put(bare);

    expect(await watches.get(full)).toStrictEqual({ ...bare, version: bare.version + 1 });
  });

  it('returns undefined for a watch that is not stored', async () => {
    const watches = createWatchStore(await engine.createTable());
    await watches.put(aNewWatch());

    expect(await watches.get(aWatch({ rule: 'other' }))).toBeUndefined();
    expect(await watches.get(aWatch({ contract: APES }))).toBeUndefined();
  });

  it('rejects the second of two writers that read the same version of a watch', async () => {
    const watches = createWatchStore(await engine.createTable());
    const read = await watches.put(aNewWatch());
    const written = await watches.put({ ...read, evaluatedSeq: 1 });

    const late = watches.put({ ...read, evaluatedSeq: 2 });

    await expect(late).rejects.toThrow(VersionConflictError);
    expect(await watches.get(read)).toEqual(written);
  });

  it('rejects a second creation of a watch, and an update of a deleted one', async () => {
    const watches = createWatchStore(await engine.createTable());
    const read = await watches.put(aNewWatch());

    await expect(watches.put(aNewWatch())).rejects.toThrow(VersionConflictError);
    await watches.delete(read);
    await expect(watches.put(read)).rejects.toThrow(VersionConflictError);

    expect(await watches.get(read)).toBeUndefined();
  });

  it('rejects a writer that read a watch before it was deleted and created again', async () => {
    const watches = createWatchStore(await engine.createTable());
    const former = await watches.put(aNewWatch({ since: NOON }));
    await watches.delete(former);
    await watches.put(aNewWatch({ since: NOON + 1 }));

    await expect(watches.put(former)).rejects.toThrow(VersionConflictError);
    await expect(watches.delete(former)).rejects.toThrow(VersionConflictError);
  });

  it('deletes a watch only at the version that was read', async () => {
    const watches = createWatchStore(await engine.createTable());
    const read = await watches.put(aNewWatch());
    const written = await watches.put(read);

    await expect(watches.delete(read)).rejects.toThrow(VersionConflictError);
    await watches.delete(written);

    expect(await watches.get(read)).toBeUndefined();
  });

  it('lists the watches of one list on one contract', async () => {
    const watches = createWatchStore(await engine.createTable());
    const own = [aNewWatch({ rule: 'a' }), aNewWatch({ rule: 'b' })];
    const others = [
      aNewWatch({ list: 'punks-2' }),
      aNewWatch({ list: 'punk' }),
      aNewWatch({ tenant: 'acme-2' }),
      aNewWatch({ contract: APES }),
    ];
    for (const watch of [...own, ...others]) await watches.put(watch);

    const found = await watches.ofList({ tenant: 'acme', list: 'punks' }, PUNKS);

    expect(found.map(({ rule }) => rule)).toEqual(['a', 'b']);
  });

  it('lists all watches of a list, even if they exceed one page of the table', async () => {
    const watches = createWatchStore(await engine.createTable());
    const rules = Array.from({ length: 50 }, (_, number) => `rule-${number + 10}`);
    const presentation = { label: 'x'.repeat(30_000) };
    await Promise.all(rules.map((rule) => watches.put(aNewWatch({ rule, presentation }))));

    const found = await watches.ofList({ tenant: 'acme', list: 'punks' }, PUNKS);

    expect(found.map(({ rule }) => rule)).toEqual(rules);
  });

  it.each([1, 2, 3])(
    'finds exactly the watches that a value reaches, like a plain filter (seed %i)',
    async (seed) => {
      const watches = createWatchStore(await engine.createTable());
      const all = someWatches(seed, 150);
      await Promise.all(all.map(watches.put));

      for (const indexRange of someReaches(seed, 40)) {
        const found = await allReached(watches, indexRange);

        expect(found).toEqual(
          all
            .filter((watch) => waitsUpTo(watch, indexRange))
            .map(nameOf)
            .toSorted(),
        );
      }
    },
  );

  it('finds each reached watch once across several pages', async () => {
    const watches = createWatchStore(await engine.createTable());
    const rules = Array.from({ length: 230 }, (_, number) => `rule-${number}`);
    await Promise.all(rules.map((rule) => watches.put(aNewWatch({ rule, state: 'ok' }))));

    const found = await allReached(watches, aReach({ value: eth('60') }));

    expect(found).toEqual(rules.map((rule) => nameOf(aWatch({ rule }))).toSorted());
  });

  it('finds a written watch at its new index position at once', async () => {
    const watches = createWatchStore(await engine.createTable());
    const indexRange = aReach({ value: eth('59') });
    const ok = await watches.put(aNewWatch({ state: 'ok' }));
    const before = await allReached(watches, indexRange);

    const firing = await watches.put({ ...ok, state: 'firing' });
    const after = await allReached(watches, indexRange);
    const cancelling = await allReached(
      watches,
      aReach({ thresholdIndex: 'rising', value: eth('61') }),
    );
    await watches.delete(firing);
    const gone = await allReached(watches, aReach({ thresholdIndex: 'rising', value: eth('61') }));

    expect([before, after, cancelling, gone]).toEqual([[nameOf(ok)], [], [nameOf(ok)], []]);
  });

  it('finds the watches whose timer is due, earliest first, separately for each kind of timer', async () => {
    const watches = createWatchStore(await engine.createTable());
    const at = (rule: string, stateSince: number) =>
      watches.put(aPendingWatch({ rule, stateSince }));
    await at('second', NOON - MINUTE);
    await at('first', NOON - 2 * MINUTE);
    await at('later', NOON - MINUTE + 1);
    await watches.put(aNewWatch({ rule: 'resting', state: 'ok' }));
    await watches.put(aNewWatch({ rule: 'new', state: 'unknown', since: NOON - DAY }));

    const [answer, clock, window] = await Promise.all(
      (['answer', 'clock', 'window'] as const).map((kind) =>
        watches.woken(PUNKS, kind, NOON, undefined),
      ),
    );

    expect(answer?.entries.map(({ rule }) => rule)).toEqual(['first', 'second']);
    expect(clock?.entries.map(({ rule }) => rule)).toEqual(['new']);
    expect(window?.entries).toEqual([]);
  });

  it('returns the earliest timer of each kind, and none after the last watch is deleted', async () => {
    const watches = createWatchStore(await engine.createTable());
    const pending = await watches.put(aPendingWatch({ stateSince: NOON }));
    await watches.put(aPendingWatch({ rule: 'later', stateSince: NOON + 1 }));
    await watches.put(aNewWatch({ rule: 'new', state: 'unknown', since: NOON }));
    const before = await watches.earliestTimers(PUNKS);

    await watches.delete(pending);

    expect(before).toEqual({ answer: NOON + MINUTE, clock: NOON + DAY });
    expect(await watches.earliestTimers(PUNKS)).toMatchObject({ answer: NOON + MINUTE + 1 });
    expect(await watches.earliestTimers(APES)).toEqual({});
  });

  it('includes the timer of an unreadable watch in the earliest timers', async () => {
    const table = await engine.createTable();
    const watches = createWatchStore(table);
    await watches.put(aPendingWatch({ rule: 'broken', stateSince: NOON }));
    await corrupt(table, { state: 'asleep' });
    await watches.put(aPendingWatch({ rule: 'sound', stateSince: NOON + 1 }));

    expect(await watches.earliestTimers(PUNKS)).toEqual({ answer: NOON + MINUTE });
  });

  it('returns the threshold indexes of every condition, and the combined index of rules with several conditions', async () => {
    const watches = createWatchStore(await engine.createTable());
    const condition = { when: 'below', threshold: eth('55') } as const;
    const ignoreBelow = 'hundredth';
    const also = [{ metric: 'lowest_price.7d', unit: 'eth', ignoreBelow, condition }] as const;
    await watches.put(aNewWatch({ rule: 'alone', state: 'ok', ruleCondition: { unit: 'weth' } }));
    await watches.put(aNewWatch({ rule: 'both', state: 'ok', unmet: 1, ruleCondition: { also } }));

    const { entries } = await watches.thresholdIndexesNeeded(PUNKS, undefined);

    expect(entries.map(thresholdIndexText).toSorted()).toEqual([
      'all.',
      'floor_price.eth',
      'floor_price.weth',
      'lowest_price.7d.eth',
    ]);
    expect(await watches.thresholdIndexesNeeded(APES, undefined)).toEqual({ entries: [] });
  });

  it('returns the threshold indexes of more watches than fit in a page', async () => {
    const watches = createWatchStore(await engine.createTable());
    const named = (index: number) => `rule-${String(index).padStart(4, '0')}`;
    for (let index = 0; index < 501; index += 1) {
      const metric = index === 500 ? 'floor_price_usd' : 'floor_price';
      await watches.put(aNewWatch({ rule: named(index), ruleCondition: { metric } }));
    }

    const first = await watches.thresholdIndexesNeeded(PUNKS, undefined);
    const second = await watches.thresholdIndexesNeeded(PUNKS, first.next);

    expect(new Set(first.entries.map(thresholdIndexText))).toEqual(new Set(['floor_price.eth']));
    expect(second).toEqual({ entries: [{ metric: 'floor_price_usd', unit: 'eth' }] });
  });

  it.each([
    ['unknown', 'enabled', 1],
    ['firing', 'enabled', 1],
    ['disarmed', 'enabled', 1],
    ['ok', 'paused', 0],
    ['firing', 'expired', 0],
    ['ended', 'enabled', 0],
  ] as const)(
    'a watch that is %s and %s needs %i threshold indexes',
    async (state, admin, needed) => {
      const watches = createWatchStore(await engine.createTable());
      await watches.put(aNewWatch({ state, admin }));

      expect((await watches.thresholdIndexesNeeded(PUNKS, undefined)).entries).toHaveLength(needed);
    },
  );

  it.each([
    ['an unknown state', { state: 'asleep' }],
    ['no state', { state: undefined }],
    ['no version', { version: undefined }],
    [
      'a number where there is a text',
      { ruleCondition: { ...aStoredRuleCondition(), condition: { when: 'below', threshold: 60 } } },
    ],
    [
      'a threshold that is no number',
      {
        ruleCondition: {
          ...aStoredRuleCondition(),
          condition: { when: 'below', threshold: '6e19' },
        },
      },
    ],
    ['an unknown metric', { ruleCondition: { ...aStoredRuleCondition(), metric: 'floor' } }],
    ['an unknown destination', { notified: ['desk'] }],
    ['a fractional time', { since: 1.5 }],
    ['a number as a text', { evaluatedSeq: '7' }],
  ])('rejects a watch with %s, and names it as unreadable', async (_, corruption) => {
    const table = await engine.createTable();
    const watches = createWatchStore(table);
    const watch = await watches.put(aFullWatch());
    await corrupt(table, corruption);

    await expect(watches.get(watch)).rejects.toThrow();
    expect(await watches.ofList(watch, PUNKS)).toEqual([]);
    const { unreadable } = await watches.allOfList(watch, PUNKS);
    expect(unreadable).toMatchObject([{ id: `${PUNKS}/${watch.rule}`, rule: watch.rule }]);
  });
});

describe('the cost of a price change', () => {
  it('finds in one query the 10 of 10,000 watches that a value reaches, and reads no others', async () => {
    const { table, calls } = countingCalls(createMemoryTable());
    const watches = createWatchStore(table);
    for (let number = 0; number < 10_000; number += 1) {
      const threshold = eth(number < 10 ? '60' : String(10 + (number % 40)));
      const ruleCondition = { threshold };
      await watches.put(aNewWatch({ rule: `rule-${number}`, state: 'ok', ruleCondition }));
    }
    calls.clear();

    const { entries, next } = await watches.reached(aReach({ value: eth('59.9') }), undefined);
    const fired = await Promise.all(entries.map(watches.get));

    expect(next).toBeUndefined();
    expect(
      fired.map((watch) => watch && passedLine(watch.ruleCondition.condition, undefined)),
    ).toEqual(Array(10).fill(eth('60')));
    expect(Object.fromEntries(calls)).toEqual({ queryThresholdIndex: 1, get: 10 });
  });
});

/** A watch that is not in the table yet. */
function aNewWatch(given: Parameters<typeof aWatch>[0] = {}): Watch {
  return aWatch({ version: 0, ...given });
}

/** A watch that fires a minute after it became pending. */
function aPendingWatch(given: Parameters<typeof aWatch>[0]): Watch {
  return aNewWatch({ state: 'pending', ruleCondition: { for: MINUTE }, ...given });
}

function aFullWatch(): Watch {
  return aNewWatch({
    generation: 7,
    ruleCondition: {
      ...{ recover: eth('70.000000000000000001'), arm: 'cross', keepFor: 3_600_000 },
      ...{ ignoreBelow: eth('0.6'), takesOutliers: true },
    },
    repeatPolicy: { repeat: 'every', reminder: 86_400_000, steps: eth('10') },
    position: 'under',
    recentSamples: [
      { time: NOON, beyond: true },
      { time: NOON + 1, beyond: false },
    ],
    lastReported: eth('59.5'),
    remindedAt: NOON - 1,
    presentation: { label: 'Cheap “Punks” ≤ 60 Ξ', name: 'CryptoPunks', severity: 'critical' },
    expiresAt: NOON + 1,
    state: 'firing',
    stateSince: NOON - 5,
    evaluatedSeq: 123,
    episode: 4,
    firedAt: NOON - 4,
    alerts: 9,
    notified: ['stack-topic', 'acme#punks#desk'],
  });
}

function aStoredRuleCondition() {
  const condition = { when: 'below', threshold: '60', recover: '70' };
  return { ...aFullWatch().ruleCondition, ignoreBelow: '60', condition };
}

async function corrupt(table: Table, corruption: object): Promise<void> {
  const { entries } = await table.query({
    pk: `WATCHES#${PUNKS}`,
    range: { from: ' ', to: '~' },
    limit: 1,
  });
  for (const item of entries) await table.put({ ...item, ...corruption });
}

function aReach(given: Partial<IndexRange> = {}): IndexRange {
  return {
    contract: PUNKS,
    metric: 'floor_price',
    unit: 'eth',
    thresholdIndex: 'falling',
    value: eth('60'),
    ...given,
  };
}

const METRICS: readonly Metric[] = [
  'floor_price',
  'floor_price_usd',
  'lowest_price.1d',
  'lowest_price.7d',
];
const UNITS = ['eth', 'usd', 'e'];
const NUMBERS = [1n, 9n, 10n, eth('9.5'), eth('60'), eth('60') + 1n, 10n ** 37n, GREATEST - 6n];

function someWatches(seed: number, count: number): readonly Watch[] {
  const random = createSeededRandom(seed);
  return Array.from({ length: count }, (_, number) => {
    const when = random.pick(['below', 'above'] as const);
    const threshold = random.pick(NUMBERS);
    const recover = when === 'below' ? threshold + 5n : threshold - 5n;
    return aNewWatch({
      tenant: random.pick(['acme', 'beta']),
      rule: `rule-${number}`,
      admin: random.pick(['enabled', 'enabled', 'enabled', 'paused', 'expired']),
      state: random.pick(['unknown', 'ok', 'firing', 'disarmed']),
      ruleCondition: {
        metric: random.pick(METRICS),
        unit: random.pick(UNITS),
        when,
        threshold,
        ...(random.below(2) === 0 ? {} : { recover }),
      },
    });
  });
}

function someReaches(seed: number, count: number): readonly IndexRange[] {
  const random = createSeededRandom(seed + 1000);
  return Array.from({ length: count }, () =>
    aReach({
      metric: random.pick(METRICS),
      unit: random.pick(UNITS),
      thresholdIndex: random.pick(['falling', 'rising'] as const),
      value: random.pick([...NUMBERS, ...NUMBERS.map((number) => number - 1n), GREATEST]),
    }),
  );
}

function waitsUpTo(watch: Watch, { metric, unit, thresholdIndex, value }: IndexRange): boolean {
  const waiting = waitingOf(watch)[thresholdIndex];
  return (
    watch.ruleCondition.metric === metric &&
    watch.ruleCondition.unit === unit &&
    waiting !== undefined &&
    (thresholdIndex === 'falling' ? waiting >= value : waiting <= value)
  );
}

async function allReached(watches: WatchStore, indexRange: IndexRange): Promise<readonly string[]> {
  const found: string[] = [];
  let after: Parameters<WatchStore['reached']>[1];
  do {
    const page = await watches.reached(indexRange, after);
    found.push(...page.entries.map(nameOf));
    after = page.next;
  } while (after !== undefined);
  return found.toSorted();
}

function nameOf({
  contract,
  tenant,
  list,
  rule,
}: Omit<Watch, 'version'> | Parameters<WatchStore['get']>[0]): string {
  return [contract, tenant, list, rule].join(' ');
}
