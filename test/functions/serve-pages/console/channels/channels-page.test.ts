import { expect, it } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';

type Channel = Answer<'GET /v1/channels'>['channels'][number];
type Replies = NonNullable<Parameters<typeof fakeInterface>[0]>;

const READ = 'GET /v1/channels/{channel}';
const PUT = 'PUT /v1/channels/{channel}';
const STATUS = {
  ...{ state: 'working', reason: null, since: null, waiting: 0, lastSuccess: null },
} as const;

const aWebhook = (given: object = {}) =>
  ({
    ...{ id: 'hook', kind: 'webhook', url: 'https://hooks.example/a' },
    ...{ secrets: ['kept:0123abcd'], batchSize: 10, ...STATUS, ...given },
  }) as unknown as Channel;

/** An API with one shared channel. */
const interfaceWith = (channel: Channel, replies: Replies = {}) =>
  fakeInterface({
    'GET /v1/channels': () => ({ channels: [channel], undeliverable: false, unreadable: [] }),
    [READ]: () => ({ ...example(READ), channel }),
    ...replies,
  });

it('saving a channel keeps stored secrets and members that have no field', async () => {
  const backend = interfaceWith(aWebhook({ addedLater: 'stays' }));
  const tab = await openTab(backend, { hash: '#/channels' });

  await tab.click('Edit');
  await tab.type('URL', ' https://hooks.example/b ');
  await tab.click('Save channel');

  // The API of this version refuses members of a later version.
  const errors = tab.textsOf('[role=alert]').join();
  expect(errors).toContain('addedLater');
  expect(backend.asked(PUT)).toMatchObject([
    {
      path: { channel: 'hook' },
      body: {
        ...{ id: 'hook', kind: 'webhook', url: 'https://hooks.example/b' },
        ...{ secrets: ['kept:0123abcd'], batchSize: 10, addedLater: 'stays' },
      },
    },
  ]);
  expect(Object.keys(backend.asked(PUT)[0]?.body ?? {})).not.toContain('state');
});

it('saving a channel retries after a change of another channel, and shows a conflict after a change of the same channel', async () => {
  const others = [refusal('channels have changed', { type: 'precondition_failed' })];
  const backend = interfaceWith(aWebhook(), {
    [PUT]: () => others.shift() ?? example(PUT),
  });
  const tab = await openTab(backend, { hash: '#/channels' });

  await tab.click('Edit');
  await tab.type('URL', 'https://hooks.example/b');
  await tab.click('Save channel');
  const afterOther = backend.asked(PUT).length;
  const closed = !tab.has('Save channel');
  await tab.click('Edit');
  others.push(refusal('channels have changed', { type: 'precondition_failed' }));
  const theirs = aWebhook({ url: 'https://hooks.example/theirs' });
  backend.reply({ [READ]: () => ({ ...example(READ), channel: theirs }) });
  await tab.type('URL', 'https://hooks.example/mine');
  await tab.click('Save channel');

  expect([afterOther, closed]).toEqual([2, true]);
  expect(backend.asked(PUT)).toHaveLength(3);
  expect(tab.textsOf('.difference tr')[1]).toBe(
    'urlhttps://hooks.example/ahttps://hooks.example/theirshttps://hooks.example/mine',
  );
});

it('a new channel has only the members of its kind', async () => {
  const backend = interfaceWith(aWebhook());
  const tab = await openTab(backend, { hash: '#/channels' });

  await tab.click('Add a channel');
  await tab.type('Address', 'desk@example.com');
  await tab.check('Webhook');
  await tab.type('Name', ' hook-2 ');
  await tab.type('URL', 'https://hooks.example/c');
  await tab.type('Signing secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  await tab.type('Maximum alerts per request', '25');
  await tab.click('Add channel');

  expect(backend.asked('POST /v1/channels').map(({ body }) => body)).toEqual([
    {
      ...{ kind: 'webhook', id: 'hook-2', url: 'https://hooks.example/c', batchSize: 25 },
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    },
  ]);
});

it('choosing another kind of channel empties the fields', async () => {
  const backend = interfaceWith(aWebhook());
  const tab = await openTab(backend, { hash: '#/channels' });

  await tab.click('Add a channel');
  await tab.check('Slack');
  await tab.type('Webhook URL', 'https://hooks.slack.com/services/T1/B1/abc');
  await tab.check('Webhook');

  expect(tab.valueOf('URL')).toBe('');
});

it('a stored secret is never shown, and stays until it is replaced', async () => {
  const url = 'kept:0123abcd';
  const slack = { ...STATUS, id: 'chat', kind: 'slack', url } as unknown as Channel;
  const backend = interfaceWith(slack);
  const tab = await openTab(backend, { hash: '#/channels' });

  const shown = tab.text();
  await tab.click('Edit');
  await tab.click('Save channel');
  await tab.click('Edit');
  await tab.click('Replace');
  await tab.type('Webhook URL', 'https://hooks.slack.com/services/T1/B1/abc');
  await tab.click('Save channel');

  expect(shown).toContain('Webhook URL saved');
  expect(shown).not.toContain(url);
  expect(backend.asked(PUT).map(({ body }) => body)).toMatchObject([
    { url },
    { url: 'https://hooks.slack.com/services/T1/B1/abc' },
  ]);
});

it('removing a channel needs a confirmation', async () => {
  const backend = interfaceWith(aWebhook());
  const tab = await openTab(backend, { hash: '#/channels' });
  const removed = () => backend.asked('DELETE /v1/channels/{channel}');

  await tab.click('Remove');
  const before = removed().length;
  await tab.click('Yes, remove hook');

  expect(before).toBe(0);
  expect(removed()).toMatchObject([{ path: { channel: 'hook' }, ifMatch: '*' }]);
});

it('a channel in use is not removed, and the reason is shown', async () => {
  const inUse = refusal('the list “Punks” uses it', { type: 'in_use' });
  const backend = interfaceWith(aWebhook(), { 'DELETE /v1/channels/{channel}': () => inUse });
  const tab = await openTab(backend, { hash: '#/channels' });

  await tab.click('Remove');
  await tab.click('Yes, remove hook');

  expect(tab.text()).toContain('the list “Punks” uses it');
  expect(tab.text()).not.toContain('was removed');
});

it('a channel test polls its alert until it is delivered', async () => {
  const alert = '2026-11-21T12:05:00.000Z~a%b.1.1';
  const read = example('GET /v1/alerts/{alert}');
  const [delivery] = Object.values(read.deliveries);
  const answers = (['pending', 'sent'] as const).map((state) => ({
    ...read,
    deliveries: delivery ? { hook: { ...delivery, state } } : {},
  }));
  const backend = interfaceWith(aWebhook(), {
    'POST /v1/channels/{channel}/test': () => ({
      ...example('POST /v1/channels/{channel}/test'),
      self: `/v1/alerts/${encodeURIComponent(alert)}`,
    }),
    'GET /v1/alerts/{alert}': () => answers.shift() ?? read,
  });
  const tab = await openTab(backend, { hash: '#/channels' });

  await tab.click('Send a test');
  const underWay = tab.text();
  await tab.pass(2000);

  expect(underWay).toContain('Waiting for delivery…');
  expect(tab.text()).toContain('The test has arrived.');
  const asked = backend.asked('GET /v1/alerts/{alert}').map(({ path }) => path.alert);
  expect(new Set(asked)).toEqual(new Set([alert]));
});

it('a channel names the lists that use it', async () => {
  const page = example('GET /v1/watchlists');
  const watchlists = page.watchlists.map((list) => ({ ...list, channels: ['hook'] }));
  const using = interfaceWith(aWebhook(), {
    'GET /v1/watchlists': () => ({ ...page, watchlists }),
  });

  const used = await openTab(using, { hash: '#/channels' });
  expect(used.text()).toContain('Used by “Punks”.');
  const unused = await openTab(interfaceWith(aWebhook()), { hash: '#/channels' });
  expect(unused.text()).toContain('No list uses it yet.');
});

it('saving, testing and removing a channel report a lost connection', async () => {
  const backend = interfaceWith(aWebhook());
  const tab = await openTab(backend, { hash: '#/channels' });
  await tab.click('Edit');

  backend.reach(false);
  await tab.click('Save channel');
  const saved = tab.text();
  await tab.click('Cancel');
  await tab.click('Send a test');
  const tested = tab.text();
  await tab.click('Remove');
  await tab.click('Yes, remove hook');

  expect(saved).toContain('The channel was not saved: the server cannot be reached.');
  expect(tested).toContain('Not sent: the server cannot be reached.');
  expect(tab.text()).toContain('The channel was not removed: the server cannot be reached.');
  expect(tab.textsOf('.announcements')).toEqual(['']);
});

it('replacing one of two signing secrets keeps the other', async () => {
  const secrets = ['kept:0123abcd', 'kept:89abcdef'];
  const backend = interfaceWith(aWebhook({ secrets }));
  const tab = await openTab(backend, { hash: '#/channels' });

  await tab.click('Edit');
  await tab.click('Replace');
  await tab.type('Signing secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  await tab.click('Save channel');

  expect(backend.asked(PUT)).toMatchObject([
    { body: { secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'kept:89abcdef'] } },
  ]);
});

it('an email address is confirmed by the link of its mail', async () => {
  const topic = 'arn:aws:sns:eu-west-1:123456789012:floorwatch-dev-0a1b';
  const token = '2336412f37fb687f5d51e6e2425ba1f2';
  const link = `https://sns.eu-west-1.amazonaws.com/confirmation.html?TopicArn=${topic}&Token=${token}`;
  const email = { ...STATUS, id: 'desk', kind: 'email', to: 'desk@example.com' };
  const backend = interfaceWith({ ...email, state: 'pending' } as unknown as Channel);
  const tab = await openTab(backend, { hash: '#/channels' });

  await tab.type(/^Link from the email/, ` ${link} `);
  await tab.click('Confirm');

  expect(backend.asked('POST /v1/channels/{channel}/confirm')).toMatchObject([
    { path: { channel: 'desk' }, body: { link } },
  ]);
  expect(tab.text()).toContain('The channel “desk” is confirmed.');
});

it('the instructions for email tell people to copy the link in the email, and their picture shows that link', async () => {
  const tab = await openTab(fakeInterface(), { hash: '#/channels' });

  await tab.click('Add a channel');

  const [, , third] = tab.textsOf('.steps li');
  expect(third).toContain('Copy the link from that email and paste it here, but do not open it');
  expect(third).toContain('Copy link');
  expect(third).not.toContain('Confirm subscription');
});

it('a channel shows its state, the reason, and the remedy', async () => {
  const since = '2026-11-21T11:05:00.000Z';
  const failing = { state: 'failing', reason: 'answered 500', since, waiting: 100 };
  const tab = await openTab(interfaceWith(aWebhook(failing)), { hash: '#/channels' });

  expect(tab.text()).toContain('Failing');
  expect(tab.text()).toContain('answered 500 · first failed 60 min ago');
  expect(tab.text()).toContain('Nothing delivered yet · 100 or more alerts waiting');
  expect(tab.text()).toContain('To retry them now, send a test.');
});
