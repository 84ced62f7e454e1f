import { describe, expect, it } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { openTab, STORED, type Tab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  KEY,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

type Page = Answer<'GET /v1/episodes'>;
type Episode = Page['episodes'][number];
type Mute = Episode['mutes'][number];

const [OPEN] = example('GET /v1/episodes').episodes;
const [FIRED] = OPEN?.timeline ?? [];

/** The open episode of the OpenAPI example, with these members changed. */
function anEpisode(given: Partial<Episode> = {}): Episode {
  if (OPEN === undefined) throw new Error('the document has no example');
  const { watchlist = 'punks', rule = 'floor-60' } = given;
  return { ...OPEN, self: `/v1/watchlists/${watchlist}/alerts/${rule}/episode`, ...given };
}

function anAlert(kind: Episode['timeline'][number]['kind'], alert: string) {
  if (FIRED === undefined) throw new Error('the document has no example');
  return { ...FIRED, kind, alert: `/v1/watchlists/punks/alerts/${encodeURIComponent(alert)}` };
}

function aMute(id: string): Mute {
  const [mute] = example('GET /v1/watchlists/{watchlist}/mutes').mutes;
  if (mute === undefined) throw new Error('the document has no example');
  return { ...mute, id };
}

const pageOf = (...episodes: readonly Episode[]): Page => ({
  ...example('GET /v1/episodes'),
  episodes: [...episodes],
});

/** Opens the details of every episode. */
async function openAll(tab: Tab): Promise<void> {
  for (const button of tab.window.document.querySelectorAll<HTMLElement>('.episode h3 button')) {
    button.click();
  }
  await tab.pass(0);
}

const showing = (...episodes: readonly Episode[]) =>
  fakeInterface({ 'GET /v1/episodes': () => pageOf(...episodes) });

it('snoozing an episode mutes only its rule on its contract', async () => {
  const backend = showing(anEpisode({ watchlist: 'whales', rule: 'dip', contract: APES }));
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.click('Snooze');
  await tab.click('for 4 h');

  expect(backend.asked('POST /v1/watchlists/{watchlist}/mutes')).toMatchObject([
    { path: { watchlist: 'whales' }, body: { for: '4h', rule: 'dip', contract: APES } },
  ]);
  expect(tab.text()).toContain('Snoozed for 4 h.');
});

it.each([
  { button: 'until recovered', body: { until: 'recovered' }, said: 'Snoozed until recovered.' },
  {
    button: 'until tomorrow 9:00',
    // The tests run in UTC.
    body: { until: '2026-11-22T09:00:00.000Z' },
    said: 'Snoozed until Sun, Nov 22, 09:00.',
  },
])(
  'the snooze "$button" requests a mute, and shows when the mute ends',
  async ({ button, body, said }) => {
    const backend = showing(anEpisode());
    const tab = await openTab(backend, { hash: '#/alerts' });

    await tab.click('Snooze');
    await tab.click(button);

    const [asked] = backend.asked('POST /v1/watchlists/{watchlist}/mutes');
    expect(asked?.body).toMatchObject(body);
    expect(tab.text()).toContain(said);
  },
);

it('the timeline shows that a mute ends with the episode, and when it ends at the latest', async () => {
  const mute = { ...aMute('snooze'), until: '2027-02-19T12:00:00.000Z', untilRecovered: true };
  const tab = await openTab(showing(anEpisode({ mutes: [mute] })), { hash: '#/alerts' });
  await openAll(tab);

  expect(tab.text()).toMatch(/Muted ?until recovered, but no later than Feb 19, 12:00/);
});

/** A mute of an episode's rule on the contract of that episode. */
const ofRule = (id: string) => ({ ...aMute(id), rule: 'floor-60', contract: PUNKS });
const ofList = (id: string) => ({ ...aMute(id), rule: null, contract: null, severity: null });
const endedIn = (backend: ReturnType<typeof fakeInterface>) =>
  backend
    .asked('DELETE /v1/watchlists/{watchlist}/mutes/{mute}')
    .map(({ path, ifMatch }) => [path.mute, ifMatch]);

it('ending the snooze of an episode deletes each mute that covers only its rule on its contract', async () => {
  const backend = showing(anEpisode({ mutes: [ofRule('first'), ofRule('second')] }));
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.click('End snooze');

  expect(endedIn(backend)).toEqual([
    ['first', '*'],
    ['second', '*'],
  ]);
  expect(tab.text()).toContain('Snooze ended.');
  expect(tab.has('End this mute')).toBe(false);
});

it('ending the snooze of an episode asks before it ends the mute of the list', async () => {
  const backend = showing(anEpisode({ mutes: [ofList('list-mute'), ofRule('rule-mute')] }));
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.click('End snooze');
  const before = endedIn(backend);
  const question = tab.textsOf('.episode [role=alert] p');
  await tab.click('End this mute');

  expect(before).toEqual([['rule-mute', '*']]);
  expect(question).toEqual([expect.stringContaining('holds all alerts of the list “punks” until')]);
  expect(endedIn(backend)).toEqual([...before, ['list-mute', '*']]);
  expect(tab.text()).toContain('Mute ended.');
  expect(tab.has('End this mute')).toBe(false);
});

it('an episode that only the mute of the list holds stays muted unless a person ends that mute', async () => {
  const backend = showing(anEpisode({ mutes: [ofList('list-mute')] }));
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.click('End snooze');
  const said = tab.text();
  await tab.click('Keep it');

  expect(endedIn(backend)).toEqual([]);
  expect(said).not.toContain('Snooze ended.');
  expect(tab.has('End this mute')).toBe(false);
});

it('acknowledging an episode acknowledges its newest alert, not an earlier acknowledgement', async () => {
  const timeline = [
    anAlert('fired', '2026-11-21T12:01:00.000Z~a.1.1'),
    anAlert('worsened', '2026-11-21T12:02:00.000Z~a.1.2'),
    anAlert('acknowledged', '2026-11-21T12:03:00.000Z~a.1.2-acknowledged'),
  ];
  const backend = showing(anEpisode({ timeline }));
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.click('Acknowledge');

  expect(backend.asked('POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge')).toMatchObject(
    [{ path: { watchlist: 'punks', alert: '2026-11-21T12:02:00.000Z~a.1.2' } }],
  );
});

it('a bulk action applies to each selected episode, and lists the failures with their reasons', async () => {
  const backend = fakeInterface({
    'GET /v1/episodes': () =>
      pageOf(
        anEpisode({ rule: 'first', title: 'The first' }),
        anEpisode({ rule: 'second', title: 'The second' }),
        anEpisode({ rule: 'third', title: 'The third' }),
        anEpisode({ rule: 'fourth', title: 'The fourth' }),
      ),
    'POST /v1/watchlists/{watchlist}/mutes': ({ body }) =>
      JSON.stringify(body).includes('second')
        ? refusal('there are 100 mutes', { type: 'conflict' })
        : example('POST /v1/watchlists/{watchlist}/mutes'),
  });
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.check(/^Select all 4 open/);
  await tab.check('Select “The fourth”');
  await tab.click('Snooze');
  await tab.click('for 1 h');

  const rules = backend.asked('POST /v1/watchlists/{watchlist}/mutes').map(({ body }) => body);
  expect(rules).toMatchObject([{ rule: 'first' }, { rule: 'second' }, { rule: 'third' }]);
  expect(tab.text()).toContain('2 succeeded, 1 failed:The second: there are 100 mutes');
  expect(tab.text()).toContain('Snoozed for 1 h: 2 of 3 episodes.');
});

it('selecting all selects open episodes only, and another filter clears the selection', async () => {
  const backend = showing(
    anEpisode({ rule: 'first' }),
    anEpisode({ rule: 'second' }),
    anEpisode({ rule: 'third', state: 'over', endedAt: '2026-11-21T12:04:00.000Z' }),
  );
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.check(/^Select all/);
  const selected = tab.text();
  await tab.choose('Severity', 'Only critical');

  expect(selected).toContain('2 of 2 selected');
  expect(tab.text()).toContain('Select all 2 open alerts');
});

it('the filters in the address become the query, and unknown values are ignored', async () => {
  const backend = showing();
  const hash = '#/alerts?state=over&severity=loud&within=7d&watchlist=whales&text=a%26b%20%25';
  await openTab(backend, { hash });

  expect(backend.asked('GET /v1/episodes')[0]?.query).toEqual({
    ...{ limit: '25', state: 'over', watchlist: 'whales', text: 'a&b %' },
    from: '2026-11-14T12:05:00.000Z',
  });
});

it('choosing a filter returns to the first page, and "back" restores the previous page', async () => {
  const backend = showing(anEpisode());
  const tab = await openTab(backend, { hash: '#/alerts?severity=critical&cursor=older' });
  const newest = () => backend.asked('GET /v1/episodes').at(-1)?.query;

  await tab.choose('State', 'Only open');
  const chosen = newest();
  await tab.back();

  expect(chosen).toEqual({ limit: '25', state: 'open', severity: 'critical' });
  expect(newest()).toEqual({ limit: '25', severity: 'critical', cursor: 'older' });
});

it('choosing a list clears the collection filter', async () => {
  const backend = showing(anEpisode());
  const tab = await openTab(backend, { hash: `#/alerts?watchlist=whales&contract=${APES}` });

  await tab.choose('List', 'Punks');

  expect(backend.asked('GET /v1/episodes').at(-1)?.query).toEqual({
    ...{ limit: '25', watchlist: 'punks' },
  });
});

it('the CSV download joins all pages of the filter under one header line', async () => {
  const pages: Readonly<Record<string, string>> = { first: 'a,1\r\nb,2\r\n', second: 'c,3\r\n' };
  const link = { Link: '<?limit=50&format=csv&cursor=second>; rel="next"' };
  const backend = fakeInterface({
    'GET /v1/episodes': ({ query }) =>
      query.format === 'csv'
        ? new Response(`name,number\r\n${pages[query.cursor ?? 'first']}`, {
            headers: query.cursor === undefined ? link : {},
          })
        : pageOf(anEpisode()),
  });
  const tab = await openTab(backend, { hash: '#/alerts?severity=critical' });

  await tab.click('Download CSV');

  const text = 'name,number\r\na,1\r\nb,2\r\nc,3\r\n';
  expect(await tab.files()).toEqual([{ name: 'episodes.csv', text }]);
  expect(tab.text()).toContain('3 episodes saved to episodes.csv.');
  const asked = backend.asked('GET /v1/episodes').filter(({ query }) => query.format === 'csv');
  expect(asked.map(({ query }) => query)).toEqual([
    { limit: '50', severity: 'critical', format: 'csv' },
    { limit: '50', severity: 'critical', format: 'csv', cursor: 'second' },
  ]);
});

it('the timeline of an episode is newest first, and names who acknowledged it', async () => {
  const at = (minute: number) => `2026-11-21T12:0${minute}:00.000Z`;
  const timeline = [
    { ...anAlert('fired', 'a.1'), at: at(1) },
    { ...anAlert('worsened', 'a.2'), at: at(2) },
    { ...anAlert('acknowledged', 'a.3'), at: at(3) },
  ];
  const acknowledged = { at: at(3), by: { key: '1111111111', name: 'Kim', via: null } };
  const known = anEpisode({
    timeline,
    acknowledged: { ...acknowledged, silences: 'reminders', note: 'on it' },
  });
  const tab = await openTab(showing(known), { hash: '#/alerts' });
  await openAll(tab);

  expect(tab.textsOf('.timeline strong')).toEqual(['Acknowledged', 'Worsened', 'Fired']);
  expect(tab.text()).toContain('by Kim: “on it”');
  expect(tab.has('Acknowledge')).toBe(false);
});

it.each([
  { name: 'Ada', words: 'Acknowledged by Ada via Slack #desk' },
  { name: '', words: 'Acknowledged via Slack #desk' },
])(
  'the timeline names the channel of a link, and the person who pressed its button: "$name"',
  async ({ name, words }) => {
    const at = '2026-11-21T12:03:00.000Z';
    const by = { key: 'link:desk', name, via: 'Slack #desk' };
    const known = anEpisode({ acknowledged: { at, by, silences: 'reminders', note: null } });
    const tab = await openTab(showing(known), { hash: '#/alerts' });
    await openAll(tab);

    expect(tab.text()).toContain(words);
  },
);

it('an action without a connection reports each episode as failed', async () => {
  const backend = showing(anEpisode({ contract: PUNKS }));
  const tab = await openTab(backend, { hash: '#/alerts' });

  backend.reach(false);
  await tab.click('Acknowledge');

  expect(tab.text()).toContain('0 succeeded, 1 failed:');
  expect(tab.text()).toContain('there is no connection');
});

it('deliveries show the delay of each channel, pending channels, and the reasons of failures', async () => {
  const at = '2026-11-21T12:02:00.000Z';
  const deliveries = {
    desk: { state: 'sent' as const, at, reason: null, seconds: 0.84 },
    hall: { state: 'accepted' as const, at, reason: null, seconds: 95 },
    chat: { state: 'failed' as const, at, reason: 'the channel is archived', seconds: null },
    phone: { state: 'pending' as const, at: null, reason: null, seconds: null },
  };
  const timeline = [
    { ...anAlert('fired', 'a.1'), at: '2026-11-21T12:01:00.000Z', deliveries },
    { ...anAlert('worsened', 'a.2'), at, deliveries },
  ];
  const tab = await openTab(showing(anEpisode({ timeline })), { hash: '#/alerts' });
  await openAll(tab);

  expect(tab.textsOf('.delivery')).toEqual([
    '✓ desk delivered after 0.8 s',
    '✓ hall accepted after 1 min',
    '✕ chat failed: the channel is archived',
    '… phone pending',
  ]);
  expect(tab.textsOf('.deliveries-in-short')).toEqual([
    ...['✓ 2 in 1 min… phone✕ chat', '✓ 2 in 1 min… phone✕ chat'],
  ]);
});

it('an episode links to its list, its collection and its rule', async () => {
  const episode = anEpisode({ watchlist: 'whales', rule: 'dip', contract: APES, name: 'Apes' });
  const tab = await openTab(showing(episode), { hash: '#/alerts' });
  await openAll(tab);
  const links = [...tab.window.document.querySelectorAll<HTMLAnchorElement>('.facts a')];

  expect(links.map(({ hash }) => hash)).toEqual([
    '#/lists/whales',
    `#/collections/${encodeURIComponent(APES)}`,
    `#/collections/${encodeURIComponent(APES)}/rules/whales/dip`,
  ]);
});

it('an episode shows whether it fires, is acknowledged, muted or over', async () => {
  const at = '2026-11-21T12:03:00.000Z';
  const acknowledged = { at, by: null, silences: 'reminders' as const, note: null };
  const tab = await openTab(
    showing(
      anEpisode({ rule: 'a' }),
      anEpisode({ rule: 'b', acknowledged, mutes: [aMute('mute')] }),
      anEpisode({ rule: 'c', state: 'over', endedAt: at, duration: '654s' }),
    ),
    { hash: '#/alerts' },
  );

  expect(tab.textsOf('.episode .state')).toEqual(['Firing', 'Acknowledged', 'Muted', 'Ended']);
  expect(tab.textsOf('.episode .lasted')).toEqual(['5 min', '5 min', '10 min']);
  expect(tab.textsOf('.episode')[2]).not.toContain('Acknowledge');
});

it('an announcement disappears after eight seconds, and an earlier timer does not remove a later announcement', async () => {
  const tab = await openTab(showing(anEpisode()), { hash: '#/alerts' });
  const said = () => tab.textsOf('.announcements')[0];

  await tab.click('Acknowledge');
  await tab.pass(5000);
  await tab.click('Snooze');
  await tab.click('for 1 h');
  await tab.pass(5000);
  const later = said();
  await tab.pass(4000);

  expect([later, said()]).toEqual(['Snoozed for 1 h.', '']);
});

it('the CSV download saves no file when the connection is lost between two pages', async () => {
  const link = { Link: '<?limit=50&format=csv&cursor=second>; rel="next"' };
  const backend = fakeInterface({
    'GET /v1/episodes': ({ query }) => {
      if (query.format !== 'csv') return pageOf(anEpisode());
      backend.reach(false);
      return new Response('name\r\na\r\n', { headers: link });
    },
  });
  const tab = await openTab(backend, { hash: '#/alerts' });

  await tab.click('Download CSV');

  expect(await tab.files()).toEqual([]);
  expect(tab.text()).toContain(
    'Nothing was downloaded: the server cannot be reached. Check the connection and try again.',
  );
  expect(tab.has('Download CSV')).toBe(true);
});

it('episodes are grouped by day, and each is collapsed until a person opens it', async () => {
  const tab = await openTab(
    showing(
      anEpisode({ rule: 'a', title: 'Newest', firedAt: '2026-11-21T12:00:00.000Z' }),
      anEpisode({ rule: 'b', title: 'Older', firedAt: '2026-11-20T12:00:00.000Z' }),
      anEpisode({ rule: 'c', title: 'Oldest', firedAt: '2026-11-13T12:00:00.000Z' }),
    ),
    { hash: '#/alerts' },
  );
  const days = tab.textsOf('main h2');
  const folded = tab.textsOf('.timeline');
  await tab.click('Older');

  expect(days.slice(0, 2)).toEqual(['Today', 'Yesterday']);
  expect(days[2]).toMatch(/Fri.*13/);
  expect(tab.textsOf('ol[aria-label="Episodes, Yesterday"] h3')).toEqual(['Older']);
  expect(folded).toEqual([]);
  expect(tab.textsOf('.timeline')).toHaveLength(1);
  await tab.click('Older');
  expect(tab.textsOf('.timeline')).toEqual([]);
});

it('the title of the tab counts the firing alerts', async () => {
  const at = '2026-11-21T12:03:00.000Z';
  const acknowledged = { at, by: null, silences: 'reminders' as const, note: null };
  const tab = await openTab(
    showing(
      anEpisode({ rule: 'a' }),
      anEpisode({ rule: 'b' }),
      anEpisode({ rule: 'c', acknowledged }),
      anEpisode({ rule: 'd', state: 'over', endedAt: at }),
    ),
    { hash: '#/alerts' },
  );

  expect(tab.window.document.title).toBe('(2) Alerts · floorwatch');
});

describe('keys on the alerts page', () => {
  const three = () =>
    showing(
      anEpisode({ rule: 'first', title: 'The first' }),
      anEpisode({ rule: 'second', title: 'The second' }),
      anEpisode({ rule: 'third', title: 'The third' }),
    );
  const focused = (tab: Tab) => tab.window.document.activeElement?.textContent;
  const acknowledged = (backend: ReturnType<typeof three>) =>
    backend.asked('POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge').length;

  it('the keys j and k move among the rows, and stop at the last row', async () => {
    const tab = await openTab(three(), { hash: '#/alerts' });
    const places: unknown[] = [];
    for (const key of ['j', 'j', 'k', 'j', 'j', 'j']) {
      await tab.press(key);
      places.push(focused(tab));
    }

    expect(places).toEqual([
      ...['The first', 'The second', 'The first', 'The second', 'The third', 'The third'],
    ]);
  });

  it('the key e acknowledges only the focused row, and nothing without a focused row', async () => {
    const backend = three();
    const tab = await openTab(backend, { hash: '#/alerts' });
    await tab.press('e');
    const without = acknowledged(backend);
    await tab.press('j', 'e');

    expect([without, acknowledged(backend)]).toEqual([0, 1]);
  });

  it('the key x selects rows, and the key a acknowledges all selected rows', async () => {
    const backend = three();
    const tab = await openTab(backend, { hash: '#/alerts' });
    await tab.press('j', 'x', 'j', 'x', 'j', 'a');

    expect(acknowledged(backend)).toBe(2);
  });

  it('the key s opens the list of snooze durations, and focuses the first duration', async () => {
    const tab = await openTab(three(), { hash: '#/alerts' });
    await tab.press('j', 's');
    await tab.pass(0);

    expect(focused(tab)).toBe('for 1 h');
  });

  it('the focus returns to its row when the focused control disappears', async () => {
    const backend = three();
    const tab = await openTab(backend, { hash: '#/alerts' });
    await tab.press('j', 'j', 's');
    await tab.pass(0);
    await tab.click('for 1 h');
    await tab.pass(0);

    expect(focused(tab)).toBe('The second');
  });
});

describe('saved views', () => {
  const hash = '#/alerts?severity=critical&watchlist=punks';
  const STORED_VIEWS = 'floorwatch-views-acme';
  const aView = (name: string, filter: object = { severity: 'info' }) => ({ name, filter });
  const stored = (views: unknown) => ({
    [STORED]: KEY,
    [STORED_VIEWS]: typeof views === 'string' ? views : JSON.stringify(views),
  });
  const chips = (tab: Tab) => tab.textsOf('.chip a');
  const current = (tab: Tab) => tab.textsOf('.chip [aria-current]');

  it('a saved view restores its filter, and is marked while that filter is shown', async () => {
    const tab = await openTab(showing(anEpisode()), { hash });

    await tab.click('Save this view');
    await tab.type('View name', ' Critical of punks ');
    await tab.click('Save');
    const marked = current(tab);
    await tab.choose('Severity', 'All severities');
    const other = current(tab);
    await tab.click('Critical of punks');

    expect([marked, other]).toEqual([['Critical of punks'], []]);
    expect(tab.address()).toContain(hash);
    expect(tab.has('Save this view')).toBe(false);
    expect(tab.text()).toContain('The view “Critical of punks” was saved');
  });

  it('a saved view replaces an earlier one of the same name', async () => {
    const tab = await openTab(showing(anEpisode()), { hash, tab: stored([aView('Mine')]) });

    await tab.click('Save this view');
    await tab.type('View name', 'Mine');
    await tab.click('Save');

    expect([chips(tab), current(tab)]).toEqual([['Mine'], ['Mine']]);
  });

  it('a deleted view is removed from the page and the storage', async () => {
    const tab = await openTab(showing(anEpisode()), {
      hash,
      tab: stored([aView('Mine'), aView('Other')]),
    });

    await tab.click('Delete the view “Mine”');

    expect(chips(tab)).toEqual(['Other']);
    expect(tab.keptInTab()[STORED_VIEWS]).not.toContain('Mine');
  });

  it('saved views are stored where the key is stored: on the device with "remember", otherwise in the tab', async () => {
    const save = async (opened: object) => {
      const tab = await openTab(showing(anEpisode()), { hash, ...opened });
      await tab.click('Save this view');
      await tab.type('View name', 'Mine');
      await tab.click('Save');
      return [Object.keys(tab.keptInTab()), Object.keys(tab.keptOnDevice())];
    };

    expect(await save({})).toEqual([[STORED, STORED_VIEWS], []]);
    expect(await save({ tab: {}, device: { [STORED]: KEY } })).toEqual([
      [],
      [STORED, STORED_VIEWS],
    ]);
  });

  it('signing out removes the views of the tab', async () => {
    const tab = await openTab(showing(anEpisode()), { hash, tab: stored([aView('Mine')]) });

    await tab.click('Sign out');

    expect(tab.keptInTab()).toEqual({});
  });

  it.each([
    ...['not JSON', '"text"', '{"a":1}', '[null, 7, {"name":"","filter":{"state":"open"}}]'],
    ...['[{"name":"No filter","filter":{"severity":"loud"}}]', '[{"name":"x","filter":[1]}]'],
  ])('malformed stored views are ignored: %s', async (text) => {
    const tab = await openTab(showing(anEpisode()), { hash, tab: stored(text) });

    expect(chips(tab)).toEqual([]);
    // The page still responds to clicks.
    await tab.click('Save this view');
    expect(tab.has('Cancel')).toBe(true);
  });

  it('a malformed entry does not hide the other saved views', async () => {
    const tab = await openTab(showing(anEpisode()), { hash, tab: stored([7, aView('Good')]) });

    expect(chips(tab)).toEqual(['Good']);
  });
});
