import { expect, it } from 'vitest';
import { discordDouble } from '#shared/channels/discord/double.ts';
import type { discordMessage } from '#shared/channels/discord/message.ts';
import { pagerdutyDouble } from '#shared/channels/pagerduty/double.ts';
import { acknowledgedAlert } from '#shared/domain/alerting/acknowledged-alert.ts';
import type { AlertKind } from '#shared/domain/alerting/alert.ts';
import { aPostedAlert, eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const HALL = { ...discordDouble.channel };
const PAGER = { ...pagerdutyDouble.channel };
const EMAIL = { id: 'mail', kind: 'email', to: 'desk@example.com' } as const;

type Shown = { readonly title: string; readonly facts: readonly string[]; readonly links: string };

/** A rule that has fired, and the messages that the chat shows, oldest first. */
async function firing(...channels: NonNullable<Parameters<World['putList']>[0]['channels']>) {
  const shown: Shown[] = [];
  const events: string[] = [];
  const [hall, pager] = [discordDouble.create(Date.now), pagerdutyDouble.create(Date.now)];
  const world = createWorld({
    cadenceMinutes: 1,
    receiver: async ({ method, url, body = '' }) => {
      const answerTo = url.hostname === 'discord.com' ? hall : pager;
      const { taken, ...said } = answerTo({ method, path: url.pathname, body: String(body) });
      if (taken === undefined) throw new Error(said.issue);
      if (answerTo === pager) {
        events.push((taken.message as { event_action: string }).event_action);
      } else {
        const [{ title, fields = [], description = '' }] = (
          taken.message as ReturnType<typeof discordMessage>
        ).embeds;
        const place = taken.edits === undefined ? shown.length : Number(taken.edits) - 1;
        shown[place] = {
          ...{ title, links: description },
          facts: fields.map(({ name, value }) => `${name}: ${value}`),
        };
      }
      return { headers: {}, ...said };
    },
  });
  const floorIs = (price: string) => {
    const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
    world.answers.floor = () => ({ kind: 'ok', value: [point] });
  };
  floorIs('59');
  const rule = { metric: 'floor_price', when: 'below' as const, threshold: '60', steps: '10' };
  const rules = [{ id: 'low', ...rule, repeat: { reminder: '10m' } }];
  const put = async (...given: typeof channels) =>
    await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules, channels: given });
  await put(...channels);
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) await world.tick();
  };
  await minutes(2);
  const deliveriesOf = async (kind: AlertKind) => {
    const list = { tenant: 'acme', id: 'mine' };
    const { entries } = await world.stores.alerts.ofList(list, { limit: 99, after: undefined });
    return entries.flatMap(({ alert, deliveries }) => (alert.kind === kind ? [deliveries] : []));
  };
  return { world, put, shown, events, floorIs, minutes, deliveriesOf };
}

const ACKNOWLEDGED = 'Acknowledged: by key \\"the script\\"';

it('an acknowledgement edits the message of its episode', async () => {
  const { world, shown, minutes } = await firing(HALL);

  await world.acknowledge('mine', 'low', PUNKS);
  await minutes(1);

  expect(shown).toHaveLength(1);
  expect(shown[0]?.title).toContain('59 ETH');
  expect(shown[0]?.facts[0]).toContain(ACKNOWLEDGED);
});

it('acknowledging an older alert of an episode updates the message of the episode, which keeps the newest value', async () => {
  const { world, shown, floorIs, minutes } = await firing(HALL);
  floorIs('49');
  await minutes(2);

  await world.acknowledge('mine', 'low', PUNKS);
  await minutes(1);

  expect(shown).toHaveLength(1);
  expect(shown[0]?.title).toContain('49 ETH');
  expect(shown[0]?.facts[0]).toContain(ACKNOWLEDGED);
});

it('an acknowledgement stays in the message of its episode, and is not in the message of the next episode', async () => {
  const { world, shown, floorIs, minutes } = await firing(HALL);
  await world.acknowledge('mine', 'low', PUNKS);

  for (const price of ['49', '61', '58']) {
    floorIs(price);
    await minutes(2);
    if (price === '49') expect(shown[0]?.title).toContain('Worsened');
  }

  expect(shown).toHaveLength(2);
  expect(shown[0]?.title).toContain('Resolved');
  expect(shown[0]?.facts[0]).toContain(ACKNOWLEDGED);
  expect(shown[1]?.facts.join()).not.toContain('Acknowledged');
});

it('an acknowledgement sends an event to PagerDuty and edits the message in a chat, but sends no email', async () => {
  const { world, events, minutes, deliveriesOf } = await firing(PAGER, EMAIL, HALL);

  await world.acknowledge('mine', 'low', PUNKS);
  await minutes(1);

  expect(events).toEqual(['trigger', 'acknowledge']);
  expect(await deliveriesOf('acknowledged')).toEqual([
    {
      'acme#mine#pager': expect.objectContaining({ state: 'sent' }),
      'acme#mine#hall': expect.objectContaining({ state: 'sent' }),
    },
  ]);
});

it('an acknowledgement creates no alert if all channels leave the list before the acknowledgement is reported', async () => {
  const { world, put, minutes, deliveriesOf } = await firing(HALL);

  await world.acknowledge('mine', 'low', PUNKS);
  await put();
  await minutes(1);

  expect(await deliveriesOf('acknowledged')).toEqual([]);
});

it('an acknowledgement is not sent to a channel that received no message of the episode', async () => {
  const { world, put, shown, minutes, deliveriesOf } = await firing();
  await put(HALL);
  await minutes(1);

  await world.acknowledge('mine', 'low', PUNKS);
  await minutes(1);

  expect(shown).toEqual([]);
  expect(await deliveriesOf('acknowledged')).toEqual([]);
});

it('a changed acknowledgement is reported again', async () => {
  const { world, shown, minutes } = await firing(HALL);
  await world.acknowledge('mine', 'low', PUNKS);
  await minutes(1);

  await world.acknowledge('mine', 'low', PUNKS, 'worsening');
  await minutes(1);

  expect(shown[0]?.facts.slice(0, 2)).toEqual([
    expect.stringContaining(ACKNOWLEDGED),
    'Snoozed: until the rule recovers',
  ]);
});

it('an acknowledgement and a later change of it are both delivered, even if a worker crashed in between', async () => {
  const { world, minutes, deliveriesOf } = await firing(HALL);
  const { acknowledgements, alerts } = world.stores;
  const list = { tenant: 'acme', id: 'mine' };
  world.mail.lost = world.mail.sent + 1;
  await world.acknowledge('mine', 'low', PUNKS);
  const [first] = (await acknowledgements.ofList(list)).entries;
  const [{ alert } = {}] = (await alerts.ofList(list, { limit: 1, after: undefined })).entries;
  if (first === undefined || alert === undefined) throw new Error('nothing is acknowledged');
  const posted = acknowledgedAlert(first, alert);
  await alerts.post(aPostedAlert(posted, ['acme#mine#hall'], world.now()));

  await world.acknowledge('mine', 'low', PUNKS, 'worsening');
  await minutes(2);

  const deliveries = await deliveriesOf('acknowledged');
  expect(deliveries.map((of) => of['acme#mine#hall']?.state)).toEqual(['sent', 'sent']);
});

it('an acknowledgement is reported even if its queue message was lost and a mute is active', async () => {
  const { world, shown, minutes } = await firing(HALL);
  await world.mute('mine', 60);
  world.pass(1000);
  world.mail.lost = world.mail.sent + 1;

  await world.acknowledge('mine', 'low', PUNKS);
  await world.drain();
  const before = shown[0]?.facts;
  await minutes(2);

  expect(before).toEqual([]);
  expect(shown[0]?.facts[0]).toContain(ACKNOWLEDGED);
});
