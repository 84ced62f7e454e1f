import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalStack } from '#test/support/local-stack.ts';
import { operate } from '#test/support/operate.ts';

/** A walk through the running stack, as a person with curl would take it. */
describe('the stack that npm start runs', () => {
  let stack: ReturnType<typeof startLocalStack>;
  let url = '';
  let apiKey = '';
  let neighbourKey = '';

  beforeAll(async () => {
    stack = startLocalStack(['--for', '90s']);
    const { value } = await stack.events.next();
    if (value?.event !== 'ready') throw new Error('the stack did not get ready');
    ({ url, apiKey, neighbourKey } = value);
  });

  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
  });

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    key: string | null = apiKey,
  ) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { 'x-api-key': key }),
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: text === '' ? undefined : JSON.parse(text),
    };
  };

  const simulated = async () => {
    const { body } = await call('GET', '/v1/watchlists/demo');
    return body.contracts[0].contract as string;
  };

  /** Asks again until the answer is what is waited for; the test's own time is the limit. */
  const eventually = async <Value>(ask: () => Promise<Value | undefined>): Promise<Value> => {
    for (;;) {
      const value = await ask();
      if (value !== undefined) return value;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  it('warns of an address with one wrong digit, and explains its silence by one thing', async () => {
    const contract = await simulated();
    const wrong = `${contract.slice(0, -1)}${contract.endsWith('0') ? '1' : '0'}`;
    const rules = [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '1' }];
    const list = { id: 'typo', name: 'Typo', contracts: [contract, wrong], rules };
    const found = await call('GET', `/v1/collections?query=${contract}`);

    const made = await call('POST', '/v1/watchlists', list);

    expect(found.body.collection).toMatchObject({ contract, name: 'Moonlit Apes' });
    expect(made.body.forecast.warnings).toEqual([
      {
        rule: null,
        contract: wrong,
        text: expect.stringContaining('check the chain and the address'),
      },
    ]);
    const explained = await eventually(async () => {
      const path = `/v1/watchlists/typo/watches/${wrong}/low/explain`;
      const { body } = await call('GET', path);
      return body.health?.code === 'empty' ? body : undefined;
    });
    expect(explained).toMatchObject({
      why: 'No data yet: the provider answers without a price.',
      forecast: { text: 'Waiting for the first price.' },
    });
  });

  it('makes a watchlist, reports its state, and brings its alert to the mailbox', async () => {
    const contract = await simulated();
    const list = {
      id: 'mine',
      name: 'Mine',
      contracts: [{ contract, name: 'My Apes' }],
      rules: [{ id: 'any', metric: 'floor_price', when: 'above', threshold: '0.000001' }],
      channels: [{ id: 'me', kind: 'email', to: 'me@example.com' }],
    };

    const created = await call('POST', '/v1/watchlists', list);
    const firing = await eventually(async () => {
      const { body } = await call('GET', '/v1/watchlists/mine/watches');
      return body.watches.find(({ state }: { state: string }) => state === 'firing');
    });
    const notification = await eventually(async () => {
      const { body } = await call('GET', '/local/mailbox');
      return body.find(
        ({ to, subject }: { to?: string; subject?: string }) =>
          to === 'me@example.com' && subject?.includes('My Apes'),
      );
    });
    const { body: alerts } = await call('GET', '/v1/watchlists/mine/alerts');

    expect(created).toMatchObject({ status: 201, body: { id: 'mine', revision: 1 } });
    expect(firing).toMatchObject({ rule: 'any', contract, health: { state: 'fresh' }, episode: 1 });
    expect(notification.text).toContain('My Apes');
    expect(alerts.alerts[0]).toMatchObject({ kind: 'fired', watchlist: 'mine', name: 'My Apes' });
  });

  it.each([
    ['an unknown member', { name: 'x', colour: 'red' }, '/colour'],
    ['a missing name', { contracts: [] }, '/name'],
    ['a contract that is none', { name: 'x', contracts: ['eth:0x12'] }, '/contracts/0'],
    [
      'a recovery on the wrong side',
      {
        name: 'x',
        rules: [{ metric: 'floor_price', when: 'below', threshold: '60', recover: '50' }],
      },
      '/rules/0/recover',
    ],
    [
      'a threshold that is a number',
      { name: 'x', rules: [{ metric: 'floor_price', when: 'below', threshold: 60 }] },
      '/rules/0/threshold',
    ],
    ['what is no JSON', '{"name": ', ''],
  ])('refuses %s, naming it, and writes nothing', async (_what, body, pointer) => {
    const before = await call('GET', '/v1/watchlists');

    const answer = await call('POST', '/v1/watchlists', body);

    expect(answer).toMatchObject({ status: 400, type: 'application/problem+json' });
    expect(answer.body.errors[0]).toMatchObject({ pointer });
    expect(await call('GET', '/v1/watchlists')).toEqual(before);
  });

  it.each([
    ['no key', null],
    ['a mistyped key', 'fw_nothing'],
  ])('answers 401 with a problem to %s', async (_what, key) => {
    const answer = await call('GET', '/v1/watchlists', undefined, key);

    expect(answer).toMatchObject({ status: 401, type: 'application/problem+json' });
  });

  it('knows the keys that npm run operate -- keys makes, until they are revoked', async () => {
    const keys = async (...args: readonly string[]) => {
      const { out } = await operate(['keys', ...args, '--url', url, '--json']);
      return JSON.parse(out);
    };
    const asked = async (method: string, key: string) =>
      (await call(method, '/v1/watchlists', method === 'GET' ? undefined : {}, key)).status;

    const { key, id } = await keys('create', '--tenant', 'walker', '--scopes', 'read');
    const allowed = [await asked('GET', key), await asked('POST', key)];
    await keys('revoke', id);

    expect(allowed).toEqual([200, 403]);
    await eventually(async () => ((await asked('GET', key)) === 401 ? true : undefined));
  });

  it('answers 404 for the list of another tenant, to whom it is there', async () => {
    const path = '/v1/watchlists/neighbours';

    expect(await call('GET', path, undefined, neighbourKey)).toMatchObject({ status: 200 });
    expect(await call('GET', path)).toMatchObject({
      status: 404,
      type: 'application/problem+json',
    });
    expect(await call('DELETE', path)).toMatchObject({ status: 404 });
    expect(await call('GET', '/v1/no-such-path')).toMatchObject({ status: 404 });
    expect(await call('PATCH', path)).toMatchObject({
      status: 405,
      body: { type: 'urn:floorwatch:problem:method_not_allowed' },
    });
  });

  it('describes itself to everybody', async () => {
    const described = await call('GET', '/v1/openapi.json', undefined, null);
    const page = await fetch(`${url}/v1/docs`);

    expect(described).toMatchObject({ status: 200, body: { openapi: '3.1.0' } });
    expect(described.body.paths).toHaveProperty(['/v1/watchlists', 'post']);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('searches traits through the proxy', async () => {
    const contract = await simulated();
    const [chain, address] = contract.split(':');
    const path = `/api/v2.2/nft/${address}/nfts-by-traits?chain=${chain}`;

    const found = await call('POST', path, { traits: { background: 'no such colour' } });
    const refused = await call('POST', path, { traits: 'blue' });

    expect(found).toMatchObject({ status: 200, body: { result: [] } });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/traits' }] } });
  });
});
