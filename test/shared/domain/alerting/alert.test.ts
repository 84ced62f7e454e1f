import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { Alert, alertAt, alertId, alertSortKey } from '#shared/domain/alerting/alert.ts';
import { AlertMessage } from '#shared/domain/alerting/alert-message.ts';
import { APES, anAlert, PUNKS } from '#test/support/builders.ts';

const about = { tenant: 'acme', list: 'punks', rule: 'floor', contract: PUNKS };

it('gives the same transition of a watch the same alert id, in characters that keys allow', () => {
  expect(alertId(about, 3, 7)).toBe(alertId({ ...about }, 3, 7));
  expect(alertId(about, 3, 7)).toMatch(/^[0-9a-f]{20}\.3\.7$/);
});

it('gives each transition of a watch a different alert id', () => {
  const ids = [
    alertId(about, 1, 1),
    alertId(about, 1, 2),
    alertId(about, 2, 1),
    alertId(about, 1, 'expired'),
    alertId({ ...about, tenant: 'acme2' }, 1, 1),
    alertId({ ...about, list: 'apes' }, 1, 1),
    alertId({ ...about, rule: 'high' }, 1, 1),
    alertId({ ...about, contract: APES }, 1, 1),
    alertId({ ...about, contract: null }, 1, 1),
    alertId({ ...about, list: 'punks-floor', rule: '' }, 1, 1),
  ];

  expect(new Set(ids).size).toBe(ids.length);
});

it('requires every member of an alert and rejects additional ones', () => {
  const alert = anAlert();

  for (const name of Object.keys(alert)) {
    const { [name as keyof typeof alert]: _left, ...rest } = alert;
    expect(Alert.safeParse(rest).success, name).toBe(false);
  }
  expect(Alert.safeParse({ ...alert, more: 1 }).success).toBe(false);
});

it('sorts alerts by time, and alerts of the same time by number', () => {
  const [at, later] = ['2026-01-05T12:00:00.000Z', '2026-01-05T12:00:00.001Z'];
  const inOrder = [
    { at, id: 'ab.1.expired-1767614400000' },
    { at, id: 'ab.1.7' },
    { at, id: 'ab.1.10' },
    { at, id: 'aa.1.11' },
    { at, id: 'aa.1.1000001' },
    { at: later, id: 'ab.1.1' },
  ];

  expect(inOrder.map(alertSortKey).toSorted()).toEqual(inOrder.map(alertSortKey));
  expect(inOrder.map((alert) => alertAt(alertSortKey(alert)))).toEqual(inOrder);
});

it('publishes a JSON Schema of alerts that equals the schema in the code, with a description of each member', () => {
  const file = new URL('../../../../shared/domain/alerting/alert.schema.json', import.meta.url);
  const { title, description, properties, ...published } = JSON.parse(readFileSync(file, 'utf8'));
  const undescribed = Object.entries<{ description: string }>(properties).map(
    ([name, { description: words, ...schema }]) => {
      expect(words, name).toMatch(/\.$/);
      return [name, schema];
    },
  );

  expect([title, typeof description]).toEqual(['Alert', 'string']);
  // The code rejects unknown members of an alert; receivers should ignore them.
  const { additionalProperties, ...reported } = z.toJSONSchema(AlertMessage);
  expect(additionalProperties).toBe(false);
  expect({ ...published, properties: Object.fromEntries(undescribed) }).toEqual(reported);
});
