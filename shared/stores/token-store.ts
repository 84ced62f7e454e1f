import * as z from 'zod';
import {
  type Token,
  type TokenRecord,
  type Trait,
  traitKey,
  traitsOf,
} from '#shared/domain/archive/token.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Page } from '#shared/domain/page.ts';
import type { BulkTable } from './bulk-table.ts';
import { readItem } from './read-item.ts';
import type { Item, Table } from './table.ts';

/**
 * The archive's tokens. Beside each token stands a posting for each of its traits, which names all
 * of them: so a search reads the postings of its rarest trait and no others.
 */
export type TokenStore = {
  readonly get: (contract: ContractKey, id: bigint) => Promise<Token | undefined>;
  /** How many tokens had a trait when they were last counted: which trait is rare, no more. */
  readonly countWith: (contract: ContractKey, trait: Trait) => Promise<number>;
  /** Tokens with a trait, in the order of their ids, each with what stands for all its traits. */
  readonly withTrait: (
    contract: ContractKey,
    trait: Trait,
    page: { readonly after: bigint | undefined; readonly limit: number },
  ) => Promise<Page<Posting, bigint>>;
};

type Posting = { readonly id: bigint; readonly traits: ReadonlySet<string> };

type TokenArchive = {
  /** Idempotent; the last of two tokens of one id stays. */
  readonly putTokens: (tokens: readonly Token[]) => Promise<void>;
  readonly putCounts: (counts: readonly TraitCount[]) => Promise<void>;
};

type TraitCount = {
  readonly contract: ContractKey;
  readonly trait: Trait;
  readonly count: number;
};

export function createTokenStore(table: Table): TokenStore {
  return {
    get: async (contract, id) => {
      const item = await table.get({ pk: tokensOf(contract), sk: keyOf(id) });
      return item === undefined ? undefined : fromItem(contract, item);
    },

    countWith: async (contract, trait) => {
      const item = await table.get({ pk: postingsOf(contract, trait), sk: COUNT });
      return item === undefined ? 0 : readItem(CountItem, item).count;
    },

    withTrait: async (contract, trait, { after, limit }) => {
      const { entries, next } = await table.query({
        pk: postingsOf(contract, trait),
        range: ALL_IDS,
        limit,
        after: after === undefined ? undefined : keyOf(after),
      });
      const postings = entries.map((item) => ({
        id: idOf(item.sk),
        traits: new Set(readItem(PostingItem, item).traits),
      }));
      return { entries: postings, ...(next === undefined ? {} : { next: idOf(next) }) };
    },
  };
}

export function createTokenArchive(table: BulkTable): TokenArchive {
  return {
    putTokens: async (tokens) => {
      const newest = new Map(tokens.map((token) => [`${token.contract} ${token.id}`, token]));
      const items = [...newest.values()].map((token) => ({ token, item: toItem(token) }));
      const known = await table.getAll(items.map(({ item: { pk, sk } }) => ({ pk, sk })));
      const before = new Map(known.map((item) => [`${item.pk} ${item.sk}`, item]));
      const changed = items.filter(
        ({ item }) => before.get(`${item.pk} ${item.sk}`)?.record !== item.record,
      );
      const dropped = changed.flatMap(({ token, item }) => {
        const old = before.get(`${item.pk} ${item.sk}`);
        if (old === undefined) return [];
        const kept = new Set(postingsFor(token).map(({ pk }) => pk));
        const had = postingsFor(fromItem(token.contract, old));
        return had.filter(({ pk }) => !kept.has(pk)).map(({ pk, sk }) => ({ pk, sk }));
      });
      // The token comes last: whoever dies before it does all of it again.
      await table.deleteAll(dropped);
      await table.putAll(changed.flatMap(({ token }) => postingsFor(token)));
      await table.putAll(changed.map(({ item }) => item));
    },

    putCounts: async (counts) => {
      const items = counts.map(({ contract, trait, count }) => ({
        pk: postingsOf(contract, trait),
        sk: COUNT,
        count,
      }));
      await table.putAll(items);
    },
  };
}

const tokensOf = (contract: ContractKey) => `TOKENS#${contract}`;
const postingsOf = (contract: ContractKey, trait: Trait) => `TRAIT#${contract}#${traitKey(trait)}`;

/** Ids as texts of one length, so that they sort as numbers do. */
const ID_DIGITS = 64;
const keyOf = (id: bigint) => id.toString(16).padStart(ID_DIGITS, '0');
const idOf = (key: string) => BigInt(`0x${key}`);
const ALL_IDS = { from: '0', to: 'g' };
/** Stands before all ids. */
const COUNT = '#COUNT';

function toItem({ contract, id, record }: Token) {
  return { pk: tokensOf(contract), sk: keyOf(id), record: JSON.stringify(record) };
}

function postingsFor({ contract, id, record }: Token): readonly Item[] {
  const traits = new Map(traitsOf(record).map((trait) => [traitKey(trait), trait]));
  const all = [...traits.keys()];
  return [...traits.values()].map((trait) => ({
    pk: postingsOf(contract, trait),
    sk: keyOf(id),
    traits: all,
  }));
}

const TokenItem = z.object({ record: JsonText.pipe(z.record(z.string(), z.unknown())) });
const PostingItem = z.object({ traits: z.array(z.string()) });
const CountItem = z.object({ count: z.number() });

function fromItem(contract: ContractKey, item: Item): Token {
  const record: TokenRecord = readItem(TokenItem, item).record;
  return { contract, id: idOf(item.sk), record };
}
