import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { type Part, STATISTICS } from '#shared/domain/market/price-series.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { NEWEST_SHAPES } from '#shared/stores/item-kinds.ts';
import type { Item } from '#shared/stores/table.ts';
import { frozenReleases, schemaOf } from './goldens.ts';
import { itemsOfToday } from './items-of-today.ts';
import { ITEM_KINDS, KINDS, kindsOf } from './kinds.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

/** How items break a schema; nothing where none does. */
function breachesOf(schema: object, items: readonly Item[]): readonly string[] {
  const validate = ajv.compile(schema);
  return items.flatMap((item) => (validate(item) ? [] : [ajv.errorsText(validate.errors)]));
}

/**
 * Kinds of channel that the last release does not have. It cannot read a list with such a channel,
 * so CHANGELOG.md says that they are to be removed before a stage goes back.
 */
const NEW_CHANNELS: readonly unknown[] = ['push'];

function withoutNewChannels(item: Item): Item {
  const { channels } = item;
  if (!Array.isArray(channels)) return item;
  return { ...item, channels: channels.filter(({ kind }) => !NEW_CHANNELS.includes(kind)) };
}

const NEW_SERIES: readonly Part[] = [...STATISTICS, 'offer'];

/** Likewise rules on series that the last release does not poll: their answers are in the steps. */
function withoutNewSeries(item: Item): Item {
  const { steps } = item;
  if (!Array.isArray(steps)) return item;
  const isOld = ([part]: [string, unknown]) => !NEW_SERIES.some((name) => name === part);
  return {
    ...item,
    steps: steps.map(({ answers, ...step }) => ({
      ...step,
      answers: Object.fromEntries(Object.entries(answers).filter(isOld)),
    })),
  };
}

const releases = frozenReleases();
const today = await itemsOfToday();
/** See the README of this folder before you freeze anew. */
const WHAT_NOW = 'the last release cannot read what is written today';

describe.each(releases)('what $version has written', ({ items }) => {
  it.each(ITEM_KINDS)('is read: %s', (kind) => {
    const { read } = KINDS[kind];
    const written = items[kind] ?? [];

    for (const item of written) expect(() => read(item)).not.toThrow();
    // A member that is not known any more would be read as if it had not been there.
    expect(breachesOf(schemaOf(kind, true), written)).toEqual([]);
  });
});

describe('what is written today', () => {
  const last = releases.at(-1);

  it('can be gone back from: a release is frozen', () => {
    expect(Object.keys(last?.schemas ?? {})).not.toEqual([]);
  });

  it.each(ITEM_KINDS)('is read by the last release: %s', (kind) => {
    const schema = last?.schemas[kind];
    const items = (today[kind] ?? []).map(withoutNewChannels).map(withoutNewSeries);
    const breaches = schema === undefined ? [] : breachesOf(schema, items);

    expect(breaches, WHAT_NOW).toEqual([]);
  });

  it.each(ITEM_KINDS)('has each attribute that there is: %s', (kind) => {
    const items = today[kind] ?? [];
    const { properties } = schemaOf(kind, false) as { properties: object };
    const written = new Set(items.flatMap((item) => Object.keys(item)));
    const missing = new Set(Object.keys(properties)).difference(written);

    expect([...missing].filter((name) => !MAKES.has(name))).toEqual([]);
  });

  it.each(ITEM_KINDS)('is of one kind by its key: %s', (kind) => {
    const items = today[kind] ?? [];

    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(kindsOf(item)).toEqual([kind]);
  });
});

/** What a store may or may not make of an item's attributes. */
const MAKES = new Set(['ttl', 'dueShard', 'dueAt', 'falling', 'rising', 'wakes', 'version', 'v']);

describe('an item of a newer shape', () => {
  it.each(ITEM_KINDS)('is refused, with the reason: %s', (kind) => {
    const [item] = today[kind] ?? [];
    const newer = { pk: '', sk: '', ...item, v: NEWEST_SHAPES[kind] + 1 };

    expect(() => KINDS[kind].read(newer)).toThrow(UnreadableError);
    expect(() => KINDS[kind].read(newer)).toThrow(
      `${newer.pk} ${newer.sk} cannot be read: shape ${newer.v}, of which this version knows none above`,
    );
  });
});
