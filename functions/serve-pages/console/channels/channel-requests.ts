import { offline } from '#console/form/problems.tsx';
import { ask, type Outcome } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { Channel, ChannelBody } from './channel-kinds.ts';

/** The API requests for the channels of one list, or for the shared channels. */
export type Channels = {
  readonly read: (channel: string) => Promise<Outcome<Answer<'GET /v1/channels/{channel}'>>>;
  readonly add: (body: ChannelBody) => Promise<Outcome<unknown>>;
  readonly put: (
    channel: string,
    body: ChannelBody,
    ifMatch: string | undefined,
  ) => Promise<Outcome<unknown>>;
  readonly remove: (channel: string) => Promise<Outcome<unknown>>;
  readonly test: (channel: string) => Promise<Outcome<Answer<'POST /v1/channels/{channel}/test'>>>;
  readonly confirm: (channel: string, link: string) => Promise<Outcome<unknown>>;
};

/** The API requests for the channels of a list, or for the shared channels if no list is given. */
export function channelsOf(watchlist: string | undefined): Channels {
  return watchlist === undefined ? OF_ALL_LISTS : ofList(watchlist);
}

const OF_ALL_LISTS: Channels = {
  read: (channel) => ask('GET /v1/channels/{channel}', { path: { channel } }),
  add: (body) => ask('POST /v1/channels', { body }),
  put: (channel, body, ifMatch) =>
    ask('PUT /v1/channels/{channel}', { path: { channel }, body, ifMatch }),
  remove: (channel) => ask('DELETE /v1/channels/{channel}', { path: { channel }, ifMatch: '*' }),
  test: (channel) => ask('POST /v1/channels/{channel}/test', { path: { channel } }),
  confirm: (channel, link) =>
    ask('POST /v1/channels/{channel}/confirm', { path: { channel }, body: { link } }),
};

function ofList(watchlist: string): Channels {
  const at = (channel: string) => ({ path: { watchlist, channel } });
  return {
    read: (channel) => ask('GET /v1/watchlists/{watchlist}/channels/{channel}', at(channel)),
    add: (body) => ask('POST /v1/watchlists/{watchlist}/channels', { path: { watchlist }, body }),
    put: (channel, body, ifMatch) =>
      ask('PUT /v1/watchlists/{watchlist}/channels/{channel}', {
        ...{ ...at(channel), body, ifMatch },
      }),
    remove: (channel) =>
      ask('DELETE /v1/watchlists/{watchlist}/channels/{channel}', {
        ...{ ...at(channel), ifMatch: '*' },
      }),
    test: (channel) => ask('POST /v1/watchlists/{watchlist}/channels/{channel}/test', at(channel)),
    confirm: (channel, link) =>
      ask('POST /v1/watchlists/{watchlist}/channels/{channel}/confirm', {
        ...{ ...at(channel), body: { link } },
      }),
  };
}

/**
 * A channel, and the ETag that was returned with it. A save with an old tag is rejected, even if
 * only another channel has changed.
 */
export type ReadChannel = { readonly written: ChannelBody; readonly tag: string | undefined };

export async function readChannel(
  { read }: Channels,
  channel: string,
): Promise<ReadChannel | undefined> {
  const outcome = await read(channel);
  return outcome.kind === 'answered'
    ? { written: channelBody(outcome.answer.channel), tag: outcome.tag }
    : undefined;
}

/** Members that describe the state of a channel. Requests must not contain them. */
const STATUS: { readonly [Member in Exclude<keyof Channel, 'id' | 'kind'>]: true } = {
  ...{ state: true, reason: true, since: true, lastSuccess: true, waiting: true },
};

/** The request body that saves a channel. Members without a field on this page stay unchanged. */
export function channelBody(channel: Channel): ChannelBody {
  const members = Object.entries(channel).filter(([member]) => !(member in STATUS));
  return Object.fromEntries(members) as ChannelBody;
}

/** The result of saving a channel, which somebody else may have changed meanwhile. */
export type SavedChannel =
  | { readonly kind: 'saved' }
  | { readonly kind: 'conflict'; readonly now: ReadChannel }
  | { readonly kind: 'refused'; readonly problem: Problem };

export async function addChannel({ add }: Channels, body: ChannelBody): Promise<SavedChannel> {
  return savedOf(await add(body));
}

/**
 * Replaces a channel, unless it has changed since it was read. The tag covers all channels, so the
 * save is repeated with the new tag if only another channel has changed.
 */
export async function saveChannel(
  channels: Channels,
  channel: string,
  read: ReadChannel,
  body: ChannelBody,
): Promise<SavedChannel> {
  const outcome = await channels.put(channel, body, read.tag);
  if (!isConflict(outcome)) return savedOf(outcome);
  const now = await readChannel(channels, channel);
  if (now === undefined) return savedOf(outcome);
  if (JSON.stringify(now.written) !== JSON.stringify(read.written))
    return { kind: 'conflict', now };
  return savedOf(await channels.put(channel, body, now.tag));
}

/** Removes a channel, even if it has changed since it was read. Returns undefined on success. */
export async function removeChannel(
  { remove }: Channels,
  channel: string,
): Promise<Problem | undefined> {
  const outcome = await remove(channel);
  refreshAll();
  if (outcome.kind === 'offline') return offline('The channel was not removed');
  return outcome.kind === 'refused' ? outcome.problem : undefined;
}

function isConflict(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'refused' && [409, 412].includes(outcome.problem.status);
}

function savedOf(outcome: Outcome<unknown>): SavedChannel {
  if (outcome.kind === 'refused') return { kind: 'refused', problem: outcome.problem };
  if (outcome.kind === 'offline') {
    return { kind: 'refused', problem: offline('The channel was not saved') };
  }
  refreshAll();
  return { kind: 'saved' };
}
