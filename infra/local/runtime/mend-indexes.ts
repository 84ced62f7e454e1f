import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';

type Item = Readonly<Record<string, AttributeValue>>;
type Keys = { readonly KeySchema: readonly { readonly AttributeName: string }[] };
export type IndexedTable = Keys & {
  readonly LocalSecondaryIndexes?: readonly Index[] | undefined;
  readonly GlobalSecondaryIndexes?: readonly Index[] | undefined;
};
type Index = Keys & { readonly IndexName: string };

/**
 * Makes the indexes of a kept table say what its items say.
 *
 * DynamoDB never leaves them apart, but dynalite writes an item's index entries before the item
 * itself, and a run may have been killed between the two.
 */
export async function mendIndexes(
  dynamodb: DynamoDBClient,
  TableName: string,
  table: IndexedTable,
): Promise<void> {
  const put = (item: Item) => dynamodb.send(new PutItemCommand({ TableName, Item: item }));
  const keyOf = (item: Item): Item => only(item, table);
  const items = new Map<string, Item>();
  for (const item of await scan(dynamodb, { TableName })) items.set(nameOf(keyOf(item)), item);

  const { LocalSecondaryIndexes = [], GlobalSecondaryIndexes = [] } = table;
  for (const index of [...LocalSecondaryIndexes, ...GlobalSecondaryIndexes]) {
    const { IndexName } = index;
    const reported = new Set<string>();
    for (const entry of await scan(dynamodb, { TableName, IndexName })) {
      const key = keyOf(entry);
      const item = items.get(nameOf(key));
      if (item !== undefined && isPartOf(entry, item)) {
        reported.add(nameOf(key));
        continue;
      }
      // The engine takes an entry away with the item that says so.
      await put({ ...item, ...entry });
      await (item === undefined
        ? dynamodb.send(new DeleteItemCommand({ TableName, Key: key }))
        : put(item));
    }
    for (const [name, item] of items) {
      const isIndexed = index.KeySchema.every(({ AttributeName }) => AttributeName in item);
      if (isIndexed && !reported.has(name)) await put(item);
    }
  }
}

async function scan(
  client: DynamoDBClient,
  of: { readonly TableName: string; readonly IndexName?: string },
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client }, of)) found.push(...Items);
  return found;
}

function only(item: Item, { KeySchema }: Keys): Item {
  const names = new Set(KeySchema.map(({ AttributeName }) => AttributeName));
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

const nameOf = (key: Item) => JSON.stringify(Object.entries(key).toSorted());

const isPartOf = (entry: Item, item: Item) =>
  Object.entries(entry).every(([name, value]) => isDeepStrictEqual(item[name], value));
