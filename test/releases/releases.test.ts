import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { NEWEST_SHAPES } from '#shared/stores/item-kinds.ts';
import type { Item } from '#shared/stores/table.ts';
import { frozenReleases, schemaOf } from './goldens.ts';
import { itemsOfToday } from './items-of-today.ts';
import { ITEM_KINDS, KINDS, kindsOf } from './kinds.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

/** The violations of a schema by items. */
function breachesOf(schema: object, items: readonly Item[]): readonly string[] {
  const validate = ajv.compile(schema);
  return items.flatMap((item) => (validate(item) ? [] : [ajv.errorsText(validate.errors)]));
}

const releases = frozenReleases();
const today = await itemsOfToday();
/** See the README of this folder before freezing again. */
const WHAT_NOW = 'the last release cannot read what is written today';

describe.each(releases)('items of release $version', ({ items }) => {
  it.each(ITEM_KINDS)("today's code reads items of kind %s from an earlier release", (kind) => {
    const { read } = KINDS[kind];
    const written = items[kind] ?? [];

    for (const item of written) expect(() => read(item)).not.toThrow();
    // Today's code would ignore a member that it no longer has.
    expect(breachesOf(schemaOf(kind, true), written)).toEqual([]);
  });
});

describe("items of today's code", () => {
  const last = releases.at(-1);

  it('a frozen release exists, to which a stack can be rolled back', () => {
    expect(Object.keys(last?.schemas ?? {})).not.toEqual([]);
  });

  it.each(ITEM_KINDS)("the last release reads today's items of kind %s", (kind) => {
    const schema = last?.schemas[kind];
    const breaches = schema === undefined ? [] : breachesOf(schema, today[kind] ?? []);

    expect(breaches, WHAT_NOW).toEqual([]);
  });

  it.each(ITEM_KINDS)("today's items of kind %s have every possible attribute", (kind) => {
    const items = today[kind] ?? [];
    const { properties } = schemaOf(kind, false) as { properties: object };
    const written = new Set(items.flatMap((item) => Object.keys(item)));
    const missing = new Set(Object.keys(properties)).difference(written);

    expect([...missing].filter((name) => !MAKES.has(name))).toEqual([]);
  });

  it.each(ITEM_KINDS)('the key of an item of kind %s matches only that kind', (kind) => {
    const items = today[kind] ?? [];

    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(kindsOf(item)).toEqual([kind]);
  });
});

/** Attributes that a store may derive. */
const MAKES = new Set(['ttl', 'dueShard', 'dueAt', 'falling', 'rising', 'wakes', 'version', 'v']);

describe('an item with a newer shape', () => {
  it.each(ITEM_KINDS)('rejects a newer shape of an item of kind %s with a reason', (kind) => {
    const [item] = today[kind] ?? [];
    const newer = { pk: '', sk: '', ...item, v: NEWEST_SHAPES[kind] + 1 };

    expect(() => KINDS[kind].read(newer)).toThrow(UnreadableError);
    expect(() => KINDS[kind].read(newer)).toThrow(
      `${newer.pk} ${newer.sk} cannot be read: shape ${newer.v}, which this version does not support (newest supported:`,
    );
  });
});
