import type * as z from 'zod';
import { Collection } from '#shared/domain/market/collection.ts';
import { EncodedContract } from '#shared/domain/polling/contract-codec.ts';
import { AcknowledgementItem } from '#shared/stores/acknowledgement-store.ts';
import { AddressItem } from '#shared/stores/address-store.ts';
import { AlertItem } from '#shared/stores/alert-store.ts';
import { AnswerItem } from '#shared/stores/answer-store.ts';
import { ApiKeyItem, TenantKeysItem } from '#shared/stores/api-key-store.ts';
import { CadencesItem } from '#shared/stores/cadence-store.ts';
import { ChangeItem, DocumentItem } from '#shared/stores/change-store.ts';
import { ChannelItem } from '#shared/stores/channel-store.ts';
import { readContract } from '#shared/stores/contract-store.ts';
import { CursorsItem } from '#shared/stores/due-store.ts';
import { HistoryItem } from '#shared/stores/history-store.ts';
import { ImportItem } from '#shared/stores/import-store.ts';
import { InboxItem, MutedItem } from '#shared/stores/inbox-store.ts';
import type { ItemKind } from '#shared/stores/item-kinds.ts';
import { AppliedItem, JobItem } from '#shared/stores/job-store.ts';
import { KeyedRequestItem } from '#shared/stores/keyed-request-store.ts';
import { ListTopicsItem } from '#shared/stores/list-topic-store.ts';
import { MutesItem } from '#shared/stores/mute-store.ts';
import { OutcomeItem } from '#shared/stores/outcome-item.ts';
import { ProgressItem } from '#shared/stores/poll-progress-store.ts';
import { PostIntentItem } from '#shared/stores/post-intent-store.ts';
import { QuotaUsageItem } from '#shared/stores/quota-usage-store.ts';
import { RateLimiterItem, readRateLimiter } from '#shared/stores/rate-limiter-store.ts';
import { readItem } from '#shared/stores/read-item.ts';
import type { Item } from '#shared/stores/table.ts';
import { PostingItem, TokenItem } from '#shared/stores/token-store.ts';
import { DayItem, SpanItem, TradeItem } from '#shared/stores/trade-store.ts';
import { CountItem, RegisterItem } from '#shared/stores/trait-count-store.ts';
import { UsageItem } from '#shared/stores/usage-store.ts';
import { WatchItem } from '#shared/stores/watch-store.ts';
import { WatchlistItem } from '#shared/stores/watchlist-store.ts';

/** How to identify and read the items of a kind. */
type Kind = {
  /** A pattern for the key, `<pk> <sk>`. */
  readonly key: RegExp;
  readonly schema: z.ZodType;
  readonly read: (item: Item) => object;
};

type ItemSchema = Parameters<typeof readItem>[1];

/** All kinds of items; a new one does not compile without an entry. */
export const KINDS: Readonly<Record<ItemKind, Kind>> = {
  contract: { key: /^CONTRACTS#\d+ /, schema: EncodedContract, read: readContract },
  collection: kind('collection', /^COLLECTION#\S+ COLLECTION$/, Collection),
  price: kind('price', /^HISTORY#\S+ [\w.]+#[HD]#/, HistoryItem),
  watch: kind('watch', /^WATCHES#/, WatchItem),
  watchlist: kind('watchlist', /^TENANT#\S+ LIST#/, WatchlistItem),
  acknowledgement: kind('acknowledgement', /^TENANT#\S+ ACK#/, AcknowledgementItem),
  mutes: kind('mutes', /^TENANT#\S+ MUTES#/, MutesItem),
  askedAddress: kind('askedAddress', /^TENANT#\S+ ADDRESS#/, AddressItem),
  listTopics: kind('listTopics', /^TENANT#\S+ TOPICS#/, ListTopicsItem),
  change: kind('change', /^CHANGES#\S+ CHANGE#/, ChangeItem),
  changedDocument: kind('changedDocument', /^CHANGES#\S+ DOCUMENT#/, DocumentItem),
  quotaUsage: kind('quotaUsage', /^TENANT#\S+ QUOTA$/, QuotaUsageItem),
  channel: kind('channel', /^(TENANT#\S+|STACK) CHANNEL#/, ChannelItem),
  inboxEntry: kind('inboxEntry', /^INBOX#\S+ [^~]/, InboxItem),
  mutedEntry: kind('mutedEntry', /^INBOX#\S+ ~/, MutedItem),
  postIntent: kind('postIntent', /^INTENT#\S+ INTENT$/, PostIntentItem),
  job: kind('job', /^JOBS#\S+ (?!applied#)/, JobItem),
  applied: kind('applied', /^JOBS#\S+ applied#/, AppliedItem),
  alert: kind('alert', /^LIST#\S+ ALERT#/, AlertItem),
  outcome: kind('outcome', /^LIST#\S+ OUTCOME#/, OutcomeItem),
  apiKey: kind('apiKey', /^KEYS [0-9a-f]{64}$/, ApiKeyItem),
  tenantKeys: kind('tenantKeys', /^KEYS tenant#/, TenantKeysItem),
  answer: kind('answer', /^ANSWER#\S+ ANSWER$/, AnswerItem),
  keyedRequest: kind('keyedRequest', /^IDEMPOTENCY#\S+ IDEMPOTENCY$/, KeyedRequestItem),
  usage: kind('usage', /^USAGE#/, UsageItem),
  token: kind('token', /^TOKENS#\S+ [0-9a-f]{64}$/, TokenItem),
  traitCount: kind('traitCount', /^TOKENS#\S+ #COUNT#/, CountItem),
  importRegister: kind('importRegister', /^TOKENS#\S+ #IMPORTS$/, RegisterItem),
  posting: kind('posting', /^TRAIT#/, PostingItem),
  trade: kind('trade', /^TRADES#\S+ TRADE#/, TradeItem),
  lowsOfDay: kind('lowsOfDay', /^TRADES#\S+ LOWS#/, DayItem),
  saleSpan: kind('saleSpan', /^TRADES#\S+ SPAN#/, SpanItem),
  import: kind('import', /^IMPORT#\S+ IMPORT$/, ImportItem),
  rateLimiter: { key: /^UPSTREAM RATE_LIMITER#/, schema: RateLimiterItem, read: readRateLimiter },
  cadences: kind('cadences', /^UPSTREAM CADENCES$/, CadencesItem),
  dueCursors: kind('dueCursors', /^DISPATCH#0 CURSORS$/, CursorsItem),
  pollProgress: kind('pollProgress', /^DISPATCH#0 PROGRESS$/, ProgressItem),
};

function kind(name: ItemKind, key: RegExp, schema: ItemSchema): Kind {
  return { key, schema, read: (item) => readItem(name, schema, item) };
}

/** All kinds that match the key of an item; there must be exactly one. */
export function kindsOf({ pk, sk }: Item): readonly ItemKind[] {
  return ITEM_KINDS.filter((name) => KINDS[name].key.test(`${pk} ${sk}`));
}

export const ITEM_KINDS = Object.keys(KINDS) as readonly ItemKind[];
