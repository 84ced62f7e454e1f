import * as z from 'zod';
import { type ArchivedToken, archivedToken, type Token } from '#shared/domain/archive/token.ts';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Page } from '#shared/domain/page.ts';
import type { BatchTable, BulkTable } from './bulk-table.ts';
import { readItem } from './read-item.ts';
import type { Item, Key } from './table.ts';
import {
  type CountTokens,
  createTokenCounter,
  createTraitCountArchive,
  type ReadTraits,
  tokensOf,
} from './trait-count-store.ts';

/**
 * The archive's tokens. Beside each token stands a posting for each of its traits, which names all
 * of them: so a search reads the postings of its rarest trait and no others.
 */
export type TokenStore = {
  /** The tokens that there are, in the order of the ids. */
  readonly getAll: (
    contract: ContractKey,
    ids: readonly bigint[],
  ) => Promise<readonly ArchivedToken[]>;
  /** Steers which postings are read, no more. */
  readonly counts: CountTokens;
  /** Tokens with a trait, in the order of their ids, each with what stands for all its traits. */
  readonly withTrait: (
    contract: ContractKey,
    trait: string,
    page: { readonly after: bigint | undefined; readonly limit: number },
  ) => Promise<Page<Posting, bigint>>;
};

type Posting = Pick<ArchivedToken, 'id' | 'traits'>;

/** An import has a name of its own, which is the same when it is repeated. */
export type TokenArchive = {
  /**
   * Idempotent; the last of two tokens of one id stays. Returns how many were new or different.
   */
  readonly putTokens: (tokens: readonly Token[], importer: string) => Promise<number>;
  /** Brings the counts in line with all that the import has put: once, when it is through. */
  readonly settleCounts: (contracts: ReadonlySet<ContractKey>, importer: string) => Promise<void>;
};

export function createTokenStore(table: BatchTable): TokenStore {
  return {
    getAll: async (contract, ids) => {
      const keys = ids.map((id) => keyOf(contract, id));
      const found = new Map((await table.getAll(keys)).map((item) => [item.sk, item]));
      return ids.flatMap((id, index) => {
        const item = found.get(keys[index]?.sk ?? '');
        return item === undefined ? [] : [fromItem(contract, id, item)];
      });
    },

    counts: createTokenCounter(table),

    withTrait: async (contract, trait, { after, limit }) => {
      const { entries, next } = await table.query({
        pk: partitionOf(contract, trait),
        range: ALL_IDS,
        limit,
        after: after === undefined ? undefined : textOf(after),
      });
      const postings = entries.map((item) => ({
        id: idOf(item.sk),
        traits: readItem('posting', PostingItem, item).traits,
      }));
      return { entries: postings, ...(next === undefined ? {} : { next: idOf(next) }) };
    },
  };
}

export function createTokenArchive(table: BulkTable): TokenArchive {
  const counts = createTraitCountArchive(table, createTraitReader(table));

  const putTokens: TokenArchive['putTokens'] = async (tokens, importer) => {
    const changes = await changesBy(table, tokens);
    const contracts = new Set(changes.map(({ token }) => token.contract));
    // Differences count from what is read after the import is registered.
    if (await counts.register(contracts, importer)) return await putTokens(tokens, importer);
    const postings = changes.flatMap(({ token }) => postingsOf(token));
    const kept = new Set(postings.map(pathOf));
    const dropped = changes
      .flatMap(({ before }) => (before === undefined ? [] : postingsOf(before)))
      .filter((posting) => !kept.has(pathOf(posting)));
    // The token comes last: after a crash before it all of it is repeated.
    await table.deleteAll(dropped);
    await table.putAll(postings);
    await table.putAll(changes.map(({ token }) => toItem(token)));
    for (const { token, before } of changes) {
      counts.note(token.contract, importer, keysIn(before?.traits), keysIn(token.traits));
    }
    return changes.length;
  };

  return { putTokens, settleCounts: counts.settle };
}

type Change = { readonly token: ArchivedToken; readonly before: ArchivedToken | undefined };

/** Of the tokens those that are new or different, the last of each id. */
async function changesBy(table: BatchTable, tokens: readonly Token[]): Promise<readonly Change[]> {
  const newest = new Map(tokens.map((token) => [pathOf(keyOfToken(token)), token]));
  const known = await table.getAll([...newest.values()].map(keyOfToken));
  const before = new Map(known.map((item) => [pathOf(item), item]));
  return [...newest].flatMap(([path, token]) => {
    const item = before.get(path);
    const archived = archivedToken(token);
    const { record, reported } = archived;
    if (item?.record === record && item.reported === reported) return [];
    return [{ token: archived, before: item && fromItem(token.contract, token.id, item) }];
  });
}

/** Another import of the same token may have removed a posting, or put one of its own. */
function createTraitReader(table: BulkTable): ReadTraits {
  return async function* (contract, mendsPostings) {
    let after: string | undefined;
    do {
      const page = { pk: tokensOf(contract), range: ALL_IDS, limit: TOKENS_AT_ONCE, after };
      const { entries, next } = await table.query(page);
      const tokens = entries.map((item) => fromItem(contract, idOf(item.sk), item));
      if (mendsPostings) await mendPostings(table, tokens);
      yield* tokens.map(({ traits }) => keysIn(traits));
      after = next;
    } while (after !== undefined);
  };
}

async function mendPostings(table: BulkTable, tokens: readonly ArchivedToken[]): Promise<void> {
  const postings = tokens.flatMap(postingsOf);
  const known = new Map((await table.getAll(postings)).map((item) => [pathOf(item), item.traits]));
  await table.putAll(postings.filter((item) => known.get(pathOf(item)) !== item.traits));
}

const TOKENS_AT_ONCE = 1000;

const partitionOf = (contract: ContractKey, trait: string) => `TRAIT#${contract}#${trait}`;
const pathOf = ({ pk, sk }: Key) => `${pk} ${sk}`;

/** Ids as texts of one length, so that they sort as numbers do. */
const ID_DIGITS = 64;
const textOf = (id: bigint) => id.toString(16).padStart(ID_DIGITS, '0');
const idOf = (key: string) => BigInt(`0x${key}`);
const ALL_IDS = { from: '0', to: 'g' };

const keyOf = (contract: ContractKey, id: bigint): Key => ({
  pk: tokensOf(contract),
  sk: textOf(id),
});
const keyOfToken = ({ contract, id }: Pick<Token, 'contract' | 'id'>): Key => keyOf(contract, id);

function toItem({ contract, id, ...token }: ArchivedToken): Item {
  return { ...keyOf(contract, id), ...token };
}

function postingsOf({ contract, id, traits }: ArchivedToken): readonly Item[] {
  // As one text, which is cheaper to write than a list; an import is mostly postings.
  return [...keysIn(traits)].map((trait) => ({
    pk: partitionOf(contract, trait),
    sk: textOf(id),
    traits,
  }));
}

function keysIn(traits = ''): ReadonlySet<string> {
  return new Set(traits.split(' ').filter((trait) => trait !== ''));
}

export const TokenItem = z.object({
  traits: z.string(),
  record: z.string(),
  reported: z.string().optional(),
});
export const PostingItem = z.object({ traits: z.string() });

function fromItem(contract: ContractKey, id: bigint, item: Item): ArchivedToken {
  const { reported, ...token } = readItem('token', TokenItem, item);
  return { contract, id, ...token, ...defined({ reported }) };
}
