import { describe, expect, it } from 'vitest';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import { addressOf } from '#shared/channels/channel.ts';
import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { notificationTitle } from '#shared/domain/alerting/notification.ts';
import { newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import {
  formatInstant,
  HOUR,
  type Instant,
  MINUTE,
  SECOND,
} from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { CONTACT_POINTS, noContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { anAlert, anInboxEntry, aWatchlist, NOON } from '#test/support/builders.ts';
import { DESK, deliveryWorld, numbered, QUEUE, sent } from '#test/support/delivery-world.ts';

const { signal } = new AbortController();
/** Quiet hours around NOON, which is 12:00 UTC. */
const LUNCH = [{ from: '11:00', to: '14:00' }];
const TWO = NOON + 2 * HOUR;

/** An alert of a separate watch on a separate contract. */
function ofWatch(number: number, given: Partial<RuleAlert> = {}): RuleAlert {
  const digit = number.toString(16).padStart(40, '0');
  return anAlert({
    ...{ id: `w${number}.1.1`, contract: `eth:0x${digit}`, name: `Collection ${number}` },
    at: formatInstant(NOON + number * SECOND),
    ...given,
  });
}

describe('quiet hours', () => {
  it('quiet hours of a list hold alerts that are not critical, and send one summary at their end', async () => {
    const { ports, state, notifications, deliver, comeDue, records } = await deliveryWorld({
      quiet: LUNCH,
    });
    await postAlerts(ports, [numbered(0), numbered(1)], [DESK]);
    await deliver();
    const critical = anAlert({ id: 'c.1.1', severity: 'critical' });
    await postAlerts(ports, [critical], [DESK]);
    await deliver();

    const before = sent(notifications);
    const due = (await records.get(DESK))?.dueAt;
    await comeDue();

    expect(before).toEqual(['c.1.1']);
    expect(due).toBe(TWO);
    expect(state.now).toBe(TWO);
    expect(sent(notifications)).toEqual(['c.1.1', '2 at once']);
    expect(notifications.map(notificationTitle).at(-1)).toMatch(/^During quiet hours: 2 alerts/);
  });

  it('quiet hours of a channel hold alerts of any list, while programs receive alerts immediately', async () => {
    const quiet = [{ from: '11:00', to: '14:00' }];
    const { ports, notifications, watchlists, deliver, comeDue } = await deliveryWorld();
    const point = { id: 'me', kind: 'email' as const, to: 'me@example.com', quiet };
    await watchlists.put({ ...noContactPoints('acme'), revision: 1, channels: [point] });
    const ME = channelDestinationId({ tenant: 'acme', id: CONTACT_POINTS }, 'me');
    await postAlerts(ports, [numbered(0)], [ME, QUEUE]);

    for (const destinationId of [ME, QUEUE]) await deliver(destinationId);
    const during = sent(notifications);
    await comeDue(ME);

    expect(during).toEqual(['a.1.0']);
    expect(sent(notifications)).toEqual(['a.1.0', 'a.1.0']);
  });

  it('quiet hours of one list do not hold alerts of another list at the same contact point', async () => {
    const { ports, notifications, watchlists, deliver } = await deliveryWorld({ quiet: LUNCH });
    await watchlists.put(aWatchlist({ id: 'apes' }));
    const point = { id: 'me', kind: 'email' as const, to: 'me@example.com' };
    await watchlists.put({ ...noContactPoints('acme'), revision: 1, channels: [point] });
    const ME = channelDestinationId({ tenant: 'acme', id: CONTACT_POINTS }, 'me');
    await postAlerts(ports, [numbered(0), ofWatch(1, { watchlist: 'apes' })], [ME]);

    await deliver(ME);

    expect(sent(notifications)).toEqual(['w1.1.1']);
  });

  it('quiet hours do not hold test alerts', async () => {
    const { ports, notifications, deliver } = await deliveryWorld({ quiet: LUNCH });
    await postAlerts(ports, [anAlert({ kind: 'test', severity: 'info' })], [DESK]);
    await deliver();
    expect(notifications).toHaveLength(1);
  });

  it('quiet hours do not hold edits of an existing message, because edits notify nobody', async () => {
    const { ports, state, notifications, deliver, watchlists, list } = await deliveryWorld();
    state.answer = () => ({ kind: 'sent', shows: 'message 1' });
    await postAlerts(ports, [numbered(0)], [DESK]);
    await deliver();
    await watchlists.put({ ...list, revision: 2, quiet: LUNCH });
    const end = anAlert({ ...numbered(1), kind: 'recovered', open: false });
    await postAlerts(ports, [end], [DESK]);

    await deliver();

    expect(sent(notifications)).toEqual(['a.1.0', 'a.1.1']);
  });

  it('held alerts are sent together with newer ones, in every attempt of the message', async () => {
    const { ports, state, deliver, comeDue, records, list } = await deliveryWorld();
    const [desk] = list.channels;
    const held = ofWatch(0, { id: 'a.1.1' });
    const others = [ofWatch(1, { id: 'b.1.1' }), ofWatch(2, { id: 'a.2.1' })];
    await postAlerts(ports, [...others, held], [DESK]);
    await ports.holdInInbox(anInboxEntry(DESK, held), { for: 'quiet', until: NOON + 10 * HOUR });
    const configuration = desk === undefined ? '' : addressOf(desk);
    const record = { ...newChannelRecord(DESK, NOON), configuration };
    // The channel was paused until now, so all alerts are sent as one message.
    await records.put({ ...record, notBefore: NOON, dueAt: NOON });
    const tries: number[] = [];
    state.answer = (notification) => {
      tries.push(notification.kind === 'alert' ? 1 : notification.count);
      return tries.length === 1 ? { kind: 'failed', reason: 'a gateway' } : { kind: 'sent' };
    };
    await deliver();
    await comeDue();

    expect(tries).toEqual([3, 3]);
  });

  it('quiet hours neither lose nor repeat an alert if the function crashes at any step', async () => {
    for (let end = 1; end <= 6; end += 1) {
      const { ports, notifications, deliver, comeDue } = await deliveryWorld({ quiet: LUNCH });
      await postAlerts(ports, [numbered(0), numbered(1)], [DESK]);
      let left = end;
      const dying =
        <Args extends readonly unknown[], Result>(port: (...args: Args) => Promise<Result>) =>
        async (...args: Args) => {
          const result = await port(...args);
          left -= 1;
          if (left === 0) throw new Error('the function ends here');
          return result;
        };
      const mortal = {
        ...ports,
        holdInInbox: dying(ports.holdInInbox),
        putChannel: dying(ports.putChannel),
      };
      await deliverMessages(mortal, { destinationId: DESK }, signal).catch(() => {});
      await deliver();
      expect(notifications).toEqual([]);
      await comeDue();
      expect(sent(notifications)).toEqual(['2 at once']);
    }
  });

  it('after quiet hours are removed, a held alert is sent with the next alert of its watch', async () => {
    const { ports, notifications, deliver, watchlists, list, waiting } = await deliveryWorld({
      quiet: LUNCH,
    });
    await postAlerts(ports, [numbered(0), ofWatch(7)], [DESK]);
    await deliver();
    const loud = omit(list, 'quiet');
    await watchlists.put({ ...loud, revision: 2 });
    await postAlerts(ports, [numbered(1)], [DESK]);

    await deliver();

    expect(sent(notifications)).toEqual(['2 at once']);
    expect(await waiting()).toBe(1);
  });

  it('a held alert is sent with the next alert of its watch, even if its own quiet hours last longer', async () => {
    const info = { from: '13:30', to: '15:00', severity: 'info' as const };
    const { ports, notifications, deliver, comeDue, waiting } = await deliveryWorld({
      quiet: [...LUNCH, info],
    });
    await postAlerts(ports, [{ ...numbered(0), severity: 'info' }], [DESK]);
    await deliver();
    await postAlerts(ports, [{ ...numbered(1), severity: 'warning' }], [DESK]);
    await deliver();

    await comeDue();

    expect(sent(notifications)).toEqual(['2 at once']);
    expect(await waiting()).toBe(0);
  });

  it('an alert is sent once if a crash of the function left it twice in the inbox', async () => {
    const { ports, inbox, notifications, deliver, watchlists, list, waiting } = await deliveryWorld(
      { quiet: LUNCH },
    );
    await postAlerts(ports, [numbered(0)], [DESK]);
    await deliver();
    await inbox.put(anInboxEntry(DESK, numbered(0)));
    const loud = omit(list, 'quiet');
    await watchlists.put({ ...loud, revision: 2 });

    await deliver();

    expect(sent(notifications)).toEqual(['a.1.0']);
    expect(await waiting()).toBe(0);
  });

  it('quiet hours use the severity that an alert had when it was first posted', async () => {
    const { ports, notifications, deliver } = await deliveryWorld({ quiet: LUNCH });
    const end = anAlert({ kind: 'expired', contract: null, severity: 'warning' });
    await postAlerts(ports, [end], [DESK]);
    // By now the rule is critical.
    await postAlerts(ports, [{ ...end, severity: 'critical' }], [DESK]);

    await deliver();

    expect(notifications).toEqual([]);
  });

  it('quiet hours keep the order of the alerts of a watch, even if one of them could edit a message', async () => {
    const { ports, state, notifications, deliver, comeDue, watchlists, list } =
      await deliveryWorld();
    state.answer = () => ({ kind: 'sent', shows: 'message 1' });
    await postAlerts(ports, [numbered(0)], [DESK]);
    await deliver();
    await watchlists.put({ ...list, revision: 2, quiet: LUNCH });
    const later = [
      anAlert({ ...numbered(1), kind: 'reminder' }),
      anAlert({ ...numbered(2), kind: 'recovered', open: false }),
      anAlert({ ...numbered(3), kind: 'fired', episode: 2 }),
    ];
    for (const alert of later) {
      await postAlerts(ports, [alert], [DESK]);
      await deliver();
    }

    await comeDue();

    expect(sent(notifications)).toEqual(['a.1.0', '3 at once']);
  });

  it('quiet hours neither make an alert late nor shorten the time until it is given up', async () => {
    const { ports, state, notifications, records, deliver, comeDue } = await deliveryWorld({
      // Two overlapping periods, so the channel is quiet for two and a half days.
      quiet: [
        { from: '11:00', to: '10:59' },
        { from: '10:00', to: '12:00', days: ['sat', 'sun'] },
      ],
    });
    await postAlerts(ports, [numbered(0)], [DESK]);
    await deliver();
    state.answer = () => ({ kind: 'failed', reason: 'timeout' });
    while ((await records.get(DESK))?.failure === undefined) await comeDue();
    state.answer = () => ({ kind: 'sent' });
    await comeDue();

    expect(sent(notifications)).toEqual(['a.1.0']);
  });
});

describe('a burst of alerts', () => {
  const ALL = Array.from({ length: 14 }, (_, number) =>
    ofWatch(number, { value: `${59 - number}` }),
  );
  const LIST = { name: 'Blue chips' };

  it('a burst of alerts on many contracts is sent as one message, with the largest drop first', async () => {
    const { ports, notifications, deliver } = await deliveryWorld(LIST);
    await postAlerts(ports, ALL, [DESK]);

    await deliver();

    const [crash, ...others] = notifications;
    expect(others).toEqual([]);
    if (crash?.kind !== 'digest') throw new Error('expected a digest');
    expect(notificationTitle(crash)).toBe(
      'Blue chips: 14 of 14 below their thresholds: Collection 13 46 ETH (−24.8%), Collection 12 47 ETH (−23.2%), Collection 11 48 ETH (−21.6%), and 11 more',
    );
    expect(crash.alerts.map(({ id }) => id).slice(0, 2)).toEqual(['w13.1.1', 'w12.1.1']);
  });

  it('the first alerts of a burst are sent immediately, and the others in one message', async () => {
    const { ports, state, notifications, deliver, comeDue } = await deliveryWorld(LIST);
    const arrive = async (from: number, to: number, at: Instant) => {
      state.now = Math.max(state.now, at);
      for (const alert of ALL.slice(from, to)) {
        await postAlerts(ports, [alert], [DESK]);
        await deliver();
      }
    };
    await arrive(0, 3, NOON);
    await arrive(3, 9, NOON + 10 * SECOND);
    const atOnce = sent(notifications);
    await comeDue();

    expect(atOnce).toEqual(['w0.1.1', 'w1.1.1', 'w2.1.1']);
    expect(sent(notifications).slice(3)).toEqual(['6 at once']);
    expect(state.now).toBeLessThanOrEqual(NOON + MINUTE);
    // Ten minutes later the burst is over, so the next alert is sent alone.
    await arrive(9, 10, state.now + 10 * MINUTE);
    expect(sent(notifications).at(-1)).toBe('w9.1.1');
  });

  it('a burst of critical alerts is sent as one message without a delay', async () => {
    const { ports, state, notifications, deliver } = await deliveryWorld({ ...LIST, quiet: LUNCH });
    const critical = ALL.map((alert) => anAlert({ ...alert, severity: 'critical' }));
    await postAlerts(ports, critical.slice(0, 3), [DESK]);
    await deliver();
    await postAlerts(ports, critical.slice(3), [DESK]);
    await deliver();

    expect(sent(notifications)).toEqual(['w0.1.1', 'w1.1.1', 'w2.1.1', '11 at once']);
    expect(state.now).toBeLessThan(NOON + 10 * SECOND);
  });

  it('a burst delays no alert by more than 20 seconds, even if other messages of the list are sent', async () => {
    const { ports, state, notifications, deliver, records } = await deliveryWorld(LIST);
    await postAlerts(ports, ALL.slice(0, 3), [DESK]);
    await deliver();
    await postAlerts(ports, [ofWatch(8)], [DESK]);
    const posted = state.now;
    state.now += 10 * SECOND;
    await postAlerts(ports, [ofWatch(9, { severity: 'critical' })], [DESK]);
    await deliver();

    expect(sent(notifications).at(-1)).toBe('w9.1.1');
    expect((await records.get(DESK))?.dueAt).toBe(posted + 20 * SECOND);
  });

  it('the message after a burst contains all alerts of its list that arrived before the message was sent', async () => {
    const { ports, state, notifications, deliver, comeDue, waiting } = await deliveryWorld(LIST);
    await postAlerts(ports, ALL.slice(0, 3), [DESK]);
    await deliver();
    await postAlerts(ports, [ofWatch(8)], [DESK]);
    await deliver();
    state.now += 10 * SECOND;
    await postAlerts(ports, [ofWatch(9, { severity: 'critical' })], [DESK]);
    await deliver();
    // This alert may wait until 20 seconds after the critical one.
    await postAlerts(ports, [ofWatch(10)], [DESK]);
    await deliver();

    await comeDue();

    expect(sent(notifications).slice(3)).toEqual(['w9.1.1', '2 at once']);
    expect(await waiting()).toBe(0);
  });

  it('programs get each alert of a burst separately, and people get only its critical alerts separately', async () => {
    const { ports, notifications, deliver } = await deliveryWorld(LIST);
    const critical = ofWatch(20, { severity: 'critical' });
    await postAlerts(ports, [...ALL.slice(0, 4), critical], [DESK, QUEUE]);

    await deliver(QUEUE);
    const toPrograms = notifications.length;
    await deliver();

    expect(toPrograms).toBe(5);
    expect(sent(notifications).slice(5)).toEqual(['w20.1.1', '4 at once']);
  });

  it('after a burst, the recovery of an alert that was sent alone edits its message, and other recoveries are one message', async () => {
    const { ports, state, notifications, deliver } = await deliveryWorld(LIST);
    state.answer = (notification) => ({
      ...{ kind: 'sent', shows: `of ${sent([notification])[0]}` },
    });
    for (const alert of ALL.slice(0, 2)) await postAlerts(ports, [alert], [DESK]);
    await deliver();
    const ends = ALL.slice(0, 6).map((alert) =>
      anAlert({ ...alert, id: alert.id.replace(/1$/, '2'), kind: 'recovered', open: false }),
    );
    await postAlerts(ports, ends, [DESK]);
    await deliver();

    const edits = ['w0.1.2', 'w1.1.2'];
    expect(sent(notifications)).toEqual(['w0.1.1', 'w1.1.1', '4 at once', ...edits]);
  });
});
