import { expect, it } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';

type Episodes = Answer<'GET /v1/episodes'>;

const SECOND = 1000;
const titled = (title: string): Episodes => {
  const page = example('GET /v1/episodes');
  return { ...page, episodes: page.episodes.map((episode) => ({ ...episode, title })) };
};
const later = () => Promise.withResolvers<Episodes>();

it('a late answer to an earlier request is not shown', async () => {
  const [earlier, newest] = [later(), later()];
  const backend = fakeInterface({
    'GET /v1/episodes': ({ query }) => (query.state === 'over' ? newest : earlier).promise,
  });
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.choose('State', 'Only ended');
  newest.resolve(titled('an episode that is over'));
  await tab.pass(SECOND);
  earlier.resolve(titled('an episode of the earlier question'));
  await tab.pass(SECOND);

  expect(tab.text()).toContain('an episode that is over');
  expect(tab.text()).not.toContain('an episode of the earlier question');
});

it('a new request hides the earlier answer until the new answer arrives', async () => {
  const backend = fakeInterface({
    'GET /v1/episodes': ({ query }) =>
      query.state === 'over' ? later().promise : titled('an episode of the earlier question'),
  });
  const tab = await openTab(backend, { hash: '#/alerts' });
  const before = tab.text();

  await tab.choose('State', 'Only ended');

  expect(before).toContain('an episode of the earlier question');
  expect(tab.text()).not.toContain('an episode of the earlier question');
  expect(tab.text()).toContain('Loading');
});

it('a late answer that was requested before a change does not replace the state after the change', async () => {
  const slow = later();
  const answers = [titled('before'), slow.promise, titled('acknowledged')];
  const backend = fakeInterface({
    'GET /v1/episodes': () => answers.shift() ?? titled('acknowledged'),
  });
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.pass(15 * SECOND);
  await tab.click('Acknowledge');
  const after = tab.text();
  slow.resolve(titled('what somebody else did before'));
  await tab.pass(SECOND);

  expect(after).toContain('acknowledged');
  expect(tab.textsOf('h3')).toContain('acknowledged');
});

it('a page polls every 15 seconds with If-None-Match', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend);

  await tab.pass(46 * SECOND);

  const tags = backend.asked('GET /v1/overview').map(({ ifNoneMatch }) => ifNoneMatch);
  expect(tags).toEqual([null, ...Array(3).fill(expect.stringMatching(/^"/))]);
  expect(tab.text()).toContain('CryptoPunks');
});

it('a page shows a change of the polled answer', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.pass(16 * SECOND);
  backend.reply({ 'GET /v1/episodes': () => titled('a new episode') });
  await tab.pass(15 * SECOND);

  expect(tab.text()).toContain('a new episode');
});

it('a hidden page does not poll, and polls at once when it is visible again', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend);

  await tab.look(false);
  await tab.pass(60 * SECOND);
  const unseen = backend.asked('GET /v1/overview').length;
  await tab.look(true);
  const seen = backend.asked('GET /v1/overview').length;
  await tab.pass(16 * SECOND);

  expect([unseen, seen, backend.asked('GET /v1/overview').length]).toEqual([1, 2, 3]);
});

it('an answer that arrives on a hidden page schedules no further poll', async () => {
  const slow = later();
  const backend = fakeInterface({ 'GET /v1/episodes': () => slow.promise });
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.look(false);
  slow.resolve(titled('an episode'));
  await tab.pass(60 * SECOND);

  expect(backend.asked('GET /v1/episodes')).toHaveLength(1);
});

it('a page polls at once after its own change, and every 3 seconds for a minute', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend, { hash: '#/alerts' });
  const count = () => backend.asked('GET /v1/episodes').length;

  await tab.click('Acknowledge');
  const atOnce = count();
  await tab.pass(10 * SECOND);
  const soon = count();
  await tab.pass(60 * SECOND);
  const before = count();
  await tab.pass(14 * SECOND);

  expect([atOnce, soon]).toEqual([2, 5]);
  expect(count() - before).toBeLessThanOrEqual(1);
});

it('a page stops polling when it is left', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend);

  await tab.open('#/alerts');
  await tab.pass(60 * SECOND);

  expect(backend.asked('GET /v1/overview')).toHaveLength(1);
});

it('an offline page keeps its last answer, shows that it is offline, and recovers', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend);

  backend.reach(false);
  await tab.pass(80 * SECOND);
  const offline = tab.text();
  backend.reach(true);
  tab.window.dispatchEvent(new tab.window.Event('online'));
  await tab.pass(0);

  expect(offline).toMatch(/Offline.*Last update: 1 min ago/);
  expect(offline).toContain('CryptoPunks');
  expect(tab.textsOf('[role=status]')).toContain('Live');
});

it('a page keeps its last answer when a later poll is refused, and shows the reason until the next answer', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend, { hash: '#/alerts' });

  backend.reply({ 'GET /v1/episodes': () => refusal('too many', { type: 'throttled' }) });
  await tab.pass(16 * SECOND);
  const refused = tab.text();
  backend.reply({ 'GET /v1/episodes': () => titled('an episode') });
  await tab.pass(15 * SECOND);

  expect(refused).toContain('too many');
  expect(refused).toContain('CryptoPunks below 60 ETH');
  expect(tab.text()).not.toContain('too many');
});
