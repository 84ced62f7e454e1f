import { expect, it, vi } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

type RuleRead = Answer<'GET /v1/watchlists/{watchlist}/rules/{rule}'>;
type Preview = Answer<'POST /v1/rules/preview'>;

const CATS = 'eth:0x035ea1bd051cec6d178e892bb20cf4a0bff18560' as const;
const PAGE = `#/collections/${encodeURIComponent(PUNKS)}`;
const RULE = `${PAGE}/rules/punks/floor-60`;
const NEW = `${PAGE}/rules/punks/new`;
/** Milliseconds without a change until the preview is requested. */
const PAUSE = 500;

const [DRAWDOWN] = example('GET /v1/metrics').metrics;
const floorFamily = () => {
  if (DRAWDOWN === undefined) throw new Error('the document has no example');
  const floor = {
    metric: 'floor_price',
    name: 'floor price',
    span: null,
    series: ['floor' as const],
  };
  return {
    ...{ ...DRAWDOWN, id: 'floor_price', over: 'nothing' as const, metrics: [floor] },
    unit: 'currency' as const,
  };
};

function aRule(given: Partial<RuleRead['rule']> = {}): RuleRead {
  const read = example('GET /v1/watchlists/{watchlist}/rules/{rule}');
  return { ...read, rule: { ...read.rule, ...given } };
}

/** The page of a rule, whose chart never loads. */
const interfaceWith = (replies: Parameters<typeof fakeInterface>[0] = {}) =>
  fakeInterface({
    'GET /v1/contracts/{contract}/prices': () => Promise.withResolvers<never>().promise,
    'GET /v1/metrics': () => ({ metrics: [floorFamily()] }),
    'GET /v1/watchlists/{watchlist}/rules/{rule}': ({ path }) => aRule({ id: path.rule ?? '' }),
    ...replies,
  });

function previewOf(fired: number): Preview {
  const preview = example('POST /v1/rules/preview');
  return {
    ...preview,
    contracts: preview.contracts.map((contract) => ({
      ...contract,
      counts: contract.counts && { ...contract.counts, fired },
    })),
  };
}

it('the rule form creates a rule on the collection of its page', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: NEW });

  await tab.choose('Condition', 'rises to or above');
  await tab.type(/^Threshold/, ' 58.5 ');
  await tab.choose('Severity', 'critical');
  await tab.click('Save rule');

  const [made] = backend.asked('POST /v1/watchlists/{watchlist}/rules');
  expect(made).toMatchObject({ path: { watchlist: 'punks' } });
  expect(made?.body).toMatchObject({
    ...{ metric: 'floor_price', when: 'above', threshold: '58.5', on: PUNKS },
    severity: 'critical',
  });
  expect(tab.address()).toBe(`/prod/app${PAGE}`);
});

it('the chart beside a rule requests the price series of its metric', async () => {
  const backend = interfaceWith({
    'GET /v1/metrics': () => ({
      metrics: [floorFamily(), traded('volume', 'currency', ['7'], 'volume')],
    }),
  });
  const tab = await openTab(backend, { hash: NEW });

  await tab.choose('Metric', 'volume in 7 days');

  const asked = backend
    .asked('GET /v1/contracts/{contract}/prices')
    .map(({ query }) => query.series);
  expect(asked).toEqual([undefined, 'volume.7d']);
});

it('a new rule on a collection of several lists asks for its list, and keeps the condition', async () => {
  const [list] = example('GET /v1/watchlists').watchlists;
  if (list === undefined) throw new Error('the document has no example');
  const backend = interfaceWith({
    'GET /v1/contracts/{contract}': () => ({
      ...{ ...example('GET /v1/contracts/{contract}'), watchlists: ['punks', 'mine'] },
    }),
    'GET /v1/watchlists': () => ({
      ...example('GET /v1/watchlists'),
      watchlists: [{ ...list, id: 'mine', name: 'My own' }],
    }),
    'GET /v1/watchlists/{watchlist}': ({ path }) => ({
      ...{ ...example('GET /v1/watchlists/{watchlist}'), id: path.watchlist ?? '' },
    }),
  });
  const tab = await openTab(backend, { hash: NEW });

  await tab.type(/^Threshold/, '58.5');
  await tab.choose('List for this rule', 'My own');
  const threshold = tab.valueOf(/^Threshold/);
  await tab.click('Save rule');

  const [made] = backend.asked('POST /v1/watchlists/{watchlist}/rules');
  expect(threshold).toBe('58.5');
  expect(made).toMatchObject({ path: { watchlist: 'mine' }, body: { threshold: '58.5' } });
});

it('the rule form edits the opened rule, even if another rule was open just before', async () => {
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}/rules/{rule}': ({ path }) =>
      aRule(path.rule === 'dip' ? { id: 'dip', threshold: '20' } : {}),
  });
  const tab = await openTab(backend, { hash: RULE });
  const first = tab.valueOf(/^Threshold/);

  await tab.open(`${PAGE}/rules/punks/dip`);
  const second = tab.valueOf(/^Threshold/);
  await tab.click('Save rule');

  expect([first, second]).toEqual(['60', '20']);
  expect(backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}')).toMatchObject([
    { path: { rule: 'dip' }, body: { id: 'dip', threshold: '20' } },
  ]);
});

it('the form of a new rule starts empty, even if another rule was open just before', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: RULE });

  await tab.open(NEW);

  expect(tab.textsOf('h1')).toEqual(['New rule']);
  expect(tab.valueOf(/^Threshold/)).toBe('');
});

it('a late preview of an earlier draft is not shown', async () => {
  const [earlier, newest] = [Promise.withResolvers<Preview>(), Promise.withResolvers<Preview>()];
  const backend = interfaceWith({
    'POST /v1/rules/preview': ({ body }) =>
      (JSON.stringify(body).includes('"55"') ? newest : earlier).promise,
  });
  const tab = await openTab(backend, { hash: RULE });

  await tab.pass(PAUSE);
  await tab.type(/^Threshold/, '55');
  await tab.pass(PAUSE);
  newest.resolve(previewOf(3));
  await tab.pass(0);
  earlier.resolve(previewOf(77));
  await tab.pass(0);

  expect(tab.text()).toContain('The rule would have fired 3 times');
});

it('typing a threshold requests one preview, and an incomplete rule requests none', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: NEW });

  await tab.pass(2 * PAUSE);
  const ofNothing = backend.asked('POST /v1/rules/preview').length;
  for (const text of ['5', '58', '58.5']) await tab.type(/^Threshold/, text);
  await tab.pass(PAUSE);

  const asked = backend.asked('POST /v1/rules/preview');
  expect(ofNothing).toBe(0);
  expect(asked).toMatchObject([
    { body: { rule: { threshold: '58.5' }, contracts: [{ contract: PUNKS }], days: 30 } },
  ]);
});

it('the preview of an expired rule leaves out its expiry', async () => {
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}/rules/{rule}': () =>
      aRule({ expiresAt: '2026-01-01T00:00:00.000Z' }),
  });
  const tab = await openTab(backend, { hash: RULE });
  await tab.pass(PAUSE);

  const [asked] = backend.asked('POST /v1/rules/preview');
  expect(asked?.body).not.toHaveProperty('rule.expiresAt');
});

it('a rule conflict shows the differing members, and only a second press overwrites the rule', async () => {
  const theirs = aRule({ threshold: '50', label: 'Theirs' });
  const answers = [refusal('it has changed', { type: 'precondition_failed' })];
  const backend = interfaceWith({
    'PUT /v1/watchlists/{watchlist}/rules/{rule}': () =>
      answers.shift() ?? example('PUT /v1/watchlists/{watchlist}/rules/{rule}'),
  });
  const tab = await openTab(backend, { hash: RULE });
  backend.reply({ 'GET /v1/watchlists/{watchlist}/rules/{rule}': () => theirs });

  await tab.type(/^Threshold/, '55');
  await tab.click('Save rule');
  const conflict = tab.textsOf('.difference tr');
  await tab.click('Save mine');

  expect(conflict).toEqual(['SettingBeforeTheirsYours', 'threshold605055', 'label–Theirs–']);
  const [first, second] = backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}');
  expect(second?.body).toEqual(first?.body);
  expect(second?.ifMatch).not.toBe(first?.ifMatch);
  expect(tab.address()).toBe(`/prod/app${PAGE}`);
});

it('an error of a joint condition is shown beside its field', async () => {
  const tab = await openTab(interfaceWith(), { hash: NEW });

  await tab.type(/^Threshold/, '58');
  await tab.click('Add a condition');
  const [, second] = tab.window.document.querySelectorAll<HTMLInputElement>('[inputmode=decimal]');
  if (second !== undefined) second.value = 'x';
  second?.dispatchEvent(new tab.window.Event('input', { bubbles: true }));
  await tab.pass(0);
  await tab.click('Save rule');

  const invalid = [...tab.window.document.querySelectorAll('[aria-invalid=true]')];
  expect(invalid).toEqual([second]);
  expect(tab.textsOf('.wrong')).toEqual(['Enter a number, such as 9.5.']);
  expect(tab.textsOf('[role=alert]')).toContain('Correct the marked field.');
});

it.each(['1.5', '1,5'])('the threshold "%s" is saved and shown as 1.5', async (typed) => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: NEW });

  await tab.type(/^Threshold/, typed);
  const intent = tab.textsOf('.hint').join(' ');
  await tab.leave(/^Threshold/);
  const shown = tab.valueOf(/^Threshold/);
  await tab.click('Save rule');

  expect(intent.includes('Read as 1.5.')).toBe(typed !== '1.5');
  expect(shown).toBe('1.5');
  const [made] = backend.asked('POST /v1/watchlists/{watchlist}/rules');
  expect(made?.body).toMatchObject({ threshold: '1.5' });
});

it('an ambiguous number shows both readings, and requests no preview', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: NEW });

  await tab.type(/^Threshold/, '1,125');
  await tab.pass(PAUSE);

  expect(tab.textsOf('.wrong')).toEqual([
    'This can mean 1.125 or 1125. Enter the number without a comma.',
  ]);
  expect(backend.asked('POST /v1/rules/preview')).toEqual([]);
});

it('an error in the closed section "More" opens the section, and shows the text at its field', async () => {
  const tab = await openTab(interfaceWith(), { hash: RULE });
  const isOpen = () => tab.window.document.querySelector('details')?.open;

  const before = isOpen();
  await tab.type(/^Recovery threshold/, '10');
  await tab.click('Save rule');

  expect([before, isOpen()]).toEqual([false, true]);
  expect(tab.textsOf('.wrong')).toEqual([
    expect.stringMatching(/^Enter a number above the threshold if/),
  ]);
});

it('"Save rule" is below the sentence and the preview, beside the summary of the preview', async () => {
  const tab = await openTab(interfaceWith(), { hash: RULE });
  await tab.pass(PAUSE);

  expect(tab.textsOf('.save-bar p')).toEqual([
    expect.stringMatching(/^Last 30 days: fired once, /),
  ]);
  const order = tab.textsOf('.sentence label, [aria-label=Preview], .save-bar button');
  expect(order[0]).toBe('Alert when');
  expect(order.slice(-2)).toEqual(['Preview', 'Save rule']);
});

it('deleting a rule needs a confirmation, and sends the ETag with which the rule was read', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: RULE });
  const deleted = () => backend.asked('DELETE /v1/watchlists/{watchlist}/rules/{rule}');

  await tab.click('Delete this rule…');
  const asked = deleted().length;
  await tab.click('Delete it');

  expect(asked).toBe(0);
  expect(deleted()).toMatchObject([{ path: { watchlist: 'punks', rule: 'floor-60' } }]);
  expect(deleted()[0]?.ifMatch).toMatch(/^"/);
  expect(tab.address()).toBe(`/prod/app${PAGE}`);
});

it('a rule notifies its own channels or those of its severity, but no escalation channel by default', async () => {
  const list = example('GET /v1/watchlists/{watchlist}');
  const [desk] = example('GET /v1/watchlists/{watchlist}/channels').channels;
  const channels = ['desk', 'chat', 'phone'].flatMap((id) => (desk ? [{ ...desk, id }] : []));
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => ({
      ...list,
      notify: { critical: ['phone', 'desk'] },
      escalate: { after: '15m', to: ['phone'] },
    }),
    'GET /v1/watchlists/{watchlist}/channels': () => ({
      channels,
      undeliverable: false,
      unreadable: [],
    }),
  });
  const tab = await openTab(backend, { hash: RULE });
  const audience = () => tab.textsOf('.audience .small')[0];

  const warning = audience();
  await tab.choose('Severity', 'critical');
  const critical = audience();
  await tab.check('Use the channels of the list for critical alerts');
  await tab.check('desk');
  await tab.click('Save rule');

  expect([warning, critical]).toEqual(['desk, chat', 'desk, phone']);
  expect(backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}')).toMatchObject([
    { body: { notify: ['phone'] } },
  ]);
});

it('the expiry of a rule is shown in the local time zone, and saved in UTC', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}/rules/{rule}': () =>
      aRule({ expiresAt: '2026-12-24T17:00:00.000Z' }),
  });
  const tab = await openTab(backend, { hash: RULE });

  const shown = tab.valueOf('Expires');
  await tab.type('Expires', '2026-12-31T18:30');
  await tab.click('Save rule');
  vi.unstubAllEnvs();

  expect(shown).toBe('2026-12-24T12:00');
  expect(backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}')).toMatchObject([
    { body: { expiresAt: '2026-12-31T23:30:00.000Z' } },
  ]);
});

it('a rule can be on some collections of its list', async () => {
  const list = example('GET /v1/watchlists/{watchlist}');
  const contracts = [
    ...list.contracts,
    { contract: APES, name: 'Apes' },
    { contract: CATS, name: 'Cats' },
  ];
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}': () => ({ ...list, contracts }),
  });
  const tab = await openTab(backend, { hash: NEW });

  await tab.type(/^Threshold/, '58');
  await tab.choose('Alert when', 'some collections in “Punks”');
  await tab.check('Apes');
  await tab.check('Apes');
  await tab.click('Save rule');

  expect(backend.asked('POST /v1/watchlists/{watchlist}/rules')).toMatchObject([
    { body: { on: [PUNKS, CATS, APES] } },
  ]);
});

it('choosing another metric resets a condition and a unit that the new metric does not offer', async () => {
  const clock = { ...floorFamily(), id: 'age', unit: 'minutes' as const, when: ['above' as const] };
  const age = { metric: 'data_age_minutes', name: 'age of data', span: null, series: [] };
  const backend = interfaceWith({
    'GET /v1/metrics': () => ({ metrics: [floorFamily(), { ...clock, metrics: [age] }] }),
    'GET /v1/watchlists/{watchlist}/rules/{rule}': () =>
      aRule({ unit: 'usdc', recover: undefined }),
  });
  const tab = await openTab(backend, { hash: RULE });

  await tab.choose('Metric', 'age of data');
  const threshold = tab.valueOf('Threshold, in minutes');
  await tab.click('Save rule');

  const [saved] = backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}');
  expect(threshold).toBe('60');
  expect(saved?.body).toMatchObject({ metric: 'data_age_minutes', when: 'above', threshold: '60' });
  expect(saved?.body).not.toHaveProperty('unit');
});

it('the form of a rule on a gain uses the currency of the cost, and previews the rule with this cost', async () => {
  const list = example('GET /v1/watchlists/{watchlist}');
  const cost = { price: '40000', unit: 'usd' };
  const gain = { metric: 'gain', name: 'total gain', span: null, series: [] };
  const families = [{ ...floorFamily(), needsCost: true, metrics: [gain] }];
  const formOf = async (held: object) => {
    const contracts = list.contracts.map((member) => ({ ...member, ...held }));
    const backend = interfaceWith({
      'GET /v1/metrics': () => ({ metrics: [floorFamily(), ...families] }),
      'GET /v1/watchlists/{watchlist}': () => ({ ...list, contracts }),
    });
    const tab = await openTab(backend, { hash: `${NEW}?metric=gain&when=above&threshold=900` });
    await tab.pass(PAUSE);
    return { tab, asked: backend.asked('POST /v1/rules/preview') };
  };

  const priced = await formOf({ amount: 2, cost });
  const bare = await formOf({});

  expect(priced.tab.valueOf('Threshold, in USD')).toBe('900');
  expect(priced.asked).toMatchObject([{ body: { contracts: [{ amount: 2, cost }] } }]);
  expect(priced.tab.text()).not.toContain('No cost is saved for this collection');
  expect(bare.tab.text()).toContain('No cost is saved for this collection');
});

const traded = (id: string, unit: 'currency' | 'sales', days: readonly string[], name: string) => ({
  ...{ ...floorFamily(), id, over: 'period' as const, unit },
  metrics: days.map((span) => ({
    ...{ metric: `${id}.${span}d`, span: `${span}d` },
    series: [`${id}.${span}d` as 'volume.7d'],
    name: `${name} in ${span === '1' ? '1 day' : `${span} days`}`,
  })),
});

it('the rule form offers volume and sales in one group, and creates a rule on a number of sales', async () => {
  const families = [
    floorFamily(),
    traded('volume', 'currency', ['1', '7'], 'volume'),
    traded('sales', 'sales', ['1', '7'], 'number of sales'),
  ];
  const backend = interfaceWith({ 'GET /v1/metrics': () => ({ metrics: families }) });
  const tab = await openTab(backend, { hash: NEW });
  const groups = [...tab.window.document.querySelectorAll('optgroup')].map((group) => [
    group.label,
    ...[...group.querySelectorAll('option')].map(({ textContent }) => textContent),
  ]);

  await tab.choose('Metric', 'number of sales in 7 days');
  await tab.type('Threshold, in sales', '12');
  await tab.click('Save rule');

  expect(groups).toEqual([
    ['Floor', 'floor price'],
    [
      'Volume and sales',
      ...['volume in 1 day', 'volume in 7 days'],
      ...['number of sales in 1 day', 'number of sales in 7 days'],
    ],
  ]);
  expect(backend.asked('POST /v1/watchlists/{watchlist}/rules')).toMatchObject([
    { body: { metric: 'sales.7d', when: 'below', threshold: '12' } },
  ]);
});

it('the rule form offers only metrics that the provider reports, and the metric of the edited rule', async () => {
  const families = [
    floorFamily(),
    { ...traded('volume', 'currency', ['1'], 'volume'), reported: false },
    { ...traded('sales', 'sales', ['1'], 'number of sales'), reported: false },
  ];
  const replies = { 'GET /v1/metrics': () => ({ metrics: families }) };
  const offered = async (hash: string, rule: Partial<RuleRead['rule']> = {}) => {
    const backend = interfaceWith({
      ...replies,
      'GET /v1/watchlists/{watchlist}/rules/{rule}': () => aRule(rule),
    });
    const tab = await openTab(backend, { hash });
    return [...tab.window.document.querySelectorAll('optgroup option')].map(
      ({ textContent }) => textContent,
    );
  };

  expect(await offered(NEW)).toEqual(['floor price']);
  expect(await offered(RULE, { metric: 'volume.1d' })).toEqual(['floor price', 'volume in 1 day']);
});

it('the rule form shows that a rule on volume is not tested while no statistics are recorded', async () => {
  const preview = example('POST /v1/rules/preview');
  const notTested = 'not tested: no statistics recorded';
  const backend = interfaceWith({
    'GET /v1/metrics': () => ({ metrics: [traded('volume', 'currency', ['1'], 'volume')] }),
    'POST /v1/rules/preview': () => ({
      ...preview,
      contracts: preview.contracts.map((one) => ({ ...one, counts: null, alerts: [], notTested })),
    }),
  });
  const tab = await openTab(backend, { hash: `${NEW}?metric=volume.1d&when=above&threshold=30` });
  await tab.pass(PAUSE);

  expect(tab.textsOf('.summary-of-preview')).toEqual([notTested]);
  expect(tab.textsOf('.notice.warning')).toEqual([notTested]);
  expect(backend.asked('POST /v1/rules/preview')).toMatchObject([
    { body: { rule: { metric: 'volume.1d', when: 'above', threshold: '30' } } },
  ]);
});

it('the message preview uses the selected kind of channel, and has only https links', async () => {
  const [channel] = example('GET /v1/watchlists/{watchlist}/channels').channels;
  const kinds = ['email', 'telegram'] as const;
  const channels = kinds.flatMap((kind) => (channel ? [{ ...channel, id: kind, kind }] : []));
  const preview = example('POST /v1/rules/preview');
  const text = '<a href="javascript:alert(1)">first</a> <a href="https://nft.example/">second</a>';
  const messages = [
    { kind: 'email' as const, message: { subject: 'Punks below 60 ETH', text: 'now' } },
    { kind: 'telegram' as const, message: { text } },
  ];
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}/channels': () => ({
      ...{ channels, undeliverable: false, unreadable: [] },
    }),
    'POST /v1/rules/preview': () => ({
      ...preview,
      contracts: preview.contracts.map((one) => ({ ...one, messages })),
    }),
  });
  const tab = await openTab(backend, { hash: RULE });
  await tab.pass(PAUSE);
  const links = () =>
    [...tab.window.document.querySelectorAll<HTMLAnchorElement>('.shown a')].map(
      ({ href }) => href,
    );

  const asEmail = tab.textsOf('.shown h4');
  await tab.click('Telegram');

  expect(asEmail).toEqual(['Punks below 60 ETH']);
  expect(tab.textsOf('.shown p')).toEqual(['first second']);
  expect(links()).toEqual(['https://nft.example/']);
});

it('a rule with more than ten messages a week is reported as noisy', async () => {
  const preview = example('POST /v1/rules/preview');
  const sending = (count: number): Preview => ({
    ...preview,
    contracts: preview.contracts.map((one) => ({
      ...one,
      alerts: one.alerts.flatMap((alert) => Array.from({ length: count }, () => alert)),
    })),
  });
  const backend = interfaceWith({ 'POST /v1/rules/preview': () => sending(43) });
  const noisy = await openTab(backend, { hash: RULE });
  await noisy.pass(PAUSE);
  expect(noisy.text()).toContain('That is more than ten messages a week.');

  backend.reply({ 'POST /v1/rules/preview': () => sending(42) });
  const quiet = await openTab(backend, { hash: RULE });
  await quiet.pass(PAUSE);
  expect(quiet.text()).toContain('sent 42 messages');
  expect(quiet.text()).not.toContain('That is more than ten messages a week.');
});

it('a suggested threshold is filled in when a person chooses it, but is not saved', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: RULE });

  await tab.click('Suggest a threshold');
  const said = tab.text();
  await tab.click('60 ETH 1 message');
  await tab.pass(PAUSE);

  const [asked] = backend.asked('POST /v1/rules/suggestions');
  const previewed = backend.asked('POST /v1/rules/preview').at(-1);
  expect(asked?.body).toMatchObject({ days: 90, rule: { metric: 'floor_price', on: '*' } });
  expect(said).toContain('how many messages the rule would have sent with it in the last 90 days');
  expect(previewed?.body).toMatchObject({ rule: { threshold: '60' } });
  expect(backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}')).toEqual([]);
});

it('the rule form shows that no threshold is suggested if none would have sent one to three messages', async () => {
  const answered = example('POST /v1/rules/suggestions');
  const contracts = answered.contracts.map((one) => ({ ...one, lines: [] }));
  const backend = interfaceWith({
    'POST /v1/rules/suggestions': () => ({ ...answered, contracts }),
  });
  const tab = await openTab(backend, { hash: RULE });

  await tab.click('Suggest a threshold');

  expect(tab.text()).toContain(
    'No threshold was found with which the rule would have sent one to three',
  );
});

it('a connection that is lost while a rule is saved or deleted is reported', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: RULE });

  backend.reach(false);
  await tab.type(/^Threshold/, '55');
  await tab.click('Save rule');
  const saved = tab.text();
  await tab.click('Delete this rule…');
  await tab.click('Delete it');

  expect(saved).toContain('The rule was not saved: the server cannot be reached.');
  expect(tab.text()).toContain('The rule was not deleted: the server cannot be reached.');
  expect(tab.valueOf(/^Threshold/)).toBe('55');
  expect(tab.address()).toBe(`/prod/app${RULE}`);
});

it('saving a rule announces its forecast', async () => {
  const put = example('PUT /v1/watchlists/{watchlist}/rules/{rule}');
  const [{ forecast } = {}] = example('POST /v1/rules/preview').contracts;
  const watches = forecast ? [{ rule: 'floor-60', contract: PUNKS, forecast }] : [];
  const backend = interfaceWith({
    'PUT /v1/watchlists/{watchlist}/rules/{rule}': () => ({
      ...put,
      forecast: {
        ...{ watches, leftOut: 0, warnings: [] },
        cadence: { minutes: 30, promisedMinutes: 30, contractsThatFit: null },
      },
    }),
  });
  const tab = await openTab(backend, { hash: RULE });

  await tab.click('Save rule');

  expect(tab.text()).toContain(`Saved. ${forecast?.text}`);
});

it('removing a joint condition keeps the others', async () => {
  const all = [
    { metric: 'floor_price' as const, when: 'below' as const, threshold: '60' },
    { metric: 'floor_price' as const, when: 'above' as const, threshold: '50' },
    { metric: 'floor_price' as const, when: 'above' as const, threshold: '40' },
  ];
  const { metric: _metric, when: _when, threshold: _threshold, recover: _, ...rule } = aRule().rule;
  const backend = interfaceWith({
    'GET /v1/watchlists/{watchlist}/rules/{rule}': () => ({ ...aRule(), rule: { ...rule, all } }),
  });
  const tab = await openTab(backend, { hash: RULE });

  await tab.click('Remove');
  await tab.click('Save rule');

  const [saved] = backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}');
  expect(saved?.body).toMatchObject({ all: [{ threshold: '60' }, { threshold: '40' }] });
});

it('a refused preview shows the reason, and hides the earlier preview', async () => {
  const backend = interfaceWith();
  const tab = await openTab(backend, { hash: RULE });
  await tab.pass(PAUSE);
  const before = tab.text();

  backend.reply({ 'POST /v1/rules/preview': () => refusal('too many', { type: 'throttled' }) });
  await tab.type(/^Threshold/, '55');
  await tab.pass(PAUSE);

  expect(before).toContain('The rule would have fired once');
  expect(tab.text()).toContain('too many');
  expect(tab.text()).not.toContain('The rule would have fired');
});

const RATIO = `${PUNKS}~${APES}` as const;
const OTHER_RATIO = `${CATS}~${APES}` as const;
const ratioFamily = () => ({
  ...{
    ...floorFamily(),
    id: 'floor_ratio',
    unit: 'ratio' as const,
    units: [],
    subject: 'ratio' as const,
  },
  metrics: [{ metric: 'floor_ratio', name: 'floor ratio', span: null, series: ['floor' as const] }],
});

/** A list with collections and comparisons. */
const compared = (replies: Parameters<typeof fakeInterface>[0] = {}) =>
  interfaceWith({
    'GET /v1/metrics': () => ({ metrics: [floorFamily(), ratioFamily()] }),
    'GET /v1/contracts/{contract}': () => ({
      ...{ ...example('GET /v1/contracts/{contract}'), name: null, collection: null, series: [] },
    }),
    'GET /v1/watchlists/{watchlist}': () => ({
      ...example('GET /v1/watchlists/{watchlist}'),
      contracts: [
        { contract: PUNKS, name: 'Punks' },
        { contract: APES, name: 'Apes' },
        { contract: CATS, name: 'Cats' },
        { contract: RATIO },
        { contract: OTHER_RATIO },
      ],
    }),
    ...replies,
  });
const ofRatio = `#/collections/${encodeURIComponent(RATIO)}/rules/punks/new`;

it.each([
  { page: 'a collection', hash: NEW, measures: ['floor price'], unit: /^Threshold, in ETH$/ },
  { page: 'a comparison', hash: ofRatio, measures: ['floor ratio'], unit: /^Threshold$/ },
])('the form of a rule on $page offers only $measures', async ({ hash, measures, unit }) => {
  const tab = await openTab(compared(), { hash });

  expect(tab.textsOf('optgroup option')).toEqual(measures);
  expect(tab.valueOf(unit)).toBe('');
});

it.each([
  { page: 'a collection', hash: NEW, others: ['Punks', 'Apes', 'Cats'] },
  { page: 'a comparison', hash: ofRatio, others: ['Punks / Apes', 'Cats / Apes'] },
])(
  'the form of a rule on $page offers only contracts of the same kind, and no rule on the whole list',
  async ({ hash, others }) => {
    const tab = await openTab(compared(), { hash });
    const targets = tab.textsOf('select')[0];

    await tab.choose(
      'Alert when',
      `some collections in “${example('GET /v1/watchlists/{watchlist}').name}”`,
    );
    const [choice] = tab.window.document.querySelectorAll('fieldset.audience');

    expect(targets).not.toContain('any collection');
    expect([...(choice?.querySelectorAll('label') ?? [])].map((one) => one.textContent)).toEqual(
      others,
    );
  },
);

it('the rule form creates a rule on a comparison, without fields for its floors', async () => {
  const backend = compared();
  const tab = await openTab(backend, { hash: ofRatio });

  await tab.type('Threshold', '0.5');
  const text = tab.text();
  await tab.click('Add a condition');
  const measures = tab.textsOf('optgroup option');
  await tab.click('Remove');
  await tab.click('Save rule');

  expect(text).not.toMatch(/RATIO|Require prices from two sources|Report missing prices/);
  expect(measures).toEqual(['floor ratio', 'floor ratio']);
  const [made] = backend.asked('POST /v1/watchlists/{watchlist}/rules');
  expect(made?.body).toMatchObject({ metric: 'floor_ratio', threshold: '0.5', on: RATIO });
  expect(made?.body).not.toHaveProperty('unit');
});

const VALUE = `${PUNKS}@${'a1'.repeat(12)}` as const;
const valueFamily = () => ({
  ...{ ...floorFamily(), id: 'list_value', subject: 'list' as const },
  metrics: [{ metric: 'list_value', name: 'value', span: null, series: ['floor' as const] }],
});

it('the rule form creates a rule on the value of a list, and previews what the list holds', async () => {
  const list = example('GET /v1/watchlists/{watchlist}');
  const backend = interfaceWith({
    'GET /v1/metrics': () => ({ metrics: [floorFamily(), valueFamily()] }),
    'GET /v1/watchlists/{watchlist}/value': () => ({
      ...{ ...example('GET /v1/watchlists/{watchlist}/value'), prices: null },
    }),
    'GET /v1/watchlists/{watchlist}': () => ({
      ...list,
      contracts: [{ contract: PUNKS, name: 'Punks', amount: 2 }, { contract: APES }],
    }),
  });
  const hash = `#/collections/${encodeURIComponent(VALUE)}/rules/punks/new`;
  const tab = await openTab(backend, { hash });

  await tab.type(/^Threshold/, '120');
  await tab.pass(PAUSE);
  const text = tab.text();
  await tab.click('Save rule');

  expect(text).toContain(`the value of “${list.name}”`);
  expect(text).toContain('The value is 122.5 ETH now.');
  expect(tab.textsOf('optgroup option')).not.toContain('floor price');
  expect(backend.asked('POST /v1/rules/preview').at(-1)?.body).toMatchObject({
    rule: { metric: 'list_value', threshold: '120' },
    contracts: [{ contract: PUNKS, amount: 2 }],
  });
  const [made] = backend.asked('POST /v1/watchlists/{watchlist}/rules');
  expect(made?.body).toMatchObject({ metric: 'list_value', threshold: '120' });
  expect((made?.body as { on?: unknown } | undefined)?.on ?? '*').toBe('*');
});
