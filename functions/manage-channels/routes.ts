import type { APIGatewayProxyResult } from 'aws-lambda';
import { addressOf, type Channel } from '#shared/channels/channel.ts';
import { alertPath } from '#shared/domain/channels/alert-record.ts';
import { sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import {
  type ChannelRecord,
  configured,
  subscribed,
  triedAgainAt,
} from '#shared/domain/channels/channel-record.ts';
import { isUndeliverable } from '#shared/domain/channels/channel-status.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import type { Change, ChangeKind } from '#shared/domain/watchlists/change.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { answer } from '#shared/http/answer.ts';
import type { Caller, Own } from '#shared/http/caller.ts';
import { channelsUsedBy } from '#shared/http/channels-used-by.ts';
import { contactPointsOf } from '#shared/http/contact-points.ts';
import { revisionHeader, withTag } from '#shared/http/entity-tag.ts';
import { existingWatchlist } from '#shared/http/existing-watchlist.ts';
import { type Attempt, idempotently } from '#shared/http/idempotency.ts';
import { unreadableView } from '#shared/http/page-view.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, invalidMembers, linkTo, pathOf } from '#shared/http/request.ts';
import { type Request, type Route, type Routes, route, routeOf } from '#shared/http/route.ts';
import { changeChannel, findChannel } from '#shared/use-cases/change-channel.ts';
import { changeNow } from '#shared/use-cases/commit-change.ts';
import { createChannelWaker } from '#shared/use-cases/wake-channels.ts';
import type { ChannelList, ChannelOfList, ChannelStatusAnswer, ChannelTest } from './answers.ts';
import { channelStatusView } from './channel-view.ts';
import type { ManageChannelsPorts } from './ports.ts';
import { ConfirmationBody } from './requests.ts';

/**
 * Reads the list that contains the channels of a path: a watchlist, or the tenant's contact points.
 */
type Owner = {
  readonly read: (ports: ManageChannelsPorts, request: Request) => Promise<Own<Watchlist>>;
};

const ofWatchlist = handlersOf({ read: existingWatchlist });

const ofTenant = handlersOf({
  read: (ports, { caller: { tenant } }) => contactPointsOf(ports, tenant),
});

/**
 * The operations by method and path: the state of channels, and actions that do not change the
 * list.
 */
export const channelRoutes = {
  'GET /v1/watchlists/{watchlist}/channels': route(
    { scope: 'read', units: 'read' },
    ofWatchlist.list,
  ),
  'GET /v1/watchlists/{watchlist}/channels/{channel}': route(
    { scope: 'read', units: 'read' },
    ofWatchlist.get,
  ),
  'POST /v1/watchlists/{watchlist}/channels/{channel}/test': route(
    { scope: 'write', units: 'change' },
    ofWatchlist.test,
  ),
  'POST /v1/watchlists/{watchlist}/channels/{channel}/confirm': route(
    { scope: 'write', units: 'change', body: ConfirmationBody },
    ofWatchlist.confirm,
  ),
  'GET /v1/channels': route({ scope: 'read', units: 'read' }, ofTenant.list),
  'GET /v1/channels/{channel}': route({ scope: 'read', units: 'read' }, ofTenant.get),
  'POST /v1/channels/{channel}/test': route({ scope: 'write', units: 'change' }, ofTenant.test),
  'POST /v1/channels/{channel}/confirm': route(
    { scope: 'write', units: 'change', body: ConfirmationBody },
    ofTenant.confirm,
  ),
} satisfies Routes<ManageChannelsPorts, Attempt>;

export async function manageChannels(
  ports: ManageChannelsPorts,
  event: HttpEvent,
): Promise<APIGatewayProxyResult> {
  const answer = routeOf<Route<ManageChannelsPorts, Attempt>>(channelRoutes, event).check(event);
  const work = (attempt: Attempt) => answer(ports, attempt);
  return withTag(event, await idempotently(ports, event, work));
}

/** Waiting alerts are counted up to this number. */
const COUNTED = 100;

function handlersOf({ read }: Owner) {
  /** The channels of a list with their states. */
  const list = async (ports: ManageChannelsPorts, request: Request) => {
    const known = await read(ports, request);
    const { channels, unreadable } = await channelsUsedBy(ports, known);
    const views = await Promise.all(
      channels.map(async ({ channel, destinationId, record }) => {
        const waiting = await ports.oldestInInbox(destinationId, COUNTED);
        return channelStatusView(channel, record, waiting.length);
      }),
    );
    const undeliverable = isUndeliverable(channels);
    return answer<ChannelList>(
      200,
      { channels: views, undeliverable, unreadable: unreadable.map(unreadableView) },
      revisionHeader(known.revision),
    );
  };

  /** Returns a channel in the same format as the answer to a change. */
  const get = async (ports: ManageChannelsPorts, request: Request) => {
    const known = await read(ports, request);
    const { list: owner, channel } = await existingChannel(ports, request.event, known);
    const destinationId = channelDestinationId(owner, channel.id);
    const [record, waiting, pendingChanges] = await Promise.all([
      ports.getChannel(destinationId),
      ports.oldestInInbox(destinationId, COUNTED),
      ports.countPendingChanges(known),
    ]);
    const { revision } = known;
    return answer<ChannelOfList>(
      200,
      { channel: channelStatusView(channel, record, waiting.length), revision, pendingChanges },
      revisionHeader(revision),
    );
  };

  /** Sends a sample alert to a channel immediately, even if the channel is failing or off. */
  const test = async (ports: ManageChannelsPorts, request: Request, attempt: Attempt) => {
    const known = await read(ports, request);
    const { list: owner, channel } = await existingChannel(ports, request.event, known);
    const destinationId = channelDestinationId(owner, channel.id);
    const alert = sampleAlert({ list: owner, channel: channel.id }, attempt.number, attempt.at);
    await changeChannel(ports, await findChannel(ports, destinationId), (record) =>
      triedAgainAt(record, ports.now()),
    );
    const self = linkTo(request.event, alertPath(alert));
    const answered = answer<ChannelTest>(202, { id: alert.id, self }, { Location: self });
    const destinations = [destinationId];
    const waker = createChannelWaker(ports);
    await waker.announce(destinations);
    await ports.commitChange({
      entry: entryOf(ports, request.caller, owner, channel, 'channel_tested'),
      jobs: [],
      posted: { alert, postedAt: ports.now(), destinations },
      keyed: attempt.keep(answered),
    });
    waker.note(alert.id, destinations);
    await waker.send();
    return answered;
  };

  /**
   * Confirms an email address by the link in the confirmation email of SNS. After that, the
   * unsubscribe link in SNS emails has no effect.
   */
  const confirm = async (
    ports: ManageChannelsPorts,
    request: Request<unknown, ConfirmationBody>,
  ) => {
    const known = await read(ports, request);
    const { list: owner, channel } = await existingChannel(ports, request.event, known);
    const { link } = request.body;
    if (channel.kind !== 'email') {
      throw new ProblemError(`a channel of kind "${channel.kind}" needs no confirmation by email`, {
        type: 'not_confirmable',
      });
    }
    const endpoint = { protocol: 'email', endpoint: channel.to } as const;
    if (link.topicArn !== ports.topicOf(owner, endpoint)) {
      throw issue('expected the link from the confirmation email of this channel');
    }
    if (link.endpoint !== undefined && link.endpoint !== channel.to) {
      throw issue(
        'expected the link from the confirmation email to the current address of this channel; this link belongs to another address',
      );
    }
    const confirmation = await ports.confirm(owner, endpoint, link.token);
    if (confirmation === undefined) {
      throw issue(
        'expected a link that is still valid; give the channel a new id to get another email',
      );
    }
    const record = await noteConfirmation(ports, owner, channel, confirmation.state);
    const entry = entryOf(ports, request.caller, owner, channel, 'channel_confirmed');
    await ports.commitChange({ entry, jobs: [] });
    return answer<ChannelStatusAnswer>(200, channelStatusView(channel, record, 0));
  };

  return { list, get, test, confirm };
}

/** The audit log entry of an action on a channel. */
function entryOf(
  ports: ManageChannelsPorts,
  { key: by }: Caller,
  { tenant, id }: Own<Watchlist>,
  { id: subject }: Channel,
  kind: ChangeKind,
): Own<Change> {
  return changeNow(ports, { tenant, id }, by, kind, { subject });
}

async function noteConfirmation(
  ports: ManageChannelsPorts,
  list: Watchlist,
  channel: Channel,
  state: Parameters<typeof subscribed>[1],
): Promise<ChannelRecord> {
  const known = await findChannel(ports, channelDestinationId(list, channel.id));
  return await changeChannel(ports, known, (record) =>
    subscribed(configured(record, addressOf(channel)), state, ports.now()),
  );
}

function issue(detail: string): ProblemError {
  return invalidMembers([{ path: ['link'], message: detail }]);
}

/** The channel in the path: a channel of the list itself, or a contact point that the list uses. */
async function existingChannel(
  ports: ManageChannelsPorts,
  event: HttpEvent,
  known: Own<Watchlist>,
): Promise<{ readonly list: Own<Watchlist>; readonly channel: Channel }> {
  const name = pathOf(event).channel;
  const isContactPoint = name !== undefined && known.contactPoints.includes(name);
  const list = isContactPoint ? await contactPointsOf(ports, known.tenant) : known;
  const channel = list.channels.find(({ id }) => id === name);
  if (channel !== undefined) return { list, channel };
  throw new ProblemError('there is no such channel', { type: 'not_found' });
}
