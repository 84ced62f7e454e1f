import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatInstant } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { beginningWith, queryAll } from '#shared/stores/table.ts';
import { anAlert, anInboxEntry, aPostedAlert, NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const list = { tenant: 'acme', id: 'punks' };
const TO = ['stack-topic', 'stack-slack', 'acme#punks#desk'] as const;

describe.each(ENGINES)('alerts in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each([
    ['without destinations', aPostedAlert()],
    ['with three destinations', aPostedAlert(anAlert(), [...TO], NOON + 1)],
    [
      'with null for the members that do not apply',
      aPostedAlert({ ...anAlert(), ...NOT_APPLYING }),
    ],
  ])('reads back an alert %s', async (_, posted) => {
    const alerts = createAlertStore(await engine.createTable());

    await alerts.post(posted);

    expect(await alerts.getPosted(posted.alert)).toStrictEqual(posted);
  });

  it('returns undefined for an alert under another id, list or tenant', async () => {
    const alerts = createAlertStore(await engine.createTable());
    await alerts.post(aPostedAlert());

    for (const other of [{ id: 'other' }, { watchlist: 'apes' }, { tenant: 'beta' }]) {
      expect(await alerts.get({ ...anAlert(), ...other })).toBeUndefined();
    }
  });

  it('posts an alert together with an inbox entry for each destination', async () => {
    const table = await engine.createTable();

    const alert = anAlert({ severity: 'critical' });
    await createAlertStore(table).post(aPostedAlert(alert, [...TO]));

    for (const destinationId of TO) {
      const entries = await createInboxStore(table).oldest(destinationId, 10);
      expect(entries).toEqual([anInboxEntry(destinationId, alert)]);
      expect(entries).toMatchObject([{ isUrgent: true, postedAt: Date.parse(alert.at) }]);
    }
  });

  it('posts an alert once: a second post conflicts and writes nothing', async () => {
    const table = await engine.createTable();
    const alerts = createAlertStore(table);
    await alerts.post(aPostedAlert(anAlert(), ['stack-topic']));

    const again = alerts.post(aPostedAlert(anAlert(), [...TO]));

    await expect(again).rejects.toThrow(VersionConflictError);
    expect((await alerts.getPosted(anAlert()))?.destinations).toEqual(['stack-topic']);
    expect(await createInboxStore(table).oldest('stack-slack', 10)).toEqual([]);
  });

  it('shows an alert as pending at each destination without an outcome, alone and in its list', async () => {
    const alerts = createAlertStore(await engine.createTable());
    const other = anAlert({ id: 'later.1.1', at: formatInstant(NOON + 60_000) });
    await alerts.post(aPostedAlert(anAlert(), [...TO]));
    await alerts.post(aPostedAlert(other, ['stack-topic']));
    const accepted = { state: 'accepted', at: NOON } as const;
    const failed = { state: 'failed', at: NOON + 1, reason: 'given up' } as const;

    await alerts.putOutcome(anAlert(), 'stack-topic', accepted);
    await alerts.putOutcome(anAlert(), 'acme#punks#desk', failed);

    const deliveries = {
      'stack-topic': accepted,
      'stack-slack': { state: 'pending' },
      'acme#punks#desk': failed,
    };
    expect(await alerts.getOutcome(anAlert(), 'stack-topic')).toEqual(accepted);
    expect(await alerts.getOutcome(anAlert(), 'stack-slack')).toBeUndefined();
    expect((await alerts.get(anAlert()))?.deliveries).toEqual(deliveries);
    const { entries } = await alerts.ofList(list, { limit: 10, after: undefined });
    expect(entries.map((entry) => entry.deliveries)).toEqual([
      { 'stack-topic': { state: 'pending' } },
      deliveries,
    ]);
  });

  it('expires alerts and their outcomes 400 days after the alert', async () => {
    const table = await engine.createTable();
    const alerts = createAlertStore(table);
    await alerts.post(aPostedAlert());
    await alerts.putOutcome(anAlert(), 'stack-topic', { state: 'accepted', at: NOON });

    const items = await queryAll(table, 'LIST#acme#punks', { from: 'A', to: '~' });

    const expiry = Date.parse(anAlert().at) / 1000 + 400 * 24 * 3600;
    expect(items.map(({ ttl }) => ttl)).toEqual([expiry, expiry]);
  });

  it('lists the alerts of one list newest first, in pages', async () => {
    const alerts = createAlertStore(await engine.createTable());
    const made = [3, 1, 2].map((minute) =>
      anAlert({ id: `id-${minute}`, at: formatInstant(NOON + minute * 60_000) }),
    );
    const foreign = [{ watchlist: 'punks-2' }, { tenant: 'beta' }].map((own) => anAlert(own));
    for (const alert of [...made, ...foreign]) {
      await alerts.post(aPostedAlert(alert, []));
    }

    const first = await alerts.ofList(list, { limit: 2, after: undefined });
    const second = await alerts.ofList(list, { limit: 2, after: first.next });

    expect(first.entries.map(({ alert }) => alert.id)).toEqual(['id-3', 'id-2']);
    expect(second.entries.map(({ alert }) => alert.id)).toEqual(['id-1']);
    expect(second.next).toBeUndefined();
  });

  it.each([
    ['an alert with an unknown destination', 'ALERT', { destinations: ['fax'] }],
    ['an alert without destinations', 'ALERT', { destinations: undefined }],
    ['an alert that lacks a member', 'ALERT', { alert: { ...anAlert(), previous: undefined } }],
    ['a value that is a number', 'ALERT', { alert: { ...anAlert(), value: 59.9 } }],
    ['an outcome without a state', 'OUTCOME', { state: undefined }],
  ])('rejects %s, and names the alert as unreadable in its list', async (_, kind, corruption) => {
    const table = await engine.createTable();
    const alerts = createAlertStore(table);
    await alerts.post(aPostedAlert(anAlert(), ['stack-topic']));
    await alerts.putOutcome(anAlert(), 'stack-topic', { state: 'accepted', at: NOON });
    const [item] = await queryAll(table, 'LIST#acme#punks', beginningWith(`${kind}#`));
    if (item !== undefined) await table.put({ ...item, ...corruption });

    await expect(alerts.get(anAlert())).rejects.toThrow();
    expect(await alerts.ofList(list, { limit: 10, after: undefined })).toMatchObject({
      entries: [],
      unreadable: [{ kind: 'alert', id: `${anAlert().at}~${anAlert().id}` }],
    });
  });
});

const NOT_APPLYING = {
  rule: null,
  contract: null,
  name: null,
  metric: null,
  when: null,
  threshold: null,
  value: null,
  previous: null,
  unit: null,
  usd: null,
  source: null,
  generation: null,
  episode: null,
};
