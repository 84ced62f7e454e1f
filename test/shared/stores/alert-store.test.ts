import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeOf } from '#shared/domain/alerting/alert.ts';
import { type AlertRecord, newAlertRecord } from '#shared/domain/channels/alert-record.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const list = { tenant: 'acme', id: 'punks' };

describe.each(ENGINES)('alerts in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each([
    ['no destination at all', { ...aNewRecord(), deliveries: {} }],
    ['destinations pending, delivered and failed', aFullRecord()],
    ['nothing that applies', newAlertRecord({ ...anAlert(), ...NOT_APPLYING }, [])],
  ])('are read back with %s', async (_, record) => {
    const alerts = createAlertStore(await engine.createTable());

    const written = await alerts.put(record);

    expect(written).toStrictEqual({ ...record, version: 1 });
    expect(await alerts.get(record.alert)).toStrictEqual(written);
  });

  it('are nothing where there is none', async () => {
    const alerts = createAlertStore(await engine.createTable());
    const { alert } = await alerts.put(aNewRecord());

    expect(await alerts.get({ ...alert, id: 'other' })).toBeUndefined();
    expect(await alerts.get({ ...alert, watchlist: 'apes' })).toBeUndefined();
    expect(await alerts.get({ ...alert, tenant: 'beta' })).toBeUndefined();
  });

  it('are made once, and changed by one of two writers that read the same version', async () => {
    const alerts = createAlertStore(await engine.createTable());
    const read = await alerts.put(aNewRecord());
    const written = await alerts.put({ ...read, deliveries: {} });

    await expect(alerts.put(aNewRecord())).rejects.toThrow(VersionConflictError);
    await expect(alerts.put({ ...read, deliveries: {} })).rejects.toThrow(VersionConflictError);

    expect(await alerts.get(read.alert)).toEqual(written);
  });

  it('are forgotten 400 days after they were made', async () => {
    const table = await engine.createTable();
    const { alert } = await createAlertStore(table).put(aNewRecord());

    const item = await table.get({ pk: 'LIST#acme#punks', sk: `ALERT#${placeOf(alert)}` });

    expect(item?.ttl).toBe(Date.parse(alert.at) / 1000 + 400 * 24 * 3600);
  });

  it('of a list are returned newest first, page by page, without those of others', async () => {
    const alerts = createAlertStore(await engine.createTable());
    const made = [3, 1, 2].map((minute) =>
      anAlert({ id: `id-${minute}`, at: formatInstant(NOON + minute * 60_000) }),
    );
    const foreign = [{ watchlist: 'punks-2' }, { tenant: 'beta' }].map((own) => anAlert(own));
    for (const alert of [...made, ...foreign]) {
      await alerts.put(newAlertRecord(alert, []));
    }

    const first = await alerts.ofList(list, { limit: 2, after: undefined });
    const second = await alerts.ofList(list, { limit: 2, after: first.next });

    expect(first.entries.map(({ alert }) => alert.id)).toEqual(['id-3', 'id-2']);
    expect(second.entries.map(({ alert }) => alert.id)).toEqual(['id-1']);
    expect(second.next).toBeUndefined();
  });

  it.each([
    ['an unknown destination', { deliveries: { fax: { state: 'pending' } } }],
    ['no word on its destinations', { deliveries: undefined }],
    ['an alert that lacks a member', { alert: { ...anAlert(), previous: undefined } }],
    ['a value that is a number', { alert: { ...anAlert(), value: 59.9 } }],
    ['a delivery of no state', { deliveries: { 'stack-topic': { at: NOON } } }],
  ])('with %s are never half-read, and are named', async (_, corruption) => {
    const table = await engine.createTable();
    const alerts = createAlertStore(table);
    const { alert } = await alerts.put(aNewRecord());
    const key = { pk: 'LIST#acme#punks', sk: `ALERT#${placeOf(alert)}` };
    await table.put({ ...(await table.get(key)), ...key, ...corruption });

    await expect(alerts.get(alert)).rejects.toThrow();
    expect(await alerts.ofList(list, { limit: 10, after: undefined })).toMatchObject({
      entries: [],
      unreadable: [{ kind: 'alert', id: `${alert.at}~${alert.id}` }],
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

function aNewRecord(): AlertRecord {
  return newAlertRecord(anAlert(), ['stack-topic', 'stack-slack', 'acme#punks#desk']);
}

function aFullRecord(): AlertRecord {
  return {
    ...aNewRecord(),
    deliveries: {
      'stack-slack': { state: 'pending' },
      'stack-topic': { state: 'accepted', at: NOON },
      'acme#punks#desk': { state: 'failed', at: NOON + 1, reason: 'given up' },
    },
  };
}
