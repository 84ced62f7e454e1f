import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Actor } from '#shared/domain/access/actor.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import type { ListDocument } from './list-document.ts';
import type { Watchlist } from './watchlist.ts';

/** The actor of changes that a list's wallet makes. */
export function walletActor(address: WalletAddress): Actor {
  return { id: 'wallet', name: address };
}

const Names = z.array(z.string()).readonly();
/** The names of parts of one kind, such as rules, that an edit added, changed or removed. */
const EditedParts = z.lazy(() =>
  z.object({ added: Names, changed: Names, removed: Names }).readonly(),
);
type EditedParts = z.output<typeof EditedParts>;

/** An edit of a list. It has names only, since values may be secrets. */
export const WatchlistEdit = z.lazy(() =>
  z
    .object({
      /** The new name; undefined if it is unchanged. */
      name: z.string().optional(),
      /**
       * The list's wallet, and the number of its collections that are left out; undefined if both
       * are unchanged.
       */
      wallet: z
        .object({ address: WalletAddress.nullable(), leftOut: z.int() })
        .readonly()
        .optional(),
      contracts: EditedParts,
      rules: EditedParts,
      channels: EditedParts,
    })
    .readonly(),
);
export type WatchlistEdit = z.output<typeof WatchlistEdit>;

export const ChangeKind = z.enum([
  'watchlist_created',
  'watchlist_changed',
  'watchlist_deleted',
  'contact_points_changed',
  'mute_made',
  'mute_lifted',
  'alert_acknowledged',
  'channel_tested',
  'channel_confirmed',
  'key_made',
  'key_rotated',
  'key_revoked',
]);
export type ChangeKind = z.output<typeof ChangeKind>;

/** An entry of a tenant's audit log. */
export type Change = {
  readonly tenant: string;
  readonly watchlist: string;
  /** The time of the change, and a number that no other change has. */
  readonly id: string;
  readonly at: Instant;
  readonly by: Actor;
  readonly kind: ChangeKind;
  /** The revision of the list that the change created. */
  readonly revision?: number | undefined;
  readonly edit?: WatchlistEdit | undefined;
  /** The id of the mute, alert, channel or key that the change is about. */
  readonly subject?: string | undefined;
};

/** The document of a list after a change, and the id of the list's previous change. */
export type ChangedDocument = Pick<Change, 'tenant' | 'id' | 'at'> & {
  /** Undefined for a deleted list. */
  readonly document?: ListDocument | undefined;
  /** Undefined for the first change of a list. */
  readonly previous?: Change['id'] | undefined;
};

/** The id of a change. Ids sort by time. */
export function changeId(at: Instant, number: number): string {
  return `${formatInstant(at)}~${number.toString(36)}`;
}

/** The differences between two revisions of a list. */
export function describeEdit(before: Watchlist | undefined, after: Watchlist): WatchlistEdit {
  const known = before?.deleted === false ? before : undefined;
  return {
    name: known?.name === after.name ? undefined : after.name,
    wallet: isDeepStrictEqual(walletIn(known), walletIn(after)) ? undefined : walletIn(after),
    contracts: editedParts(known?.members, after.members, ({ contract }) => contract),
    rules: editedParts(known?.rules, after.rules, ({ id }) => id),
    channels: editedParts(known && channelsOf(known), channelsOf(after), ({ id }) => id),
  };
}

function walletIn(list: Watchlist | undefined) {
  const { address = null, leftOut = 0 } = list?.wallet ?? {};
  return { address, leftOut };
}

/** All channels of a list: contact points that it uses, and its own. */
function channelsOf({ contactPoints, channels }: Watchlist) {
  return [...contactPoints.map((id) => ({ id })), ...channels];
}

function editedParts<Part>(
  before: readonly Part[] = [],
  after: readonly Part[],
  nameOf: (part: Part) => string,
): EditedParts {
  const old = new Map(before.map((part) => [nameOf(part), part]));
  const young = new Map(after.map((part) => [nameOf(part), part]));
  const names = [...young.keys()];
  return {
    added: names.filter((name) => !old.has(name)),
    changed: names.filter(
      (name) => old.has(name) && !isDeepStrictEqual(old.get(name), young.get(name)),
    ),
    removed: [...old.keys()].filter((name) => !young.has(name)),
  };
}
