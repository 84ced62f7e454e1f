import type { Actor } from '#shared/domain/access/actor.ts';
import { type Acknowledgement, isOfEpisode } from '#shared/domain/alerting/acknowledgement.ts';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import {
  type AlertRecord,
  alertPath,
  type Delivery,
} from '#shared/domain/channels/alert-record.ts';
import { channelOf } from '#shared/domain/channels/destination-id.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import type { Change, WatchlistEdit } from '#shared/domain/watchlists/change.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import { contractsView, documentOf } from '#shared/domain/watchlists/list-document.ts';
import type { Mute } from '#shared/domain/watchlists/mute.ts';
import type { ListWallet } from '#shared/domain/watchlists/wallet-members.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';

/** A watchlist as its owner reads it. */
export function watchlistView(list: Watchlist) {
  const { id, revision, wallet } = list;
  return {
    ...documentOf(list),
    id,
    revision,
    contracts: contractsView(list.members),
    /** What became of its wallet; null without one. */
    walletStatus: wallet === undefined ? null : walletStatusView(wallet),
  };
}

function walletStatusView({ isPending, leftOut }: ListWallet) {
  return { pending: isPending, leftOut };
}

/** A mute as its owner reads it. */
export function muteView({ id, by, from, until, rule, contract, severity, reason }: Mute) {
  return {
    id,
    by: by === undefined ? null : actorView(by),
    from: formatInstant(from),
    until: formatInstant(until),
    rule: rule ?? null,
    contract: contract ?? null,
    severity: severity ?? null,
    reason: reason ?? null,
  };
}

export function acknowledgementView(acknowledgement: Acknowledgement | undefined) {
  if (acknowledgement === undefined) return null;
  const { at, by, silences, note = null } = acknowledgement;
  return { at: formatInstant(at), by: by === undefined ? null : actorView(by), silences, note };
}

/** Who made a change. */
function actorView({ id, name }: Actor) {
  return { key: id, name };
}

/** A change as the audit log reports it. */
export function changeView({ id, at, by, watchlist, kind, revision, edit, subject }: Change) {
  return {
    id,
    at: formatInstant(at),
    by: actorView(by),
    watchlist: isOfContactPoints({ id: watchlist }) ? null : watchlist,
    kind,
    revision: revision ?? null,
    edit: edit === undefined ? null : editView(edit),
    subject: subject ?? null,
  };
}

/** An edit as the audit log and a dry run report it. */
export function editView({ name, wallet, ...edit }: WatchlistEdit) {
  return { name: name ?? null, wallet: wallet ?? null, ...edit };
}

/** The address of a path of the interface, as the client of a request reaches it. */
export type Link = (path: `/${string}`) => string;

/** An alert with its address, its acknowledgement and its deliveries. */
export function alertView(
  link: Link,
  record: AlertRecord,
  acknowledgements: readonly Acknowledgement[],
) {
  const { alert } = record;
  return {
    ...alert,
    self: link(alertPath(alert)),
    acknowledged: acknowledgementView(
      acknowledgements.find((episode) => isOfEpisode(alert, episode)),
    ),
    ...deliveriesView(record),
  };
}

/** The deliveries of an alert: to the channels of its list, and to the operators of the stack. */
export function deliveriesView({ deliveries }: AlertRecord) {
  const reported = Object.entries(deliveries).flatMap(([destinationId, delivery]) =>
    delivery === undefined
      ? []
      : [{ destinationId: DestinationId.parse(destinationId), view: deliveryView(delivery) }],
  );
  return {
    deliveries: Object.fromEntries(
      reported.flatMap(({ destinationId, view }) => {
        const id = channelOf(destinationId)?.channel;
        return id === undefined ? [] : [[id, view]];
      }),
    ),
    operators: Object.fromEntries(
      reported.flatMap(({ destinationId, view }) =>
        channelOf(destinationId) === undefined ? [[destinationId, view]] : [],
      ),
    ),
  };
}

type DeliveryView = {
  readonly state: Delivery['state'];
  readonly at: string | null;
  readonly reason: string | null;
};

function deliveryView(delivery: Delivery): DeliveryView {
  if (delivery.state === 'pending') return { state: 'pending', at: null, reason: null };
  const { state, at, reason = null } = delivery;
  return { state, at: formatInstant(at), reason };
}
