import { type Actor, channelUsed } from '#shared/domain/access/actor.ts';
import { type Acknowledgement, isOfEpisode } from '#shared/domain/alerting/acknowledgement.ts';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import {
  type AlertRecord,
  alertPath,
  type Delivery,
  delayedSince,
} from '#shared/domain/channels/alert-record.ts';
import { channelOf } from '#shared/domain/channels/destination-id.ts';
import { formatInstant, SECOND } from '#shared/domain/market/instant.ts';
import type { Change, WatchlistEdit } from '#shared/domain/watchlists/change.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import { contractsView, documentOf } from '#shared/domain/watchlists/list-document.ts';
import type { Mute } from '#shared/domain/watchlists/mute.ts';
import type { ListWallet } from '#shared/domain/watchlists/wallet-members.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { ActorRead } from './answers/actor.ts';
import type { AcknowledgementRead, AlertRead, DeliveryRead } from './answers/alerts.ts';
import type { ChangeEntry, Edit } from './answers/changes.ts';
import type { MuteRead } from './answers/mutes.ts';
import type { WatchlistEntry } from './answers/watchlists.ts';

export function watchlistView(list: Watchlist): WatchlistEntry {
  const { id, revision, wallet } = list;
  return {
    ...documentOf(list),
    id,
    revision,
    contracts: contractsView(list.members),
    walletStatus: wallet === undefined ? null : walletStatusView(wallet),
  };
}

function walletStatusView({ isPending, leftOut }: ListWallet): WatchlistEntry['walletStatus'] {
  return { pending: isPending, leftOut };
}

export function muteView({
  id,
  by,
  from,
  until,
  rule,
  contract,
  severity,
  reason,
  episodes,
}: Mute): MuteRead {
  return {
    id,
    by: by === undefined ? null : actorView(by),
    from: formatInstant(from),
    until: formatInstant(until),
    untilRecovered: episodes !== undefined,
    rule: rule ?? null,
    contract: contract ?? null,
    severity: severity ?? null,
    reason: reason ?? null,
  };
}

export function acknowledgementView(
  acknowledgement: Acknowledgement | undefined,
): AcknowledgementRead | null {
  if (acknowledgement === undefined) return null;
  const { at, by, silences, note = null } = acknowledgement;
  return { at: formatInstant(at), by: by === undefined ? null : actorView(by), silences, note };
}

function actorView(actor: Actor): ActorRead {
  const { id, name } = actor;
  return { key: id, name, via: channelUsed(actor) ?? null };
}

export function changeView({
  id,
  at,
  by,
  watchlist,
  kind,
  revision,
  edit,
  subject,
}: Change): ChangeEntry {
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

export function editView({ name, wallet, contracts, rules, channels }: WatchlistEdit): Edit {
  return { name: name ?? null, wallet: wallet ?? null, contracts, rules, channels };
}

/** Prepends to a path the prefix under which the client reaches the API. */
export type Link = (path: `/${string}`) => string;

export function alertView(
  link: Link,
  record: AlertRecord,
  acknowledgements: readonly Acknowledgement[],
): AlertRead {
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
export function deliveriesView({
  deliveries,
  ...posted
}: AlertRecord): Pick<AlertRead, 'deliveries' | 'operators'> {
  const reported = Object.entries(deliveries).flatMap(([destinationId, delivery]) =>
    delivery === undefined
      ? []
      : [
          {
            destinationId: DestinationId.parse(destinationId),
            view: deliveryView(posted, delivery),
          },
        ],
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

function deliveryView(posted: Omit<AlertRecord, 'deliveries'>, delivery: Delivery): DeliveryRead {
  if (delivery.state === 'pending') {
    return { state: 'pending', at: null, reason: null, seconds: null };
  }
  const { state, at, reason = null, heldUntil } = delivery;
  const isTaken = state === 'accepted' || state === 'sent';
  const seconds = Math.max(0, at - delayedSince(posted, heldUntil)) / SECOND;
  return { state, at: formatInstant(at), reason, seconds: isTaken ? seconds : null };
}
