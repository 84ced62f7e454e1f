import * as z from 'zod';
import { type ArchivedToken, archivedToken, type Token } from '#shared/domain/archive/token.ts';
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
 * The tokens of the archive. Each trait of a token has a posting, which lists all traits of the
 * token. A search therefore reads only the postings of its rarest trait.
 */
export type TokenStore = {
  /** The tokens that exist, in the order of the ids. */
  readonly getAll: (
    contract: ContractKey,
    ids: readonly bigint[],
  ) => Promise<readonly ArchivedToken[]>;
  /** The number of tokens with each trait. A search uses it to choose the postings to read. */
  readonly counts: CountTokens;
  /** Tokens with a trait in the order of their ids, each with all its traits. */
  readonly withTrait: (
    contract: ContractKey,
    trait: string,
    page: { readonly after: bigint | undefined; readonly limit: number },
  ) => Promise<Page<Posting, bigint>>;
};

type Posting = Pick<ArchivedToken, 'id' | 'traits'>;

/** Writes tokens. `importer` is the name of an import; a repeated import has the same name. */
export type TokenArchive = {
  /**
   * Idempotent. If two tokens have the same id, the last one is stored. Returns the number of new
   * or different tokens.
   */
  readonly putTokens: (tokens: readonly Token[], importer: string) => Promise<number>;
  /** Updates the counts with all tokens that the import has written. Called once, at its end. */
  readonly settleCounts: (contracts: ReadonlySet<ContractKey>, importer: string) => Promise<void>;
};

export function createTokenStore(table: BatchTable): TokenStore {
  return {
    getAll: async (contract, ids) => {
      const pk = tokensOf(contract);
      const keys = ids.map((id) => ({ pk, sk: textOf(id) }));
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
    // Differences are counted only against tokens that are read after the registration of the
    // import.
    if (await counts.register(contracts, importer)) return await putTokens(tokens, importer);
    const postings = changes.flatMap(({ token }) => postingsOf(token));
    const kept = new Set(postings.map(pathOf));
    const dropped = changes
      .flatMap(({ before }) => (before === undefined ? [] : postingsOf(before)))
      .filter((posting) => !kept.has(pathOf(posting)));
    // The tokens are written last, so a repetition after a crash writes everything again.
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

/** The new and different tokens. If several tokens have the same id, only the last one counts. */
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

/**
 * Reads the traits of a contract's tokens. With `mendsPostings` it first repairs the postings,
 * because a concurrent import of the same token may have removed or added postings.
 */
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

/** Ids are texts of equal length, so that they sort as numbers. */
const ID_DIGITS = 64;
// Texts made by `padStart` are three times as slow to look up in a map.
const ZEROS = '0'.repeat(ID_DIGITS);
const textOf = (id: bigint) => `${ZEROS}${id.toString(16)}`.slice(-ID_DIGITS);
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
  // Traits are one text, which is cheaper to write than a list. Most items of an import are
  // postings.
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
  reported: z.string().exactOptional(),
});
export const PostingItem = z.object({ traits: z.string() });

function fromItem(contract: ContractKey, id: bigint, item: Item): ArchivedToken {
  return { contract, id, ...readItem('token', TokenItem, item) };
}
