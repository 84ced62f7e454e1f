import { expect, it } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { entriesOf } from '#shared/domain/entries-of.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

type Watch = Answer<'GET /v1/watches'>['watches'][number];
type Mute = Answer<'GET /v1/watchlists/{watchlist}/mutes'>['mutes'][number];

const HASH = `#/collections/${encodeURIComponent(PUNKS)}`;
const UNTIL = '2026-11-21T18:00:00.000Z';

/** The page of a collection with a rule, whose chart never loads. */
function watching(given: Partial<Watch> = {}, mutes: readonly Mute[] = []) {
  const page = example('GET /v1/watches');
  return fakeInterface({
    'GET /v1/contracts/{contract}/prices': () => Promise.withResolvers<never>().promise,
    'GET /v1/watches': () => ({
      ...page,
      watches: page.watches.map((watch) => ({ ...watch, ...given })),
    }),
    'GET /v1/watchlists/{watchlist}/mutes': () => ({ mutes: [...mutes] }),
  });
}

function aMute(given: Partial<Mute>): Mute {
  const [mute] = example('GET /v1/watchlists/{watchlist}/mutes').mutes;
  if (mute === undefined) throw new Error('the document has no example');
  const widest = { rule: null, contract: null, severity: null, reason: null };
  return { ...mute, ...widest, ...given };
}

it('the collection page requests data for the contract in its address', async () => {
  const backend = watching();
  const tab = await openTab(backend, { hash: HASH });

  expect(tab.textsOf('h1')).toEqual(['Punks']);
  expect(backend.asked('GET /v1/contracts/{contract}')[0]?.path).toEqual({ contract: PUNKS });
  expect(backend.asked('GET /v1/watches')[0]?.query).toEqual({ contract: PUNKS, limit: '100' });
  expect(backend.asked('GET /v1/episodes')[0]?.query).toEqual({ contract: PUNKS, limit: '50' });
});

it('snoozing on a rule card mutes only that rule on that contract', async () => {
  const backend = watching({ watchlist: 'whales', rule: 'dip' });
  const tab = await openTab(backend, { hash: HASH });

  await tab.click('Snooze');
  await tab.click('for 4 h');

  expect(backend.asked('POST /v1/watchlists/{watchlist}/mutes')).toMatchObject([
    { path: { watchlist: 'whales' }, body: { rule: 'dip', contract: PUNKS, for: '4h' } },
  ]);
});

it.each([
  { state: 'ok', isOffered: false },
  { state: 'firing', isOffered: true },
  { state: 'recovering', isOffered: true },
] as const)(
  'a rule card whose watch is $state offers a snooze until recovered: $isOffered',
  async (given) => {
    const tab = await openTab(watching({ state: given.state }), { hash: HASH });

    await tab.click('Snooze');

    expect(tab.has('until recovered')).toBe(given.isOffered);
  },
);

it('a rule card shows that its snooze ends with the episode', async () => {
  const given = { mutedUntil: '2027-02-19T12:00:00.000Z', mutedUntilRecovered: true };
  const tab = await openTab(watching(given), { hash: HASH });

  expect(tab.text()).toContain('Snoozed until recovered, but no later than Feb 19, 12:00.');
});

const DELETE_MUTE = 'DELETE /v1/watchlists/{watchlist}/mutes/{mute}';
const AGAIN = 'The rule can send alerts again.';

/** The page of a snoozed rule whose list has some mutes, and the mutes that were ended. */
async function openSnoozed(mutes: readonly Mute[]) {
  const watch = { watchlist: 'whales', rule: 'dip', severity: 'warning' } as const;
  const backend = watching({ ...watch, mutedUntil: UNTIL }, mutes);
  const tab = await openTab(backend, { hash: HASH });
  const ended = () => backend.asked(DELETE_MUTE).map(({ path }) => path.mute);
  return { backend, tab, ended, questions: () => tab.textsOf('.rule-card [role=alert] p') };
}

const OWN = { rule: 'dip', contract: PUNKS };

it('ending the snooze of a rule card ends all mutes that cover only this rule on this collection', async () => {
  const { tab, ended, questions } = await openSnoozed([
    aMute({ id: 'other-rule', rule: 'spike' }),
    aMute({ id: 'other-contract', rule: 'dip', contract: APES }),
    aMute({ id: 'other-severity', severity: 'critical' }),
    aMute({ id: 'first', ...OWN }),
    aMute({ id: 'second', ...OWN, severity: 'warning' }),
  ]);

  await tab.click('End snooze');

  expect(ended()).toEqual(['first', 'second']);
  expect(questions()).toEqual([]);
  expect(tab.text()).toContain(AGAIN);
});

it.each([
  {
    mute: { by: null },
    question:
      'A mute holds all alerts of the list “whales” until Nov 21, 18:00. Ending it also unmutes the alerts of all other rules and collections of the list.',
  },
  {
    mute: { severity: 'warning', reason: 'release day' },
    question:
      'A mute by the script holds all warning alerts of the list “whales” until Nov 21, 18:00: “release day”. Ending it also unmutes the warning alerts of all other rules and collections of the list.',
  },
  {
    mute: { contract: PUNKS },
    question:
      'A mute by the script holds all alerts of the list “whales” on this collection until Nov 21, 18:00. Ending it also unmutes the alerts of all other rules of the list on this collection.',
  },
  {
    mute: { rule: 'dip' },
    question:
      'A mute by the script holds all alerts of this rule until Nov 21, 18:00. Ending it also unmutes the alerts of this rule on all other collections.',
  },
] as const)(
  'ending the snooze of a rule card asks before it ends the wider mute $mute',
  async ({ mute, question }) => {
    const wider = aMute({ id: 'wider', until: UNTIL, ...mute });
    const { tab, ended, questions } = await openSnoozed([wider, aMute({ id: 'own', ...OWN })]);

    await tab.click('End snooze');
    const before = { ended: ended(), questions: questions(), text: tab.text() };
    await tab.click('End this mute');

    expect(before).toMatchObject({ ended: ['own'], questions: [question] });
    expect(before.text).not.toContain(AGAIN);
    expect(ended()).toEqual(['own', 'wider']);
    expect(questions()).toEqual([]);
    expect(tab.text()).toContain(AGAIN);
  },
);

it('the rule card offers to end the longest of several wider mutes first, and does not end a mute that is kept', async () => {
  const { tab, ended, questions } = await openSnoozed([
    aMute({ id: 'short', until: '2026-11-21T17:00:00.000Z' }),
    aMute({ id: 'long', until: UNTIL, rule: 'dip' }),
  ]);

  await tab.click('End snooze');
  await tab.click('End this mute');
  const next = questions();
  await tab.click('Keep it');

  expect(ended()).toEqual(['long']);
  expect(next).toEqual([expect.stringContaining('until Nov 21, 17:00')]);
  expect(questions()).toEqual([]);
  expect(tab.text()).not.toContain(AGAIN);
});

it('ending the snooze of a rule card reports mutes that cannot be read, and a mute that has ended already', async () => {
  const { backend, tab, ended } = await openSnoozed([]);

  backend.reach(false);
  await tab.click('End snooze');
  const unread = tab.text();
  backend.reach(true);
  await tab.click('End snooze');

  expect(unread).toContain('The snooze could not be ended: the server cannot be reached.');
  expect(tab.text()).toContain(`This rule is no longer muted. ${AGAIN}`);
  expect(ended()).toEqual([]);
});

it('a mute that cannot be ended is reported by the rule card', async () => {
  const { backend, tab } = await openSnoozed([aMute({ id: 'own', ...OWN })]);
  backend.reply({ [DELETE_MUTE]: () => refusal('try again later', { type: 'conflict' }) });

  await tab.click('End snooze');

  expect(tab.text()).toContain('try again later');
  expect(tab.text()).not.toContain(AGAIN);
});

it('saving a moved line keeps all other members of the rule, and sends the ETag with which the rule was read', async () => {
  const backend = watching();
  const tab = await openTab(backend, { hash: HASH });
  const read = example('GET /v1/watchlists/{watchlist}/rules/{rule}').rule;

  await tab.click('Move line');
  await tab.type(/^Threshold of/, '58.5');
  await tab.click('Save line');

  const [saved] = backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}');
  expect(saved).toMatchObject({ path: { watchlist: 'punks', rule: 'floor-60' } });
  expect(saved?.body).toEqual({ ...read, threshold: '58.5' });
  expect(saved?.ifMatch).toMatch(/^"/);
});

it('moving a line shows why its rule cannot be read, and the next press reads the rule again', async () => {
  const backend = watching();
  backend.reply({
    'GET /v1/watchlists/{watchlist}/rules/{rule}': () =>
      refusal('there is no such rule', { type: 'not_found' }),
  });
  const tab = await openTab(backend, { hash: HASH });
  const problems = () => tab.textsOf('[role=alert]');

  await tab.click('Move line');
  const refused = problems();
  backend.reach(false);
  await tab.click('Move line');
  const unreachable = problems();
  backend.reach(true);
  backend.reply({
    'GET /v1/watchlists/{watchlist}/rules/{rule}': () =>
      example('GET /v1/watchlists/{watchlist}/rules/{rule}'),
  });
  await tab.click('Move line');

  expect(refused).toEqual(['there is no such rule']);
  expect(unreachable).toEqual([
    expect.stringMatching(/^The line cannot be moved: the server cannot be reached/),
  ]);
  expect(tab.has('Save line')).toBe(true);
  expect(problems()).toEqual([]);
});

it('a rule card shows the distance only until its line is crossed', async () => {
  const ahead = await openTab(watching({ distancePct: '2.04', line: '60' }), { hash: HASH });
  const passed = await openTab(watching({ distance: '-1.2', distancePct: '-2.04', line: '60' }), {
    hash: HASH,
  });

  expect(ahead.text()).toContain('2.0% to 60 ETH');
  expect(passed.text()).not.toContain('to 60 ETH');
});

it('the collection page shows floor, rules and alerts before its prices arrive', async () => {
  const tab = await openTab(watching(), { hash: HASH });

  expect(tab.text()).toContain('61.25 ETH');
  expect(tab.text()).toContain('Floor price 61.25 ETH is above the threshold of 60 ETH.');
  expect(tab.textsOf('.happened span')).toEqual([
    'CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2%)',
  ]);
});

it('the collection page requests the selected range, and the shortest sales window that rules read', async () => {
  const contract = example('GET /v1/contracts/{contract}');
  const [floor] = contract.series;
  const series = (['floor', 'lowest.1d', 'lowest.30d'] as const).flatMap((name) =>
    floor ? [{ ...floor, series: name }] : [],
  );
  const backend = watching();
  backend.reply({ 'GET /v1/contracts/{contract}': () => ({ ...contract, series }) });
  const tab = await openTab(backend, { hash: `${HASH}?range=30d` });
  const asked = () =>
    backend.asked('GET /v1/contracts/{contract}/prices').map(({ query }) => query);

  const month = asked();
  await tab.click('All');

  const from = '2026-10-22T12:05:00.000Z';
  expect(month).toContainEqual({ points: '500', from });
  expect(month.at(-1)).toEqual({ series: 'lowest.1d', points: '500', from });
  expect(asked()).toContainEqual({ points: '500' });
});

/** A contract with these price series and their newest values. */
function reading(values: Readonly<Partial<Record<PriceSeriesName, string>>>) {
  const contract = example('GET /v1/contracts/{contract}');
  const [floor] = contract.series;
  if (floor === undefined) throw new Error('the document has no example');
  const read = entriesOf(values).map(([series, price]) => {
    const kind = series.split('.')[0] ?? '';
    const currency = kind === 'volume' ? 'eth' : kind;
    return { ...floor, series, price, currency, usd: null };
  });
  return { ...contract, series: [floor, ...read] };
}

const statisticsIn = (tab: Awaited<ReturnType<typeof openTab>>) => {
  const section = tab.window.document.querySelector('[aria-label="Volume and sales"]');
  const rows = [...(section?.querySelectorAll('tr') ?? [])];
  const words = (element: Element) => element.textContent.replaceAll(/\s+/g, ' ').trim();
  return [
    ...rows.map((row) => [...row.children].map(words)),
    ...[...(section?.querySelectorAll('p') ?? [])].map(words),
  ];
};

it('the collection page shows the recorded volume, sales, average price and owners with their ages', async () => {
  const values = {
    ...{ 'volume.1d': '32.5', 'sales.1d': '41', 'volume.7d': '0', 'sales.7d': '0' },
    ...{ 'sales.30d': '1', owners: '5123' },
  };
  const backend = watching();
  backend.reply({ 'GET /v1/contracts/{contract}': () => reading(values) });
  const tab = await openTab(backend, { hash: HASH });

  expect(statisticsIn(tab)).toEqual([
    ['Volume and sales', '1 day', '7 days', '30 days'],
    ['Volume', '32.5 ETH 35 min ago', '0 ETH 35 min ago', '–'],
    ['Sales', '41 sales 35 min ago', '0 sales 35 min ago', '1 sale 35 min ago'],
    ['Average price', '0.7926 ETH 35 min ago', '–', '–'],
    '5,123 owners 35 min ago',
  ]);
});

it('the collection page has no column, row or box for statistics that no rule reads', async () => {
  const backend = watching();
  backend.reply({ 'GET /v1/contracts/{contract}': () => reading({ 'volume.7d': '32.5' }) });
  const ofVolume = await openTab(backend, { hash: HASH });
  backend.reply({ 'GET /v1/contracts/{contract}': () => reading({ owners: '5' }) });
  const ofOwners = await openTab(backend, { hash: HASH });
  const ofNone = await openTab(watching(), { hash: HASH });

  expect(statisticsIn(ofVolume)).toEqual([
    ['Volume and sales', '7 days'],
    ['Volume', '32.5 ETH 35 min ago'],
  ]);
  expect(statisticsIn(ofOwners)).toEqual(['5 owners 35 min ago']);
  expect(statisticsIn(ofNone)).toEqual([]);
});

const TO_RECORD = 'Add a volume rule to start recording';
const catalogue = (reported: boolean) => {
  const { metrics } = example('GET /v1/metrics');
  return { metrics: metrics.map((one) => ({ ...one, id: 'volume', reported })) };
};

it('the collection page links to a new rule on volume if the provider reports volume and no rule uses it', async () => {
  const backend = watching();
  backend.reply({ 'GET /v1/metrics': () => catalogue(true) });
  const tab = await openTab(backend, { hash: HASH });
  const links = [...tab.window.document.querySelectorAll('a')];

  expect(links.find(({ textContent }) => textContent === TO_RECORD)?.hash).toBe(
    `${HASH}/rules/punks/new?metric=volume.1d&when=above`,
  );
});

it.each([
  {
    why: 'the provider does not report it',
    replies: { 'GET /v1/metrics': () => catalogue(false) },
  },
  {
    why: 'a rule uses it already',
    replies: {
      'GET /v1/metrics': () => catalogue(true),
      'GET /v1/contracts/{contract}': () => reading({ 'volume.1d': '1' }),
    },
  },
])('the collection page suggests no rule on volume if $why', async ({ replies }) => {
  const backend = watching();
  backend.reply(replies);
  const tab = await openTab(backend, { hash: HASH });

  expect(tab.has(TO_RECORD)).toBe(false);
});

it('the collection page requests the volume of the shortest window that rules use, if any', async () => {
  const backend = watching();
  const volumes = () =>
    backend
      .asked('GET /v1/contracts/{contract}/prices')
      .flatMap(({ query }) => (query.series?.startsWith('volume') ? [query.series] : []));
  await openTab(backend, { hash: HASH });
  const before = volumes();
  backend.reply({
    'GET /v1/contracts/{contract}': () => reading({ 'volume.30d': '1', 'volume.7d': '1' }),
  });
  await openTab(backend, { hash: HASH });

  expect(before).toEqual([]);
  expect(volumes()).toEqual(['volume.7d']);
});

it('the collection page links to a new rule on its list, and to each rule', async () => {
  const contract = example('GET /v1/contracts/{contract}');
  const backend = watching({ watchlist: 'whales', rule: 'dip' });
  backend.reply({
    'GET /v1/contracts/{contract}': () => ({ ...contract, watchlists: ['whales', 'others'] }),
  });
  const tab = await openTab(backend, { hash: HASH });
  const links = [...tab.window.document.querySelectorAll<HTMLAnchorElement>('a.button')];

  expect(links.map(({ hash }) => hash)).toEqual([
    `${HASH}/rules/whales/new`,
    `${HASH}/rules/whales/dip`,
  ]);
});

it('a rule card formats code and times in the reason why a rule is silent', async () => {
  const why = 'Waits for `floor_price` since 2026-11-21T11:30:00.000Z.';
  const tab = await openTab(watching({ why, status: 'error' }), { hash: HASH });

  expect(tab.textsOf('.rule-card code')).toEqual(['floor_price']);
  expect(tab.text()).not.toContain(why);
  expect(tab.textsOf('.rule-card time')).toEqual([expect.stringMatching(/\d\d:\d\d$/)]);
  expect(tab.textsOf('.rule-card .state')).toEqual(['Error']);
});

const rising = '60.000000000000000001';
const waitsFor: Watch['waitsFor'] = { metric: 'floor_price', falling: null, rising };

const NEXT: readonly { readonly watch: Partial<Watch>; readonly next: string | undefined }[] = [
  { watch: {}, next: 'Next: an alert (warning) when the value falls to 60 ETH.' },
  {
    watch: { severity: 'critical', all: [] },
    next: "Next: a critical alert when the value falls to 60 ETH and the rule's other conditions hold.",
  },
  { watch: { admin: 'paused' }, next: 'Next: no alerts. Edit the rule to resume it.' },
  { watch: { state: 'ended' }, next: 'Next: no more alerts. This rule fires only once.' },
  {
    watch: { state: 'disarmed', waitsFor },
    next: 'Next: the rule can fire after the value rises past 60 ETH.',
  },
  { watch: { distance: '0' }, next: undefined },
  { watch: { state: 'firing' }, next: undefined },
];

it.each(NEXT)('a rule card of $watch shows what happens next: $next', async ({ watch, next }) => {
  const atRest: Partial<Watch> = {
    ...{ state: 'ok', admin: 'enabled', severity: 'warning', direction: 'falls', all: null },
    ...{ when: 'below', line: '60', distance: '1.25', distancePct: '2.04', unit: 'eth' },
  };
  const tab = await openTab(watching({ ...atRest, ...watch }), { hash: HASH });

  expect(tab.textsOf('.rule-card p').find((text) => text.startsWith('Next:'))).toBe(next);
});

const RATIO = `${PUNKS}~${APES}` as const;
const RATIO_PAGE = `#/collections/${encodeURIComponent(RATIO)}`;

/** The page of a comparison, whose ratio has many digits. */
function comparing(name: string | null) {
  const known = example('GET /v1/contracts/{contract}');
  const [floor] = known.series;
  if (floor === undefined) throw new Error('the document has no example');
  const ratio = { ...floor, price: '0.531204081632653061', currency: 'ratio', usd: null };
  const backend = watching({
    ...{ contract: RATIO, metric: 'floor_ratio', unit: 'ratio', label: null, when: 'below' },
    ...{ value: '0.531204081632653061', threshold: '0.5', line: '0.5', distancePct: '5.87' },
  });
  backend.reply({
    'GET /v1/contracts/{contract}': () => ({
      ...{ ...known, contract: RATIO, name, collection: null, series: [ratio] },
    }),
    'GET /v1/metrics': () => catalogue(true),
  });
  return backend;
}

it('the page of a comparison shows its ratio without a unit, and neither dollars nor sales', async () => {
  const backend = comparing('Rivals');
  const tab = await openTab(backend, { hash: `${RATIO_PAGE}?in=usd` });

  expect(tab.textsOf('h1')).toEqual(['Rivals']);
  expect(tab.textsOf('.price strong')).toEqual(['0.5312']);
  expect(tab.textsOf('.rule-card .figures')).toEqual(['0.53125.8% to 0.5']);
  expect(tab.text()).not.toMatch(/RATIO/);
  expect(tab.has('USD')).toBe(false);
  expect(tab.has(TO_RECORD)).toBe(false);
  const series = backend
    .asked('GET /v1/contracts/{contract}/prices')
    .map(({ query }) => query.series);
  expect(series).toEqual([undefined]);
});

it('the page of a comparison links to the collections that it compares', async () => {
  const tab = await openTab(comparing(null), { hash: RATIO_PAGE });
  const links = [
    ...tab.window.document.querySelectorAll<HTMLAnchorElement>('.collection-head p a'),
  ];

  expect(tab.textsOf('h1')).toEqual([
    expect.stringMatching(/^eth:0x.{4}….{4} \/ eth:0x.{4}….{4}$/),
  ]);
  expect(links.map(({ hash }) => hash)).toEqual(
    [PUNKS, APES].map((contract) => `#/collections/${encodeURIComponent(contract)}`),
  );
});

it('the line of a rule on a ratio is moved in a field without a unit', async () => {
  const tab = await openTab(comparing('Rivals'), { hash: RATIO_PAGE });

  await tab.click('Move line');

  expect(tab.valueOf('Threshold of “floor ratio below 0.5”')).toBe('0.5');
});
