import { expect, it } from 'vitest';
import { composeRecordBounces } from '#functions/record-bounces/compose.ts';
import { noteUndelivered, recordBounce } from '#functions/record-bounces/record-bounces.ts';
import { BounceEvent, UndeliveredEvent } from '#functions/record-bounces/requests.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { addressOf } from '#shared/channels/channel.ts';
import {
  begun,
  type ChannelRecord,
  configured,
  mustAnnounce,
  newChannelRecord,
  subscribed,
  succeeded,
  undelivered,
  withAnnounced,
} from '#shared/domain/channels/channel-record.ts';
import { channelStatus } from '#shared/domain/channels/channel-status.ts';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { aWatchlist, NOON } from '#test/support/builders.ts';
import { anOutside } from '#test/support/outside.ts';

const DESK = 'acme#punks#desk';
const desk = { id: 'desk', kind: 'email', to: 'desk@example.com' } as const;

/**
 * An event as SES sends it to EventBridge ("Examples of event data"), without the members that are
 * not read.
 */
const event = (detail: object, to: string = desk.to) => ({
  ...{ version: '0', source: 'aws.ses', region: 'eu-west-1' },
  detail: {
    ...detail,
    mail: {
      ...{ timestamp: '2026-11-25T21:00:00.000Z', messageId: 'EXAMPLE', destination: [to] },
      tags: {
        'ses:configuration-set': ['floorwatch-dev'],
        'ses:from-domain': ['example.com'],
        channel: [Buffer.from(DESK).toString('base64url')],
      },
    },
  },
});
const bounce = (bounceType: string, bounceSubType: string, to?: string) =>
  event({ eventType: 'Bounce', bounce: { bounceType, bounceSubType } }, to);

/** A list with a confirmed email channel, to which a message is being sent. */
async function aList() {
  const table = createMemoryTable();
  await createWatchlistStore(table).put(aWatchlist({ channels: [desk] }));
  const records = createChannelStore(table);
  const record = configured(newChannelRecord(DESK, NOON), addressOf(desk));
  const confirmed = subscribed(record, 'confirmed', NOON);
  await records.put(begun(confirmed, { id: 'a1', entries: ['a1'] }, true, NOON));
  const { ports } = composeRecordBounces(anOutside({ table: () => table }));
  return {
    note: (reported: unknown) => recordBounce(ports, BounceEvent.parse(reported)),
    undelivered: async (record: object) => {
      const [{ destinationId } = {}] = UndeliveredEvent.parse({ Records: [record] }).Records;
      return await noteUndelivered(ports, destinationId);
    },
    change: async (to: (record: ChannelRecord) => ChannelRecord) => {
      const known = await records.get(DESK);
      if (known !== undefined) await records.put(to(known));
    },
    record: async () => (await records.get(DESK)) ?? newChannelRecord(DESK, NOON),
  };
}

it.each([
  {
    reported: bounce('Permanent', 'NoEmail'),
    reason: 'emails to this address bounce permanently (NoEmail)',
  },
  {
    reported: bounce('Permanent', 'OnAccountSuppressionList'),
    reason: 'emails to this address bounce permanently (OnAccountSuppressionList)',
  },
  {
    reported: event({ eventType: 'Complaint', complaint: {} }),
    reason: 'the recipient has marked an email as spam',
  },
])(
  'a channel is switched off, and its list is informed, if $reason',
  async ({ reported, reason }) => {
    const { note, record } = await aList();

    expect(await note(reported)).toBe(true);

    const after = await record();
    expect(channelStatus(desk, after)).toEqual({ state: 'off', reason, since: NOON });
    expect([mustAnnounce(after), after.dueAt]).toEqual([true, NOON]);
    // The outcome of the message that is being sent is still unknown.
    expect(after.notification).toEqual({ id: 'a1', entries: ['a1'] });
  },
);

it.each([
  { what: 'a bounce from a full mailbox', reported: bounce('Transient', 'MailboxFull') },
  {
    what: 'a bounce from an earlier address',
    reported: bounce('Permanent', 'General', 'old@example.com'),
  },
])('$what does not switch off the channel', async ({ reported }) => {
  const { note, record } = await aList();
  const before = await record();

  expect(await note(reported)).toBe(false);

  expect(await record()).toEqual(before);
});

it('a second report about a channel changes nothing, so the reason of the first report remains', async () => {
  const { note, record } = await aList();
  await note(bounce('Permanent', 'NoEmail'));
  const before = await record();

  await note(bounce('Permanent', 'OnAccountSuppressionList'));

  expect(await record()).toEqual(before);
});

/**
 * A message to a queue with raw delivery, in the form in which SNS moves it to the dead-letter
 * queue.
 */
const rawDelivery = {
  ...{ messageId: 'm1', body: '{"kind":"below"}' },
  messageAttributes: { destination: { stringValue: DESK, dataType: 'String' } },
};
/** A message to an email address, without raw delivery, in the same dead-letter queue. */
const envelope = {
  ...{ messageId: 'm1', messageAttributes: {} },
  body: JSON.stringify({
    ...{ Type: 'Notification', MessageId: 'n1', Message: 'Punks are below 60' },
    MessageAttributes: { destination: { Type: 'String', Value: DESK } },
  }),
};

it.each([
  { form: 'raw', message: rawDelivery },
  { form: 'wrapped', message: envelope },
])('a channel is failing if SNS gives up a $form message to it', async ({ message }) => {
  const { undelivered: note, record } = await aList();

  expect(await note(message)).toBe(true);

  const after = await record();
  expect(channelStatus(desk, after)).toMatchObject({
    state: 'failing',
    reason: expect.stringContaining('could not deliver'),
    since: NOON,
  });
  expect([mustAnnounce(after), after.dueAt]).toEqual([true, NOON]);
  expect(after.notification).toEqual({ id: 'a1', entries: ['a1'] });
});

it.each([
  { what: 'to a removed channel', body: '{}', stringValue: 'acme#punks#night' },
  { what: 'to operators', body: 'no JSON', stringValue: 'stack-topic' },
  { what: 'without attributes', body: '{"Message":"x"}', stringValue: undefined },
])('an undelivered message $what changes no channel', async ({ body, stringValue }) => {
  const { undelivered: note, record } = await aList();
  const before = await record();

  const messageAttributes = stringValue === undefined ? {} : { destination: { stringValue } };
  expect(await note({ messageId: 'm1', body, messageAttributes })).toBe(false);

  expect(await record()).toEqual(before);
});

it('a failing channel works again after SNS accepts a later message', async () => {
  const { undelivered: note, change, record } = await aList();
  await note(rawDelivery);

  await change((known) => succeeded(known, 'accepted', NOON + MINUTE));

  expect(channelStatus(desk, await record())).toEqual({ state: 'working' });
});

it('a list is informed once a day about a channel that receives no messages', () => {
  const first = withAnnounced(undelivered(newChannelRecord(DESK, NOON), 'a policy', NOON));
  const hourly = [1, 2, 3].reduce(
    (known, hour) => undelivered(succeeded(known, 'accepted', NOON), 'a policy', NOON + hour),
    first,
  );

  expect(mustAnnounce(hourly)).toBe(false);
  expect(hourly.undelivered?.since).toBe(NOON);
  expect(mustAnnounce(undelivered(hourly, 'a policy', NOON + 2 * DAY))).toBe(true);
});
