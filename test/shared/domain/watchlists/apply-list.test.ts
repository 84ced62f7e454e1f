import { expect, it } from 'vitest';
import { HOUR } from '#shared/domain/market/instant.ts';
import type { Watch } from '#shared/domain/watching/watch.ts';
import { applyList } from '#shared/domain/watchlists/apply-list.ts';
import { entomb } from '#shared/domain/watchlists/watchlist.ts';
import {
  APES,
  anAlert,
  aRuleBody,
  aWatch,
  aWatchlist,
  eth,
  instant,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';

const END = '2026-11-21T13:00:00.000Z';

/** The watches of a list after it was applied to them. */
function applied(list: ReturnType<typeof aWatchlist>, existing: readonly Watch[], now = NOON) {
  const changes = applyList(list, PUNKS, existing, now);
  const written = new Map(changes.map(({ kind, watch }) => [watch.rule, { kind, watch }]));
  return { changes, watch: (rule = 'floor-60') => written.get(rule)?.watch };
}

it('makes a watch of each rule, which waits for an answer from now on', () => {
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
    meaning: {
      metric: 'floor_price',
      unit: 'eth',
      condition: { when: 'below', threshold: eth('60') },
      arm: 'level',
    },
    manner: { repeat: 'every' },
    wording: { name: 'CryptoPunks', severity: 'warning', notifyRecovery: true },
    admin: 'enabled',
    since: NOON,
    state: 'unknown',
    judgedSeq: 0,
    episode: 0,
    alerts: 0,
    outbox: [],
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
  judgedSeq: 5,
  episode: 2,
  alerts: 3,
  outbox: [anAlert()],
  outboxDueAt: NOON,
};

it('writes nothing when a list is applied again', () => {
  expect(applied(list, [firing], NOON + HOUR).changes).toEqual([]);
});

it.each([
  { edit: { label: 'Low' }, told: { wording: { label: 'Low' } } },
  { edit: { severity: 'critical' }, told: { wording: { severity: 'critical' } } },
  { edit: { notifyRecovery: false }, told: { wording: { notifyRecovery: false } } },
  { edit: { expiresAt: END }, told: { admin: 'enabled', expiresAt: instant(END) } },
])('keeps the episode and the outbox through $edit', ({ edit, told }) => {
  const edited = aWatchlist({ rules: [aRuleBody(edit)] }, list);

  const watch = applied(edited, [firing]).watch();

  expect(watch).toMatchObject(told);
  expect(watch).toEqual({
    ...firing,
    ...told,
    wording: { ...firing.wording, ...('wording' in told ? told.wording : {}) },
  });
});

it('takes an end away that a rule no longer has', () => {
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
])('begins anew, with nothing to send, after $edit', ({ edit, admin }) => {
  const edited = aWatchlist({ rules: [aRuleBody(edit)] }, list);

  const watch = applied(edited, [firing], NOON + HOUR).watch();

  expect(watch).toMatchObject({
    version: 7,
    generation: 2,
    admin,
    since: NOON + HOUR,
    state: 'unknown',
    judgedSeq: 0,
    episode: 0,
    alerts: 0,
    outbox: [],
  });
  expect(watch).not.toHaveProperty('firedAt');
  expect(watch).not.toHaveProperty('outboxDueAt');
});

it.each([
  { now: instant(END) - 1, admin: 'enabled' },
  { now: instant(END), admin: 'expired' },
])('expires a watch at its end and not before ($admin)', ({ now, admin }) => {
  const ending = aWatchlist({ rules: [aRuleBody({ expiresAt: END })] });

  expect(applied(ending, [], now).watch()?.admin).toBe(admin);
});

it.each([
  { why: 'its rule is gone', next: aWatchlist({ rules: [] }, list) },
  {
    why: 'its rule speaks of another',
    next: aWatchlist({ contracts: [PUNKS, APES], rules: [aRuleBody({ on: APES })] }, list),
  },
  { why: 'its contract is gone', next: aWatchlist({ contracts: [APES] }, list) },
  { why: 'its list is gone', next: entomb(list) },
])('takes a watch away when $why', ({ next }) => {
  expect(applyList(next, PUNKS, [firing], NOON)).toEqual([{ kind: 'delete', watch: firing }]);
});
