import * as z from 'zod';
import { Actor } from '#shared/domain/access/actor.ts';
import {
  type Acknowledgement,
  type EpisodeId,
  Silences,
} from '#shared/domain/alerting/acknowledgement.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { carriedFrom } from '#shared/domain/unknown-attributes.ts';
import type { ReadSome } from '#shared/domain/unreadable.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table, type Write } from './table.ts';

/** Acknowledgements, one item for each acknowledged episode. */
export type AcknowledgementStore = {
  readonly get: (episode: EpisodeId) => Promise<Acknowledgement | undefined>;
  readonly ofList: (list: WatchlistId) => Promise<ReadSome<Acknowledgement>>;
};

/** Retention in days, the same as that of alerts. */
const KEPT_DAYS = 400;

export function createAcknowledgementStore(table: Table): AcknowledgementStore {
  return {
    get: async (episode) => {
      const item = await table.get(keyOf(episode));
      return item === undefined ? undefined : fromItem(item);
    },

    ofList: async ({ tenant, id }) => {
      const range = beginningWith(`ACK#${id}#`);
      const items = await queryAll(table, `TENANT#${tenant}`, range);
      return readEach(items, fromItem, ({ sk }, reason) => ({
        kind: 'acknowledgement',
        id: sk.slice(range.from.length),
        reason,
      }));
    },
  };
}

/** The write that replaces the acknowledgement `before`, or creates the first one. */
export function writeOfAcknowledgement(
  acknowledgement: Acknowledgement,
  before: Acknowledgement | undefined,
): Write {
  const { at, by, silences, note } = acknowledgement;
  const put = {
    ...carriedFrom(acknowledgement),
    ...keyOf(acknowledgement),
    ...{ at, by, silences, note },
    ttl: Math.floor((at + KEPT_DAYS * DAY) / 1000),
    // Timestamps serve as versions: each acknowledgement of an episode is later than the previous
    // one.
    version: at,
  };
  return { put, version: before?.at ?? 0 };
}

export const AcknowledgementItem = z.lazy(() =>
  z.object({
    at: z.int(),
    by: Actor.optional(),
    silences: Silences.default('reminders'),
    note: z.string().optional(),
  }),
);

function fromItem(item: Item): Acknowledgement {
  const [, list = '', contract, rule = '', generation, episode] = item.sk.split('#');
  return {
    tenant: item.pk.slice('TENANT#'.length),
    list,
    rule,
    contract: ContractKey.parse(contract),
    generation: Number(generation),
    episode: Number(episode),
    by: undefined,
    ...readItem('acknowledgement', AcknowledgementItem, item),
  };
}

function keyOf({ tenant, list, contract, rule, generation, episode }: EpisodeId): Key {
  return {
    pk: `TENANT#${tenant}`,
    sk: `ACK#${list}#${contract}#${rule}#${generation}#${episode}`,
  };
}
