import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalStack } from '#test/support/local-stack.ts';
import { operate } from '#test/support/operate.ts';

/** A walk through the running stack, with the requests that a person could send with curl. */
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

  /** Repeats a request until it returns a value. The timeout of the test is the limit. */
  const eventually = async <Value>(ask: () => Promise<Value | undefined>): Promise<Value> => {
    for (;;) {
      const value = await ask();
      if (value !== undefined) return value;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  it('a list with a mistyped address is created with a warning, and "explain" gives one reason why its rule sends nothing', async () => {
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
      why: 'No data yet: the provider returned no price.',
      forecast: { text: 'Waiting for the first price.' },
    });
  });

  it('a watchlist is created, reports its state, and sends its alert to the mailbox', async () => {
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
    ['an invalid contract', { name: 'x', contracts: ['eth:0x12'] }, '/contracts/0'],
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
    ['malformed JSON', '{"name": ', ''],
  ])(
    'POST refuses %s with an error that names it, and writes nothing',
    async (_what, body, pointer) => {
      const before = await call('GET', '/v1/watchlists');

      const answer = await call('POST', '/v1/watchlists', body);

      expect(answer).toMatchObject({ status: 400, type: 'application/problem+json' });
      expect(answer.body.errors[0]).toMatchObject({ pointer });
      expect(await call('GET', '/v1/watchlists')).toEqual(before);
    },
  );

  it.each([
    ['no key', null],
    ['a mistyped key', 'fw_nothing'],
  ])('a request with %s is answered with 401 and a problem', async (_what, key) => {
    const answer = await call('GET', '/v1/watchlists', undefined, key);

    expect(answer).toMatchObject({ status: 401, type: 'application/problem+json' });
  });

  it('keys from npm run operate -- keys work until they are revoked', async () => {
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

  it('a list is returned only to its own tenant, and other tenants get 404', async () => {
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

  it('the document and the documentation need no key', async () => {
    const described = await call('GET', '/v1/openapi.json', undefined, null);
    const page = await fetch(`${url}/v1/docs`);

    expect(described).toMatchObject({ status: 200, body: { openapi: '3.1.0' } });
    expect(described.body.paths).toHaveProperty(['/v1/watchlists', 'post']);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('the traits search works through the proxy', async () => {
    const contract = await simulated();
    const [chain, address] = contract.split(':');
    const path = `/api/v2.2/nft/${address}/nfts-by-traits?chain=${chain}`;

    const found = await call('POST', path, { traits: { background: 'no such colour' } });
    const refused = await call('POST', path, { traits: 'blue' });

    expect(found).toMatchObject({ status: 200, body: { result: [] } });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/traits' }] } });
  });
});
