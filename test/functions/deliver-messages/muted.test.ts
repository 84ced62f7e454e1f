import { describe, expect, it } from 'vitest';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import { answeredBy, settleAll } from '#functions/deliver-messages/waiting-alerts.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { APES, anAlert, anInboxEntry, NOON, PUNKS } from '#test/support/builders.ts';
import { deliveryWorld, QUEUE, sent } from '#test/support/delivery-world.ts';
import { BY } from '#test/support/own.ts';
import { puttingInto } from '#test/support/putting.ts';

const { signal } = new AbortController();
const LIST = { tenant: 'acme', id: 'punks' };
const SOON = NOON + 10 * MINUTE;
const LATER = NOON + 60 * MINUTE;

/** A queue channel with an alert for each of two contracts, held by mutes of different lengths. */
async function muted() {
  const world = await deliveryWorld();
  const mute = (contract: ContractKey, until: number) => ({
    ...{ id: contract, by: BY, from: NOON, until, contract },
  });
  await puttingInto(world.table).mutes({
    ...{ list: LIST, version: 1, mutes: [mute(PUNKS, LATER), mute(APES, SOON)] },
  });
  const alerts = [
    anAlert({ id: 'w1.1.1', contract: PUNKS }),
    anAlert({ id: 'w2.1.1', contract: APES }),
  ];
  await postAlerts(world.ports, alerts, [QUEUE]);
  await world.deliver(QUEUE);
  return { ...world, alerts };
}

describe('a channel under two mutes', () => {
  it('a channel under two mutes is due when the first of them ends', async () => {
    const { records } = await muted();

    expect(await records.get(QUEUE)).toMatchObject({ mutedUntil: SOON, dueAt: SOON });
  });

  it('a channel under two mutes is due when the first of them ends, even if its inbox has several pages', async () => {
    const { ports, records } = await muted();
    const known = await records.get(QUEUE);
    if (known !== undefined) await records.put({ ...known, mutedUntil: NOON });
    const { entries } = await ports.mutedInInbox(QUEUE);
    const [soon, later] = entries.toSorted((a, b) => a.held.until - b.held.until);
    const mutedInInbox: typeof ports.mutedInInbox = async (_destination, after) =>
      after === undefined
        ? { entries: soon === undefined ? [] : [soon], next: 'page 2' }
        : { entries: later === undefined ? [] : [later] };

    await deliverMessages({ ...ports, mutedInInbox }, { destinationId: QUEUE }, signal);

    expect((await records.get(QUEUE))?.mutedUntil).toBe(SOON);
  });

  it('the muted alerts of a channel are given up when its list removes the channel', async () => {
    const { list, watchlists, ports, alerts, deliver } = await muted();
    await watchlists.put({ ...list, revision: list.revision + 1, channels: [] });

    await deliver(QUEUE);

    const outcomes = await Promise.all(alerts.map((alert) => ports.getOutcome(alert, QUEUE)));
    expect(outcomes.map((outcome) => outcome?.state)).toEqual(['failed', 'failed']);
  });
});

it('the first alert of a channel is sent if its mute is lifted while the alert is being held', async () => {
  const { ports, table, notifications } = await deliveryWorld();
  const { mutes } = puttingInto(table);
  const mute = { id: PUNKS, by: BY, from: NOON, until: LATER, contract: PUNKS };
  await mutes({ list: LIST, version: 1, mutes: [mute] });
  await postAlerts(ports, [anAlert({ contract: PUNKS })], [QUEUE]);
  let lifted = false;
  const muteInInbox: typeof ports.muteInInbox = async (...args) => {
    // The channel has no record yet, so lifting the mute changes no record that could conflict.
    if (!lifted) await mutes({ list: LIST, version: 2, mutes: [] });
    lifted = true;
    return await ports.muteInInbox(...args);
  };

  await deliverMessages({ ...ports, muteInInbox }, { destinationId: QUEUE }, signal);

  expect(lifted).toBe(true);
  expect(sent(notifications)).toHaveLength(1);
});

it('an alert remains in its inbox if the table fails while the alert is being held', async () => {
  const table = createMemoryTable();
  const entry = anInboxEntry(QUEUE, anAlert());
  await createInboxStore(table).put(entry);
  const failing = createInboxStore({ ...table, put: () => Promise.reject(new Error('cut')) });

  await expect(failing.hold(entry, { for: 'quiet', until: LATER })).rejects.toThrow('cut');

  expect(await createInboxStore(table).oldest(QUEUE, 9)).toHaveLength(1);
});

it('settleAll returns false if too little time is left to record all outcomes', async () => {
  const { ports, state } = await deliveryWorld();
  const entries = Array.from({ length: 30 }, (_, n) =>
    anInboxEntry(QUEUE, anAlert({ id: `w${n}.1.1` })),
  );
  const answered = answeredBy(entries, { state: 'sent', at: NOON });

  const inTime = await settleAll(ports, answered);
  state.remaining = 10 * SECOND;
  const late = await settleAll(ports, answered);

  expect([inTime, late]).toEqual([true, false]);
});
