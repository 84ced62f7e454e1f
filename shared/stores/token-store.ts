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
import type { Item, Key, Table } from './table.ts';

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

export type TokenArchive = {
  /**
   * Idempotent; the last of two tokens of one id stays. Tells how many were not there, or told
   * otherwise.
   */
  readonly putTokens: (tokens: readonly Token[]) => Promise<number>;
  readonly putCounts: (counts: readonly TraitCount[]) => Promise<void>;
};

type TraitCount = {
  readonly contract: ContractKey;
  /** What stands for the trait, as `traitKey` tells it. */
  readonly trait: string;
  readonly count: number;
};

export function createTokenStore(table: Table): TokenStore {
  return {
    get: async (contract, id) => {
      const item = await table.get({ pk: tokensOf(contract), sk: keyOf(id) });
      return item === undefined ? undefined : fromItem(contract, item);
    },

    countWith: async (contract, trait) => {
      const item = await table.get({ pk: partitionOf(contract, traitKey(trait)), sk: COUNT });
      return item === undefined ? 0 : readItem(CountItem, item).count;
    },

    withTrait: async (contract, trait, { after, limit }) => {
      const { entries, next } = await table.query({
        pk: partitionOf(contract, traitKey(trait)),
        range: ALL_IDS,
        limit,
        after: after === undefined ? undefined : keyOf(after),
      });
      const postings = entries.map((item) => ({
        id: idOf(item.sk),
        traits: readItem(PostingItem, item).traits,
      }));
      return { entries: postings, ...(next === undefined ? {} : { next: idOf(next) }) };
    },
  };
}

export function createTokenArchive(table: BulkTable): TokenArchive {
  return {
    putTokens: async (tokens) => {
      const newest = new Map(tokens.map((token) => [pathOf(keyOfToken(token)), token]));
      const known = await table.getAll([...newest.values()].map(keyOfToken));
      const before = new Map(known.map((item) => [pathOf(item), item]));
      const changed = [...newest].filter(
        ([path, token]) => before.get(path)?.record !== toItem(token).record,
      );
      const postings = changed.flatMap(([, token]) => postingsOf(token));
      const kept = new Set(postings.map(pathOf));
      const dropped = changed.flatMap(([path, { contract }]) => {
        const item = before.get(path);
        const had = item === undefined ? [] : postingsOf(fromItem(contract, item));
        return had.filter((posting) => !kept.has(pathOf(posting)));
      });
      // The token comes last: whoever dies before it does all of it again.
      await table.deleteAll(dropped);
      await table.putAll(postings);
      await table.putAll(changed.map(([, token]) => toItem(token)));
      return changed.length;
    },

    putCounts: async (counts) => {
      const items = counts.map(({ contract, trait, count }) => ({
        pk: partitionOf(contract, trait),
        sk: COUNT,
        count,
      }));
      await table.putAll(items);
    },
  };
}

const tokensOf = (contract: ContractKey) => `TOKENS#${contract}`;
const partitionOf = (contract: ContractKey, trait: string) => `TRAIT#${contract}#${trait}`;
const pathOf = ({ pk, sk }: Key) => `${pk} ${sk}`;

/** Ids as texts of one length, so that they sort as numbers do. */
const ID_DIGITS = 64;
const keyOf = (id: bigint) => id.toString(16).padStart(ID_DIGITS, '0');
const idOf = (key: string) => BigInt(`0x${key}`);
const ALL_IDS = { from: '0', to: 'g' };
/** Stands before all ids. */
const COUNT = '#COUNT';

const keyOfToken = ({ contract, id }: Token): Key => ({ pk: tokensOf(contract), sk: keyOf(id) });

function toItem(token: Token) {
  return { ...keyOfToken(token), record: JSON.stringify(token.record) };
}

function postingsOf({ contract, id, record }: Token): readonly Item[] {
  const traits = [...new Set(traitsOf(record).map(traitKey))];
  // As one text, which is cheaper to write than a list; an import is mostly postings.
  const all = traits.join(' ');
  return traits.map((trait) => ({ pk: partitionOf(contract, trait), sk: keyOf(id), traits: all }));
}

const TokenItem = z.object({ record: JsonText.pipe(z.record(z.string(), z.unknown())) });
const PostingItem = z.object({
  traits: z.string().transform((text): ReadonlySet<string> => new Set(text.split(' '))),
});
const CountItem = z.object({ count: z.number() });

function fromItem(contract: ContractKey, item: Item): Token {
  const record: TokenRecord = readItem(TokenItem, item).record;
  return { contract, id: idOf(item.sk), record };
}
