import { expect, it } from 'vitest';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { applyList } from '#shared/domain/watchlists/apply-list.ts';
import { tombstoneOf } from '#shared/domain/watchlists/watchlist.ts';
import {
  APES,
  aRuleBody,
  aWatch,
  aWatchlist,
  eth,
  instant,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';

const END = '2026-11-21T13:00:00.000Z';

/** The changes that applying a list makes to its watches. */
function applied(list: ReturnType<typeof aWatchlist>, existing: readonly Watch[], now = NOON) {
  const changes = applyList(list, PUNKS, existing, now);
  const written = new Map(changes.map(({ kind, watch }) => [watch.rule, { kind, watch }]));
  return { changes, watch: (rule = 'floor-60') => written.get(rule)?.watch };
}

it('creates a watch for each rule on each contract, which evaluates only later answers', () => {
  const list = aWatchlist({ contracts: [{ contract: PUNKS, name: 'CryptoPunks' }] });

  const { changes, watch } = applied(list, []);

  expect(changes.map(({ kind }) => kind)).toEqual(['put']);
  expect(watch()).toEqual({
    tenant: 'acme',
    list: 'punks',
    rule: 'floor-60',
    contract: PUNKS,
    version: 0,
    generation: 1,
    ruleCondition: {
      metric: 'floor_price',
      unit: 'eth',
      condition: { when: 'below', threshold: eth('60') },
      arm: 'level',
    },
    repeatPolicy: { repeat: 'every' },
    presentation: { name: 'CryptoPunks', severity: 'warning', notifyRecovery: true },
    admin: 'enabled',
    since: NOON,
    state: 'unknown',
    evaluatedSeq: 0,
    episode: 0,
    alerts: 0,
  });
});

const list = aWatchlist();
const [known] = applyList(list, PUNKS, [], NOON).map(({ watch }) => watch);
const firing: Watch = {
  ...(known ?? aWatch()),
  version: 7,
  state: 'firing',
  stateSince: NOON,
  firedAt: NOON,
  evaluatedSeq: 5,
  episode: 2,
  alerts: 3,
};

it('changes no watch if a list is applied again', () => {
  expect(applied(list, [firing], NOON + HOUR).changes).toEqual([]);
});

it.each([
  { edit: { label: 'Low' }, changed: { presentation: { label: 'Low' } } },
  { edit: { severity: 'critical' }, changed: { presentation: { severity: 'critical' } } },
  { edit: { notifyRecovery: false }, changed: { presentation: { notifyRecovery: false } } },
  { edit: { expiresAt: END }, changed: { admin: 'enabled', expiresAt: instant(END) } },
])('keeps the episode of a watch through $edit', ({ edit, changed }) => {
  const edited = aWatchlist({ rules: [aRuleBody(edit)] }, list);

  const watch = applied(edited, [firing]).watch();

  expect(watch).toMatchObject(changed);
  expect(watch).toEqual({
    ...firing,
    ...changed,
    presentation: {
      ...firing.presentation,
      ...('presentation' in changed ? changed.presentation : {}),
    },
  });
});

it('removes the expiry of a watch if its rule no longer has one', () => {
  const ending = aWatchlist({ rules: [aRuleBody({ expiresAt: END })] });
  const [withEnd] = applyList(ending, PUNKS, [], NOON).map(({ watch }) => watch);

  const watch = applied(aWatchlist({}, ending), withEnd ? [withEnd] : []).watch();

  expect(watch).toBeDefined();
  expect(watch).not.toHaveProperty('expiresAt');
});

it.each([
  { edit: { threshold: '61' }, admin: 'enabled' },
  { edit: { arm: 'cross' }, admin: 'enabled' },
  { edit: { enabled: false }, admin: 'paused' },
])('restarts a watch after $edit, and closes its episode', ({ edit, admin }) => {
  const edited = aWatchlist({ rules: [aRuleBody(edit)] }, list);

  const [change] = applyList(edited, PUNKS, [firing], NOON + HOUR);
  const watch = change?.watch;

  expect(watch).toMatchObject({
    version: 7,
    generation: 2,
    admin,
    since: NOON + HOUR,
    state: 'unknown',
    evaluatedSeq: 0,
    episode: 0,
    alerts: 0,
  });
  const why = admin === 'paused' ? 'its rule was paused' : 'its rule was changed';
  expect(change?.alerts.map(({ id, kind, title }) => [id, kind, title])).toEqual([
    [
      expect.stringMatching(/\.1\.4$/),
      'closed',
      expect.stringMatching(new RegExp(`^Closed: .* \\(${why}\\)$`)),
    ],
  ]);
  expect(watch).not.toHaveProperty('firedAt');
});

it('sends no "closed" alert for a recovered episode, or for a rule without recovery alerts', () => {
  const silent = { ...firing, presentation: { ...firing.presentation, notifyRecovery: false } };
  const recovered: Watch = { ...firing, state: 'ok' };
  const edited = aWatchlist({ rules: [aRuleBody({ threshold: '61' })] }, list);

  const said = [silent, recovered].flatMap((watch) => applyList(edited, PUNKS, [watch], NOON));

  expect(said.map(({ alerts }) => alerts)).toEqual([[], []]);
});

it.each([
  { now: instant(END) - 1, admin: 'enabled' },
  { now: instant(END), admin: 'expired' },
])('creates a watch as $admin, depending on the expiry of its rule', ({ now, admin }) => {
  const ending = aWatchlist({ rules: [aRuleBody({ expiresAt: END })] });

  expect(applied(ending, [], now).watch()?.admin).toBe(admin);
});

it.each([
  { later: DAY - 1, admin: 'enabled', closed: 0 },
  { later: DAY, admin: 'expired', closed: 1 },
])(
  'without an answer, a watch expires a day after its rule: $admin after $later ms',
  ({ later, admin, closed }) => {
    const ending = aWatchlist({ rules: [aRuleBody({ expiresAt: END, label: 'Low' })] });
    const watching = { ...firing, expiresAt: instant(END) };

    const [change] = applyList(ending, PUNKS, [watching], instant(END) + later);

    expect([change?.watch.admin, change?.alerts.length]).toEqual([admin, closed]);
  },
);

it('restarts an expired rule that gets a later expiry', () => {
  const ended: Watch = { ...firing, state: 'ok', admin: 'expired', expiresAt: NOON };
  const later = aWatchlist({ rules: [aRuleBody({ expiresAt: END })] });

  const watch = applied(later, [ended], NOON + MINUTE).watch();

  expect(watch).toMatchObject({
    ...{ admin: 'enabled', state: 'unknown', since: NOON + MINUTE, evaluatedSeq: 0 },
    ...{ generation: 1, episode: 2, alerts: 3 },
  });
});

it.each([
  { why: 'its rule was removed', next: aWatchlist({ rules: [] }, list) },
  {
    why: 'its rule is about another contract',
    next: aWatchlist({ contracts: [PUNKS, APES], rules: [aRuleBody({ on: APES })] }, list),
  },
  { why: 'its contract was removed', next: aWatchlist({ contracts: [APES] }, list) },
  { why: 'its list was deleted', next: tombstoneOf(list, NOON) },
])('deletes a watch and closes its episode when $why', ({ next }) => {
  const silent: Watch = { ...firing, state: 'ok' };

  const [closed] = applyList(next, PUNKS, [firing], NOON);

  expect(applyList(next, PUNKS, [silent], NOON)).toEqual([
    { kind: 'delete', watch: silent, old: silent, alerts: [] },
  ]);
  expect([closed?.kind, closed?.watch]).toEqual(['delete', firing]);
  expect(closed?.alerts.map(({ kind }) => kind)).toEqual(['closed']);
});
