import { offline } from '#console/form/problems.tsx';
import { ask, type Outcome, type Problem } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import type { Channel, ChannelBody } from './channel-kinds.ts';

/** A channel as it was read: an edit of it is refused where the channels have changed since. */
export type ReadChannel = { readonly written: ChannelBody; readonly tag: string | undefined };

export async function readChannel(channel: string): Promise<ReadChannel | undefined> {
  const outcome = await ask('GET /v1/channels/{channel}', { path: { channel } });
  return outcome.kind === 'answered'
    ? { written: writtenOf(outcome.answer.channel), tag: outcome.tag }
    : undefined;
}

/** What is said of the state of a channel, and is not written. */
const STANDING: { readonly [Member in Exclude<keyof Channel, 'id' | 'kind'>]: true } = {
  ...{ state: true, reason: true, since: true, lastSuccess: true, waiting: true },
};

/** A channel as it may be written again, with members that this page does not know. */
export function writtenOf(channel: Channel): ChannelBody {
  const members = Object.entries(channel).filter(([member]) => !(member in STANDING));
  return Object.fromEntries(members) as ChannelBody;
}

/** What came of saving a channel: somebody else may have changed it meanwhile. */
export type SavedChannel =
  | { readonly kind: 'saved' }
  | { readonly kind: 'conflict'; readonly now: ReadChannel }
  | { readonly kind: 'refused'; readonly problem: Problem };

export async function addChannel(body: ChannelBody): Promise<SavedChannel> {
  return savedOf(await ask('POST /v1/channels', { body }));
}

/** Saves a channel over what was read. The tag is of all channels: a change of another is none of this. */
export async function saveChannel(
  channel: string,
  read: ReadChannel,
  body: ChannelBody,
): Promise<SavedChannel> {
  const path = { channel };
  const outcome = await ask('PUT /v1/channels/{channel}', { path, body, ifMatch: read.tag });
  if (!isConflict(outcome)) return savedOf(outcome);
  const now = await readChannel(channel);
  if (now === undefined) return savedOf(outcome);
  if (JSON.stringify(now.written) !== JSON.stringify(read.written))
    return { kind: 'conflict', now };
  return savedOf(await ask('PUT /v1/channels/{channel}', { path, body, ifMatch: now.tag }));
}

/** Removes a channel, whatever it is by now; undefined where it is gone. */
export async function removeChannel(channel: string): Promise<Problem | undefined> {
  const outcome = await ask('DELETE /v1/channels/{channel}', { path: { channel }, ifMatch: '*' });
  refreshAll();
  if (outcome.kind === 'offline') return offline('The channel is still there');
  return outcome.kind === 'refused' ? outcome.problem : undefined;
}

function isConflict(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'refused' && [409, 412].includes(outcome.problem.status);
}

function savedOf(outcome: Outcome<unknown>): SavedChannel {
  if (outcome.kind === 'refused') return { kind: 'refused', problem: outcome.problem };
  if (outcome.kind === 'offline') {
    return { kind: 'refused', problem: offline('The channel is not saved') };
  }
  refreshAll();
  return { kind: 'saved' };
}
