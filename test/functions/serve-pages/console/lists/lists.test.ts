import { expect, it } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { toCursor } from '#shared/http/cursor.ts';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

type List = Answer<'GET /v1/watchlists/{watchlist}'>;
type Exported = Answer<'GET /v1/watchlists/{watchlist}/export'>;
type DryRun = Extract<Answer<'PUT /v1/watchlists/{watchlist}'>, { readonly differences: unknown }>;
type Replies = NonNullable<Parameters<typeof fakeInterface>[0]>;

const PUT = 'PUT /v1/watchlists/{watchlist}';
const LIST = '#/lists/punks';

const SAME = { added: [], changed: [], removed: [] };

/** The answer to a dry run, with one change. */
const WOULD: DryRun = {
  revision: 3,
  edit: {
    ...{ name: null, wallet: null, contracts: SAME, channels: SAME },
    rules: { ...SAME, changed: ['floor-60'] },
  },
  differences: [
    {
      ...{ part: 'rule', name: 'floor-60', how: 'changed' },
      members: [{ member: 'notifyRecovery', before: 'true', after: 'false' }],
    },
  ],
  restarted: ['floor-60'],
  watches: { begun: 1, ended: 2 },
  forecast: {
    ...{ watches: [], leftOut: 0, warnings: [] },
    cadence: { minutes: 30, promisedMinutes: 30, contractsThatFit: null },
  },
};

const listOf = (given: Partial<List>): List => ({
  ...example('GET /v1/watchlists/{watchlist}'),
  ...given,
});

const isDryRun = ({ query }: { readonly query: Readonly<Record<string, string>> }) =>
  query.dryRun === 'true';

/** The page of a list, with an answer to dry runs. */
const interfaceWith = (replies: Replies = {}) =>
  fakeInterface({
    [PUT]: (asked) => (isDryRun(asked) ? WOULD : example(PUT)),
    ...replies,
  });

it('saving the settings of a list keeps settings that the form does not show, and sends the revision that was read', async () => {
  const [desk = 'desk'] = example('GET /v1/watchlists/{watchlist}/export').channels;
  const exported: Exported = {
    ...example('GET /v1/watchlists/{watchlist}/export'),
    channels: ['shared', desk],
    wallet: '0x00000000219ab540356cbb839cbe05303d7705fa',
    notify: { critical: ['desk'] },
    quiet: [{ from: '22:00', to: '07:00' }],
  };
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => listOf({ ...exported, revision: 7 }),
    'GET /v1/watchlists/{watchlist}/export': () => exported,
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.type('Name', ' Whales ');
  await tab.type('Time zone', 'Europe/Berlin');
  await tab.click('Save settings');

  const [saved] = backend.asked(PUT);
  expect(saved).toMatchObject({ path: { watchlist: 'punks' }, query: {}, ifMatch: '"7"' });
  expect(saved?.body).toEqual({
    ...{ ...exported, name: 'Whales', timeZone: 'Europe/Berlin' },
    channels: [desk, 'shared'],
  });
});

it('typed settings stay when somebody else changes the list, and are saved with the revision before that change', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: LIST });

  await tab.type('Name', 'Whales');
  backend.reply({
    'GET /v1/watchlists/{watchlist}': () => listOf({ name: 'Theirs', revision: 4 }),
  });
  await tab.pass(16_000);
  const typed = tab.valueOf('Name');
  await tab.click('Save settings');

  expect(tab.textsOf('h1')).toEqual(['Theirs']);
  expect(typed).toBe('Whales');
  expect(backend.asked(PUT)[0]?.ifMatch).toBe('"3"');
});

it('untouched settings follow the newest revision', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: LIST });

  backend.reply({
    'GET /v1/watchlists/{watchlist}': () => listOf({ name: 'Theirs', revision: 4 }),
  });
  await tab.pass(16_000);

  expect(tab.valueOf('Name')).toBe('Theirs');
});

it('a settings conflict shows the changes that saving would make, and only a second press overwrites the list', async () => {
  const refusals = [refusal('it has changed', { type: 'precondition_failed' })];
  const backend = interfaceWith({
    [PUT]: (asked) =>
      isDryRun(asked) ? { ...WOULD, revision: 9 } : (refusals.shift() ?? example(PUT)),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.type('Name', 'Whales');
  await tab.click('Save settings');
  const asked = tab.text();
  await tab.click('Save mine');

  expect(asked).toContain('Somebody else changed this list while you were editing it.');
  expect(asked).toContain('changed rule floor-60notify recovery true → false');
  const tags = backend.asked(PUT).map((one) => [isDryRun(one), one.ifMatch]);
  expect(tags).toEqual([
    [false, '"3"'],
    [true, null],
    [false, '"9"'],
  ]);
  expect(tab.text()).toContain('Saved.');
});

it('restoring a list shows a dry run first, and sends its revision', async () => {
  const document = { name: 'Then', contracts: [], rules: [], channels: [] };
  const backend = interfaceWith({
    'GET /v1/changes/{change}': () => ({ ...example('GET /v1/changes/{change}'), document }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Show what changed');
  await tab.click('Restore this version…');
  const written = backend.asked(PUT).filter((asked) => !isDryRun(asked)).length;
  const would = tab.text();
  await tab.click('Restore');

  expect(written).toBe(0);
  expect(would).toContain('This would change the list. 1 watch would start, 2 would end.');
  expect(would).toContain('Open episodes of these rules would be closed: floor-60.');
  expect(backend.asked(PUT).map(({ query, ifMatch }) => [query.dryRun, ifMatch])).toEqual([
    ['true', null],
    [undefined, '"3"'],
  ]);
  expect(backend.asked(PUT).map(({ body }) => body)).toEqual([document, document]);
});

it('restoring a deleted list sends no revision', async () => {
  const document = { name: 'Then', contracts: [], rules: [], channels: [] };
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => refusal('there is no such list', { type: 'not_found' }),
    'GET /v1/changes/{change}': () => ({ ...example('GET /v1/changes/{change}'), document }),
    [PUT]: (asked) => (isDryRun(asked) ? { ...WOULD, revision: null } : example(PUT)),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Show what changed');
  await tab.click('Restore this version…');
  const would = tab.text();
  await tab.click('Restore');

  expect(would).toContain('This would create the list.');
  expect(backend.asked(PUT).at(-1)).toMatchObject({ query: {}, ifMatch: null, body: document });
});

it('a restore that finds a newer revision repeats the dry run, and writes nothing', async () => {
  const refusals = [refusal('it has changed', { type: 'precondition_failed' })];
  const backend = interfaceWith({
    'GET /v1/changes/{change}': () => ({
      ...example('GET /v1/changes/{change}'),
      document: { name: 'Then' },
    }),
    [PUT]: (asked) => (isDryRun(asked) ? WOULD : (refusals.shift() ?? example(PUT))),
  });
  const tab = await openTab(backend, { hash: LIST });
  await tab.click('Show what changed');
  await tab.click('Restore this version…');

  await tab.click('Restore');

  expect(backend.asked(PUT).map(isDryRun)).toEqual([true, false, true]);
  expect(tab.text()).toContain('Somebody else changed the list. Check the new preview');
  expect(tab.has('Restore')).toBe(true);
});

it('a list links to the form of a new rule on each of its collections', async () => {
  const backend = interfaceWith({
    // Prices never arrive, because the chart of the form needs a canvas.
    'GET /v1/contracts/{contract}/prices': () => Promise.withResolvers<never>().promise,
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('New rule on CryptoPunks');

  expect(tab.address()).toMatch(/collections\/eth%3A0xb47e\w+\/rules\/punks\/new$/);
});

it('editing or removing a collection sends the shown revision', async () => {
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => listOf({ revision: 5 }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Edit CryptoPunks');
  await tab.type(/^Name in messages/, ' ');
  await tab.click('Save');
  await tab.click('Remove CryptoPunks');
  const before = backend.asked('DELETE /v1/watchlists/{watchlist}/contracts/{contract}').length;
  await tab.click('Remove it');

  const path = { watchlist: 'punks', contract: PUNKS };
  expect(backend.asked('PUT /v1/watchlists/{watchlist}/contracts/{contract}')).toMatchObject([
    { path, body: {}, ifMatch: '"5"' },
  ]);
  expect(before).toBe(0);
  expect(backend.asked('DELETE /v1/watchlists/{watchlist}/contracts/{contract}')).toMatchObject([
    { path, ifMatch: '"5"' },
  ]);
});

it('the form of a collection keeps its name, and saves its holding', async () => {
  const cost = { price: '12.5', unit: 'eth' };
  const contracts = [{ contract: PUNKS, name: 'CryptoPunks', amount: 3, cost }];
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => listOf({ contracts }),
    'GET /v1/watchlists/{watchlist}/value': () => Promise.withResolvers<never>().promise,
  });
  const tab = await openTab(backend, { hash: LIST });
  expect(tab.text()).toContain('3 held · cost 12.5 ETH each');

  await tab.click('Edit CryptoPunks');
  await tab.type('Tokens held', '2');
  await tab.type('Cost per token', '11,25');
  await tab.choose('Currency', 'US dollars');
  await tab.click('Save');

  expect(backend.asked('PUT /v1/watchlists/{watchlist}/contracts/{contract}')).toMatchObject([
    { body: { name: 'CryptoPunks', amount: 2, cost: { price: '11.25', unit: 'usd' } } },
  ]);
});

it('a list that holds tokens shows their value, and links to the form of a rule on the value', async () => {
  const contracts = [{ contract: PUNKS, name: 'CryptoPunks', amount: 2 }];
  const valued = example('GET /v1/watchlists/{watchlist}/value');
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => listOf({ contracts }),
    // Without prices no chart is drawn, which would need a canvas.
    'GET /v1/watchlists/{watchlist}/value': () => ({ ...valued, prices: null }),
  });
  const tab = await openTab(backend, { hash: LIST });

  const text = tab.text();
  backend.reply({
    'GET /v1/watchlists/{watchlist}/value': () => Promise.withResolvers<never>().promise,
  });
  await tab.click('New rule on the list value');

  expect(text).toContain('122.5 ETH');
  expect(text).toContain('2 × 61.25 ETH');
  expect(tab.address()).toMatch(/collections\/eth%3A0xb47e\w+%40\w{24}\/rules\/punks\/new$/);
});

it('a list that holds nothing has no value', async () => {
  const backend = interfaceWith();

  const tab = await openTab(backend, { hash: LIST });

  expect(tab.has('New rule on the list value')).toBe(false);
  expect(backend.asked('GET /v1/watchlists/{watchlist}/value')).toEqual([]);
});

it('deleting a list needs a confirmation, and sends the shown revision', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: LIST });
  const deleted = () => backend.asked('DELETE /v1/watchlists/{watchlist}');

  await tab.click('Delete this list…');
  const lost = tab.text();
  const before = deleted().length;
  await tab.click('Delete “Punks”');

  expect(lost).toContain('This deletes “Punks” with 1 collection, 1 rule and 1 channel.');
  expect(lost).toContain('1 open episode will be closed');
  expect(backend.asked('GET /v1/episodes').at(-1)?.query).toMatchObject({
    ...{ watchlist: 'punks', state: 'open' },
  });
  expect(before).toBe(0);
  expect(deleted()).toMatchObject([{ path: { watchlist: 'punks' }, ifMatch: '"3"' }]);
  expect(tab.address()).toBe('/prod/app#/lists');
});

it('an ambiguous collection name offers candidates, and adds the chosen one', async () => {
  const candidates = ['apes', 'mutants'].map((slug) => ({ slug, name: `The ${slug}` }));
  const backend = interfaceWith({
    'GET /v1/collections': () => ({ ...example('GET /v1/collections'), candidates }),
    'POST /v1/watchlists/{watchlist}/contracts': ({ body }) =>
      body === 'mutants'
        ? example('POST /v1/watchlists/{watchlist}/contracts')
        : refusal('several are meant', { type: 'invalid_request' }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.type(/^Add a collection/, ' bored ape ');
  await tab.click('Add');
  await tab.click('The mutants mutants');

  expect(backend.asked('GET /v1/collections')).toMatchObject([{ query: { query: 'bored ape' } }]);
  const added = backend.asked('POST /v1/watchlists/{watchlist}/contracts').map(({ body }) => body);
  expect(added).toEqual(['bored ape', 'mutants']);
});

it('differences hide secrets, and show only that a secret was replaced', async () => {
  const members = [
    { member: 'url', before: 'kept:0123abcd', after: 'kept:89abcdef' },
    { member: 'to', before: null, after: 'desk@example.com' },
  ];
  const backend = interfaceWith({
    'GET /v1/changes/{change}': () => ({
      ...example('GET /v1/changes/{change}'),
      differences: [{ part: 'channel', name: 'chat', how: 'changed', members }],
    }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Show what changed');

  expect(tab.textsOf('.differences li li')).toEqual([
    'url a secret → another secret',
    'to desk@example.com',
  ]);
});

it('export saves the document of the list as a JSON file', async () => {
  const tab = await openTab(interfaceWith(), { hash: LIST });

  await tab.click('Export');

  const [file] = await tab.files();
  expect(file?.name).toBe('punks.json');
  expect(JSON.parse(file?.text ?? '')).toEqual(example('GET /v1/watchlists/{watchlist}/export'));
});

it('consecutive acknowledgements by one key collapse into one entry', async () => {
  const page = example('GET /v1/changes');
  const [change] = page.changes;
  const kim = { key: '1111111111', name: 'Kim', via: null };
  const entries = [
    { by: kim, kind: 'alert_acknowledged' as const },
    { by: kim, kind: 'alert_acknowledged' as const },
    { by: { ...kim, key: '2222222222' }, kind: 'alert_acknowledged' as const },
    { by: kim, kind: 'watchlist_changed' as const },
    { by: kim, kind: 'watchlist_changed' as const },
  ];
  const changes = entries.flatMap((entry, index) =>
    change ? [{ ...change, edit: null, revision: null, ...entry, id: `${change.id}${index}` }] : [],
  );
  const tab = await openTab(interfaceWith({ 'GET /v1/changes': () => ({ ...page, changes }) }), {
    hash: LIST,
  });

  expect(tab.textsOf('.changes > li p:first-child').filter((text) => text.includes('Kim'))).toEqual(
    [
      'Kim acknowledged 2 alerts of this list',
      'Kim acknowledged an alert of this list',
      'Kim changed this list',
      'Kim changed this list',
    ],
  );
});

it('the changes name the channel of a link, and its reader if a name was given', async () => {
  const page = example('GET /v1/changes');
  const link = { key: 'link:desk', via: 'Slack #desk' };
  const changes = ['Ada', 'Bob', ''].flatMap((name) =>
    page.changes.slice(0, 1).map((change) => ({
      ...{ ...change, edit: null, revision: null, id: `${change.id}${name}` },
      ...{ kind: 'alert_acknowledged' as const, by: { ...link, name } },
    })),
  );
  const tab = await openTab(interfaceWith({ 'GET /v1/changes': () => ({ ...page, changes }) }), {
    hash: LIST,
  });

  expect(tab.textsOf('.changes > li p:first-child')).toEqual([
    'Ada acknowledged an alert of this list via Slack #desk',
    'Bob acknowledged an alert of this list via Slack #desk',
    'Acknowledged an alert of this list via Slack #desk',
  ]);
});

it('each part of a request path is encoded exactly once', async () => {
  const backend = interfaceWith();
  await openTab(backend, { hash: '#/lists/50%2525%2Foff' });

  expect(backend.asked('GET /v1/watchlists/{watchlist}')[0]?.path.watchlist).toBe('50%25/off');
});

it('a channel that a list no longer uses is removed from its notifications and its escalation', async () => {
  const exported = example('GET /v1/watchlists/{watchlist}/export');
  const audience = {
    channels: ['chat', 'phone'],
    notify: { critical: ['chat', 'phone'] },
    escalate: { after: '15m', to: ['phone'] },
  };
  const [channel] = example('GET /v1/channels').channels;
  const channels = ['chat', 'phone'].flatMap((id) => (channel ? [{ ...channel, id }] : []));
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => listOf(audience),
    'GET /v1/watchlists/{watchlist}/export': () => ({ ...exported, ...audience }),
    'GET /v1/channels': () => ({ channels, undeliverable: false, unreadable: [] }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.check('phone');
  await tab.click('Save settings');

  const body = backend.asked(PUT)[0]?.body;
  expect(body).toMatchObject({ channels: ['chat'], notify: { critical: ['chat'] } });
  expect(body).not.toHaveProperty('escalate');
});

it('recipients of a severity are saved only if they differ from the default', async () => {
  const exported = example('GET /v1/watchlists/{watchlist}/export');
  const [channel] = example('GET /v1/channels').channels;
  const ids = ['chat', 'desk', 'phone'];
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => listOf({ channels: ids }),
    'GET /v1/watchlists/{watchlist}/export': () => ({ ...exported, channels: ids }),
    'GET /v1/channels': () => ({
      ...{ undeliverable: false, unreadable: [] },
      channels: ids.flatMap((id) => (channel ? [{ ...channel, id }] : [])),
    }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.check('phone gets critical alerts that nobody acknowledged');
  await tab.check('chat gets info alerts');
  await tab.check('phone gets warning alerts');
  await tab.check('phone gets warning alerts');
  await tab.click('Save settings');

  expect(backend.asked(PUT)[0]?.body).toMatchObject({
    escalate: { after: '15m', to: ['phone'] },
    notify: { info: ['desk'] },
  });
  expect(backend.asked(PUT)[0]?.body).not.toHaveProperty('notify.warning');
});

it('emptied settings are removed, and quiet hours keep the members that the form does not show', async () => {
  const times = {
    wallet: '0x00000000219ab540356cbb839cbe05303d7705fa' as const,
    timeZone: 'Europe/Berlin',
    quiet: [
      { from: '22:00', to: '07:00', days: ['mon', 'thu'] as ('mon' | 'thu')[] },
      { from: '12:00', to: '13:00' },
    ],
    report: { every: 'day' as const, at: '09:30' },
  };
  const exported = { ...example('GET /v1/watchlists/{watchlist}/export'), ...times };
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => listOf(times),
    'GET /v1/watchlists/{watchlist}/export': () => exported,
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.type('Wallet', '');
  await tab.choose('Report', 'on Mondays');
  await tab.type('From', '23:00');
  await tab.click('Save settings');
  await tab.click('Remove');
  await tab.choose('On', 'Monday to Friday');
  await tab.choose('Report', 'none');
  await tab.click('Save settings');

  const [first, second] = backend.asked(PUT).map(({ body }) => body);
  expect(first).toMatchObject({
    quiet: [
      { from: '23:00', to: '07:00', days: ['mon', 'thu'] },
      { from: '12:00', to: '13:00' },
    ],
    report: { every: 'mon', at: '09:30' },
  });
  expect(first).not.toHaveProperty('wallet');
  expect(second).toMatchObject({
    quiet: [{ from: '12:00', to: '13:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] }],
  });
  expect(second).not.toHaveProperty('report');
});

it('an import suggests an id from the file name, and needs a dry run for the final id', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: '#/lists' });
  const file = { name: 'My Apes (1).json', text: async () => '{"name": "Apes"}' };
  const input = tab.window.document.querySelector('input[type=file]');
  if (input === null) throw new Error('there is no field for a file');
  Object.defineProperty(input, 'files', { value: [file] });
  input.dispatchEvent(new tab.window.Event('change', { bubbles: true }));
  await tab.pass(0);

  const suggested = tab.valueOf(/^List ID/);
  await tab.click('Preview changes');
  await tab.type(/^List ID/, ' apes ');
  const offered = tab.has('Import');
  await tab.click('Preview changes');
  await tab.click('Import');

  expect([suggested, offered]).toEqual(['my-apes-1', false]);
  const asked = backend.asked(PUT).map((one) => [one.path.watchlist, isDryRun(one)]);
  expect(asked).toEqual([
    ['my-apes-1', true],
    ['apes', true],
    ['apes', false],
  ]);
  expect(tab.address()).toBe('/prod/app#/lists/apes');
});

it('an invalid document names the rule and member that are wrong', async () => {
  const document = {
    name: 'Then',
    contracts: [],
    rules: [
      { id: 'dip', metric: 'floor_price', when: 'below', threshold: '60' },
      { id: 'spike', metric: 'floor_price', when: 'above', threshold: 'high' },
    ],
    channels: [],
  };
  const backend = interfaceWith({
    'GET /v1/changes/{change}': () => ({ ...example('GET /v1/changes/{change}'), document }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Show what changed');
  await tab.click('Restore this version…');

  expect(tab.textsOf('.placed strong')).toEqual(['rule spike, threshold']);
  expect(tab.has('Restore')).toBe(false);
});

it('the differences of a change show the names of collections', async () => {
  const added = { part: 'contract' as const, how: 'added' as const, members: [] };
  const name = { member: 'name', before: 'Old apes', after: null };
  const backend = interfaceWith({
    'GET /v1/changes/{change}': () => ({
      ...example('GET /v1/changes/{change}'),
      differences: [
        { ...added, name: PUNKS },
        {
          ...added,
          how: 'removed',
          name: APES,
          members: [name],
        },
      ],
    }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Show what changed');

  expect(tab.textsOf('.differences > li > p')).toEqual(['added CryptoPunks', 'removed Old apes']);
});

it('the changes of a list can be paged in both directions', async () => {
  const page = example('GET /v1/changes');
  const cursorOf = (number: number) => toCursor(`CHANGE#2026-11-21T12:00:00.000Z~${number}`);
  const [second, third] = [cursorOf(2), cursorOf(3)];
  const backend = interfaceWith({
    'GET /v1/changes': ({ query }) => ({
      ...page,
      cursor: query.cursor === undefined ? second : query.cursor === second ? third : null,
    }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Older changes');
  await tab.click('Older changes');
  await tab.click('Newer changes');

  const asked = backend.asked('GET /v1/changes').map(({ query }) => query);
  expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, second, third, second]);
  expect(asked[0]).toEqual({ limit: '15', watchlist: 'punks' });
});

it('the page of a list shows its own channels without shared ones, and changes them through the list', async () => {
  const [channel] = example('GET /v1/watchlists/{watchlist}/channels').channels;
  const channels = ['shared', 'own'].flatMap((id) => (channel ? [{ ...channel, id }] : []));
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () =>
      listOf({ channels: ['shared', { id: 'own' } as never] }),
    'GET /v1/watchlists/{watchlist}/channels': () => ({
      ...{ channels, undeliverable: false, unreadable: [] },
    }),
  });
  const tab = await openTab(backend, { hash: LIST });

  const shown = tab.textsOf('.channel h3');
  await tab.click(/^Remove$/);
  await tab.click('Yes, remove own');

  expect(shown).toEqual(['own Email']);
  expect(
    backend.asked('DELETE /v1/watchlists/{watchlist}/channels/{channel}').map(({ path }) => path),
  ).toEqual([{ watchlist: 'punks', channel: 'own' }]);
});

it('cancelling a settings conflict writes nothing, and shows the settings of the other person', async () => {
  const refusals = [refusal('it has changed', { type: 'precondition_failed' })];
  const backend = interfaceWith({
    [PUT]: (asked) => (isDryRun(asked) ? WOULD : (refusals.shift() ?? example(PUT))),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.type('Name', 'Whales');
  await tab.click('Save settings');
  backend.reply({
    'GET /v1/watchlists/{watchlist}': () => listOf({ name: 'Theirs', revision: 4 }),
  });
  await tab.click('Keep theirs');

  expect(backend.asked(PUT).map(isDryRun)).toEqual([false, true]);
  expect(tab.valueOf('Name')).toBe('Theirs');
});

it('a new list is created from its name, and opened', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: '#/lists' });

  await tab.type('Name', ' Whales ');
  await tab.click('Create list');

  expect(backend.asked('POST /v1/watchlists')).toMatchObject([{ body: { name: 'Whales' } }]);
  expect(tab.address()).toBe(`/prod/app#/lists/${example('POST /v1/watchlists').id}`);
});

it('the lists can be paged in both directions', async () => {
  const page = example('GET /v1/watchlists');
  const [second, third] = [toCursor('LIST#2'), toCursor('LIST#3')];
  const backend = interfaceWith({
    'GET /v1/watchlists': ({ query }) => ({
      ...page,
      cursor: query.cursor === undefined ? second : query.cursor === second ? third : null,
    }),
  });
  const tab = await openTab(backend, { hash: '#/lists' });

  await tab.click('More lists');
  await tab.click('More lists');
  await tab.click('Previous lists');

  const asked = backend.asked('GET /v1/watchlists').map(({ query }) => query.cursor);
  expect(asked).toEqual([undefined, second, third, second]);
});

it('a change summarizes the added, changed and removed parts of a list', async () => {
  const page = example('GET /v1/changes');
  const [change] = page.changes;
  const edit = {
    ...{ name: 'Whales', wallet: null, channels: SAME },
    contracts: { ...SAME, added: [PUNKS, 'a', 'b', 'c', 'd', 'e'] },
    rules: { added: ['dip'], changed: ['spike'], removed: ['old'] },
  };
  const changes = change ? [{ ...change, edit }] : [];
  const tab = await openTab(interfaceWith({ 'GET /v1/changes': () => ({ ...page, changes }) }), {
    hash: LIST,
  });

  expect(tab.textsOf('.changes p')[1]).toBe(
    'name: “Whales”; collections added: CryptoPunks, a, b, c and 2 more; rules added: dip; rules changed: spike; rules removed: old',
  );
});

it('an import shows whether it creates or replaces a list', async () => {
  const tab = await openTab(interfaceWith(), { hash: '#/lists' });
  const file = { name: 'punks.json', text: async () => '{}' };
  const input = tab.window.document.querySelector('input[type=file]');
  if (input === null) throw new Error('there is no field for a file');
  Object.defineProperty(input, 'files', { value: [file] });
  input.dispatchEvent(new tab.window.Event('change', { bubbles: true }));
  await tab.pass(0);
  const labels = () => tab.textsOf('label').filter((label) => label.startsWith('List ID'));

  const known = labels();
  await tab.type(/^List ID/, 'whales');

  expect(known).toEqual(['List ID (replaces the existing list)']);
  expect(labels()).toEqual(['List ID (creates a new list)']);
});

it('a list that somebody else deletes is shown as deleted', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: LIST });

  backend.reply({
    'GET /v1/watchlists/{watchlist}': () => refusal('there is no such list', { type: 'not_found' }),
  });
  await tab.pass(16_000);

  expect(tab.text()).toContain('This list no longer exists.');
  expect(tab.has('Save settings')).toBe(false);
});

it('a refused removal of a collection shows the reason', async () => {
  const backend = interfaceWith({
    'DELETE /v1/watchlists/{watchlist}/contracts/{contract}': () =>
      refusal('the rule “dip” names it', { type: 'in_use' }),
  });
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Remove CryptoPunks');
  await tab.click('Remove it');

  expect(tab.text()).toContain('the rule “dip” names it');
  expect(tab.text()).not.toContain('CryptoPunks was removed.');
});

it('no action on a list reports success without a connection', async () => {
  const document = { name: 'Then', contracts: [], rules: [], channels: [] };
  const backend = interfaceWith({
    'GET /v1/changes/{change}': () => ({ ...example('GET /v1/changes/{change}'), document }),
  });
  const tab = await openTab(backend, { hash: LIST });
  await tab.click('Show what changed');
  await tab.click('Restore this version…');

  backend.reach(false);
  await tab.click('Restore');
  await tab.click('Remove CryptoPunks');
  await tab.click('Remove it');
  await tab.click('Delete this list…');
  await tab.click('Delete “Punks”');
  await tab.click('Save settings');

  expect(tab.textsOf('.announcements')).toEqual(['']);
  expect(tab.address()).toBe(`/prod/app${LIST}`);
  expect(tab.has('Restore')).toBe(true);
});

it('a contract address is added without a search, and empties the field', async () => {
  const refusals = [refusal('there is no such contract', { type: 'invalid_request' })];
  const backend = interfaceWith({
    'POST /v1/watchlists/{watchlist}/contracts': () =>
      refusals.shift() ?? example('POST /v1/watchlists/{watchlist}/contracts'),
  });
  const tab = await openTab(backend, { hash: LIST });
  const field = /^Add a collection/;

  await tab.type(field, APES);
  await tab.click('Add');
  const refused = [tab.text(), tab.valueOf(field)];
  await tab.click('Add');

  expect(refused).toEqual([expect.stringContaining('there is no such contract'), APES]);
  expect(backend.asked('GET /v1/collections')).toEqual([]);
  expect(tab.valueOf(field)).toBe('');
});

it('a list shows the median and the slowest delivery of the last week', async () => {
  const page = example('GET /v1/watchlists/{watchlist}/alerts');
  const [alert] = page.alerts;
  if (alert === undefined) throw new Error('the document has no example');
  const taking = (title: string, ...seconds: readonly (number | null)[]) => ({
    ...{ ...alert, title },
    deliveries: Object.fromEntries(
      seconds.map((one, index) => [
        `c${index}`,
        { state: 'sent' as const, at: alert.at, reason: null, seconds: one },
      ]),
    ),
  });
  const test = { ...taking('Sample', 99), kind: 'test' as const };
  const alerts = [taking('Apes fell', 1.21, 30), taking('Punks rose', 2, null), test];
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}/alerts': () => ({ ...page, alerts, cursor: null }),
  });

  const tab = await openTab(backend, { hash: LIST });

  expect(tab.text()).toContain(
    'From poll to message, last 7 days: median 2 s, slowest 30 s (c1: Apes fell)',
  );
});

const CATS = 'eth:0x035ea1bd051cec6d178e892bb20cf4a0bff18560' as const;
const RATIO = `${PUNKS}~${APES}` as const;

/** A list with collections that can be compared, and a rule on one of them. */
const comparable = (given: Partial<List> = {}, replies: Replies = {}) => {
  const contracts = [
    { contract: PUNKS, name: 'Punks' },
    { contract: APES, name: 'Apes' },
    { contract: CATS },
    { contract: `${APES}?Fur=Gold` as const },
    { contract: RATIO },
  ];
  const { rules } = example('GET /v1/watchlists/{watchlist}');
  const list = { contracts, rules: rules.map((rule) => ({ ...rule, on: PUNKS })), ...given };
  return interfaceWith({ 'GET /v1/watchlists/{watchlist}': () => listOf(list), ...replies });
};
const ADD = 'POST /v1/watchlists/{watchlist}/contracts';

it('"Add comparison" adds a collection that is compared with others of the list', async () => {
  const backend = comparable();
  const tab = await openTab(backend, { hash: LIST });
  const optionsOf = (label: string | RegExp) => {
    const selects = [...tab.window.document.querySelectorAll('select')];
    const found = selects.find(({ labels }) => labels[0]?.textContent.match(label));
    return [...(found?.options ?? [])].map(({ textContent }) => textContent);
  };

  const members = optionsOf('Collection');
  await tab.choose('Collection', 'Punks');
  const others = optionsOf('Compared with');
  await tab.choose('Compared with', CATS);
  await tab.choose(/^Also compared with \(2/, 'Apes');
  await tab.type('Name of the comparison in messages', ' Rivals ');
  await tab.click('Add comparison');

  expect(members).toEqual(['Choose…', 'Punks', 'Apes', CATS]);
  expect(others).toEqual(['Choose…', 'Apes', CATS]);
  expect(backend.asked(ADD)).toMatchObject([
    { path: { watchlist: 'punks' }, body: { contract: PUNKS, of: [CATS, APES], name: 'Rivals' } },
  ]);
  expect(tab.valueOf('Collection')).toBe('');
});

it('a compared collection that is chosen as the first is removed from the others', async () => {
  const backend = comparable();
  const tab = await openTab(backend, { hash: LIST });

  await tab.choose('Collection', 'Punks');
  await tab.choose('Compared with', 'Apes');
  await tab.choose(/^Also compared with \(2/, CATS);
  await tab.choose('Collection', 'Apes');
  await tab.click('Add comparison');

  expect(backend.asked(ADD)[0]?.body).toEqual({ contract: APES, of: [CATS] });
});

it('a comparison is named after its collections on the page of its list, and has no holding', async () => {
  const backend = comparable();
  const tab = await openTab(backend, { hash: LIST });

  await tab.click('Edit Punks / Apes');
  const text = tab.text();
  await tab.type(/^Name in messages$/, 'Rivals');
  await tab.click('Save');

  expect(text).not.toContain('Tokens held');
  expect(backend.asked('PUT /v1/watchlists/{watchlist}/contracts/{contract}')).toMatchObject([
    { path: { contract: RATIO }, body: { name: 'Rivals' } },
  ]);
});

it.each([
  {
    pointer: '/contract',
    detail: 'expected another contract: this one is already in the list',
    label: 'Collection',
    words: 'The list already has this comparison. Choose other collections.',
  },
  {
    pointer: '',
    detail: `expected the compared contracts to be members of the list, too; "${APES}" is not a member`,
    label: 'Compared with',
    words: 'One of these collections was removed from the list. Choose another one.',
  },
  {
    pointer: '',
    detail:
      'expected a metric that each contract of the rule supports; a member with "of" supports only floor_ratio and relative_change_pct',
    label: 'Compared with',
    words:
      'The list has a rule on “any collection”. First choose specific collections for that rule.',
  },
])('a refused comparison shows the problem beside its field: $words', async (given) => {
  const { pointer, detail, label, words } = given;
  const issues = [{ pointer, detail }];
  const refused = () => refusal('the request is not valid', { type: 'invalid_request', issues });
  const tab = await openTab(comparable({}, { [ADD]: refused }), { hash: LIST });

  await tab.choose('Collection', 'Punks');
  await tab.choose('Compared with', 'Apes');
  await tab.click('Add comparison');

  const [invalid] = tab.window.document.querySelectorAll<HTMLSelectElement>('[aria-invalid=true]');
  expect(invalid?.labels[0]?.textContent).toBe(label);
  expect(tab.textsOf('.wrong')).toEqual([words]);
  expect(tab.textsOf('[role=alert]')).toEqual(['Correct the marked field.']);
});

it('a list with a rule on any collection links to that rule instead of offering a comparison', async () => {
  const { rules } = example('GET /v1/watchlists/{watchlist}');
  const onAll = rules.map((rule) => ({ ...rule, id: 'dip', label: 'Dip', on: '*' as const }));
  const tab = await openTab(comparable({ rules: onAll }), { hash: LIST });
  const links = [...tab.window.document.querySelectorAll<HTMLAnchorElement>('details a')];

  expect(tab.has('Add comparison')).toBe(false);
  expect(links.map(({ hash }) => hash)).toEqual([
    `#/collections/${encodeURIComponent(PUNKS)}/rules/punks/dip`,
  ]);
});

it('a list with one collection offers no comparison', async () => {
  const contracts = [{ contract: PUNKS }, { contract: RATIO }];
  const tab = await openTab(comparable({ contracts }), { hash: LIST });

  expect(tab.text()).not.toContain('Compare with');
});

it('the changes of a list name a comparison after its collections', async () => {
  const page = example('GET /v1/changes');
  const [change] = page.changes;
  const backend = comparable();
  backend.reply({
    'GET /v1/changes': () => ({
      ...page,
      changes: change
        ? [{ ...change, edit: { ...WOULD.edit, contracts: { ...SAME, added: [RATIO] } } }]
        : [],
    }),
  });
  const tab = await openTab(backend, { hash: LIST });

  expect(tab.text()).toContain('collections added: Punks / Apes');
});
