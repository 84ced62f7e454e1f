import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { omit } from '#shared/domain/omit.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { type ItemKind, NEWEST_SHAPES } from '#shared/stores/item-kinds.ts';
import { ListRule } from '#shared/stores/watchlist-store.ts';
import type { ItemsByKind } from './items-of-today.ts';
import { ITEM_KINDS, KINDS } from './kinds.ts';

/**
 * The frozen data of a release: items as its code wrote them, and the schemas that its code reads.
 */
export type Goldens = {
  readonly version: string;
  readonly items: ItemsByKind;
  readonly schemas: SchemasByKind;
};

type SchemasByKind = Readonly<Partial<Record<ItemKind, object>>>;

const FOLDER = import.meta.dirname;

/** The frozen data of all releases in this folder, the newest last. */
export function frozenReleases(): readonly Goldens[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((version) => ({
      version,
      items: read(version, 'items.json'),
      schemas: read(version, 'schemas.json'),
    }));
}

export function folderOf(version: string): string {
  return join(FOLDER, version);
}

function read(version: string, name: string) {
  const file = join(folderOf(version), name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** The attributes of the key and those that stores derive; code of any version accepts them. */
const OF_THE_TABLE = [
  'pk',
  'sk',
  'ttl',
  'dueShard',
  'dueAt',
  'falling',
  'rising',
  'wakes',
  'version',
];

/** The JSON Schemas that today's code reads. The schemas allow unknown members. */
export function schemasOfToday(): Readonly<Record<ItemKind, object>> {
  return Object.fromEntries(ITEM_KINDS.map((kind) => [kind, schemaOf(kind, false)])) as Record<
    ItemKind,
    object
  >;
}

/** The JSON Schema of one kind; the strict form allows no unknown members. */
export function schemaOf(kind: ItemKind, isStrict: boolean): object {
  const { properties, required, ...schema } = Schema.parse(
    z.toJSONSchema(KINDS[kind].schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        // The schema of a list accepts any object as a rule, because code then parses it like a
        // rule in a request.
        if (zodSchema === ListRule) Object.assign(jsonSchema, ruleSchema(jsonSchema));
        const isObject = jsonSchema.properties !== undefined;
        if (isStrict && isObject) jsonSchema.additionalProperties ??= false;
      },
    }),
  );
  const others = omit(properties, 'contract');
  const own = kind === 'contract' ? others : properties;
  return {
    ...schema,
    ...(isStrict ? { additionalProperties: false } : {}),
    properties: {
      ...Object.fromEntries(OF_THE_TABLE.map((name) => [name, {}])),
      ...own,
      v: { type: 'integer', minimum: 1, maximum: NEWEST_SHAPES[kind] },
    },
    required: required.filter((name) => name in own),
  };
}

function ruleSchema(kept: { readonly properties?: object }): object {
  const {
    $schema: _,
    properties,
    ...rule
  } = Schema.parse(z.toJSONSchema(AlertRule, { io: 'input', unrepresentable: 'any' }));
  return { ...rule, properties: { ...properties, ...kept.properties } };
}

const Schema = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});
