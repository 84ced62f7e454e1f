import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import {
  AskingRefusal,
  type GoodAnswer,
  type KnownAnswer,
} from '#shared/domain/nft-data/known-answer.ts';
import { readItem } from './read-item.ts';
import type { Table } from './table.ts';

/** Cached answers of the upstream, by the id of the query. */
export type AnswerStore = {
  readonly get: (id: string) => Promise<KnownAnswer | undefined>;
  /** Writes the record if the stored version is unchanged; returns it with its new version. */
  readonly put: (id: string, known: KnownAnswer) => Promise<KnownAnswer>;
};

/** Compresses texts. */
export type TextPacker = {
  readonly pack: (text: string) => Promise<string>;
  readonly unpack: (packed: string) => Promise<string>;
};

/** DynamoDB limits an item to 400 kB. */
const MAX_PACKED_LENGTH = 380 * 1000;
/** An answer can serve as a fallback for a day. */
const KEPT_FOR = 2 * DAY;

export function createAnswerStore(table: Table, { pack, unpack }: TextPacker): AnswerStore {
  /**
   * The packed bodies of the answers that were read from the table, so that an unchanged answer is
   * not packed again.
   */
  const packedBodies = new WeakMap<GoodAnswer, string>();

  const toItem = async ({ at, reported }: GoodAnswer, packed?: string) =>
    reported.kind === 'empty' ? { at } : { at, body: packed ?? (await pack(reported.body)) };

  const fromItem = async ({ at, body }: z.output<typeof PackedAnswer>): Promise<GoodAnswer> => {
    if (body === undefined) return { at, reported: { kind: 'empty' } };
    const good: GoodAnswer = { at, reported: { kind: 'ok', body: await unpack(body) } };
    packedBodies.set(good, body);
    return good;
  };

  return {
    get: async (id) => {
      const item = await table.get(keyOf(id));
      if (item === undefined) return undefined;
      const { good, ...known } = readItem('answer', AnswerItem, item);
      return { ...known, ...(good === undefined ? {} : { good: await fromItem(good) }) };
    },

    put: async (id, known) => {
      const { good, ...rest } = { ...known, version: known.version + 1 };
      const packed = good && (await toItem(good, packedBodies.get(good)));
      const kept =
        (packed?.body?.length ?? 0) > MAX_PACKED_LENGTH
          ? { isTooLarge: true }
          : { ...defined({ good: packed }) };
      const newest = Math.max(good?.at ?? 0, rest.refused?.at ?? 0, rest.askedUntil ?? 0);
      const ttl = Math.ceil((newest + KEPT_FOR) / SECOND);
      await table.put({ ...keyOf(id), ...rest, ...kept, ttl }, known.version);
      if (good !== undefined && packed?.body !== undefined) packedBodies.set(good, packed.body);
      return { ...known, version: rest.version };
    },
  };
}

const keyOf = (id: string) => ({ pk: `ANSWER#${id}`, sk: 'ANSWER' });

/** A stored answer without a body is an empty answer. */
const PackedAnswer = z.lazy(() => z.object({ at: z.number(), body: z.string().exactOptional() }));

export const AnswerItem = z.lazy(() =>
  z.object({
    version: z.int(),
    askedUntil: z.number().exactOptional(),
    good: PackedAnswer.exactOptional(),
    isTooLarge: z.literal(true).exactOptional(),
    refused: z.object({ at: z.number(), refusal: AskingRefusal }).exactOptional(),
  }),
);
