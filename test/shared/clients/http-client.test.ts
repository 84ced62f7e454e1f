import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createHttpClient, HttpError, type HttpRequest } from '#shared/clients/http-client.ts';
import { startHttpServer } from '#test/support/http-server.ts';

const limits = { deadlineMs: 10_000, maxBodyBytes: 1000, maxConnections: 5 };

const aRequest = (url: string, given: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url: new URL(url),
  headers: {},
  signal: new AbortController().signal,
  ...given,
});

describe('an HTTP request', () => {
  it('sends only the given headers, the user agent floorwatch/<version>, and the headers of HTTP itself', async () => {
    await using server = await startHttpServer((response) => response.end());

    await createHttpClient(limits).request(
      aRequest(server.url, { headers: { 'X-API-Key': 'secret' } }),
    );

    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(server.requests[0]?.headers['user-agent']).toBe(`floorwatch/${version}`);
    expect(Object.keys(server.requests[0]?.headers ?? {}).toSorted()).toEqual([
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
      'x-api-key',
    ]);
  });

  it('sends a request body with its length in bytes', async () => {
    await using server = await startHttpServer((response) => response.end());

    await createHttpClient(limits).request(aRequest(server.url, { method: 'POST', body: 'Ξ1' }));

    expect(server.requests[0]).toMatchObject({ method: 'POST', body: 'Ξ1' });
    expect(server.requests[0]?.headers['content-length']).toBe('3');
  });

  it('reuses the connection of the previous request', async () => {
    await using server = await startHttpServer((response) => response.end('ok'));
    const client = createHttpClient(limits);

    await client.request(aRequest(server.url));
    await client.request(aRequest(server.url));

    expect(server.connections()).toBe(1);
  });
});

describe('an HTTP response', () => {
  it('returns status, headers and body of a response, whatever its status', async () => {
    await using server = await startHttpServer((response) => {
      response.writeHead(503, { 'Retry-After': '7', 'X-Many': ['a', 'b'] }).end('busy');
    });

    const response = await createHttpClient(limits).request(aRequest(server.url));

    expect(response).toMatchObject({
      status: 503,
      headers: { 'retry-after': '7', 'x-many': 'a, b' },
      body: 'busy',
    });
  });

  it('does not follow an HTTP redirect', async () => {
    await using server = await startHttpServer((response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });

    const response = await createHttpClient(limits).request(aRequest(server.url));

    expect(response.status).toBe(302);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ] as const)('decompresses a response body with the encoding %s', async (encoding, pack) => {
    await using server = await startHttpServer((response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(pack('plain Ξ text'));
    });

    const response = await createHttpClient(limits).request(aRequest(server.url));

    expect(response.body).toBe('plain Ξ text');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)('rejects a response with a %s bomb as too large', async (encoding, pack) => {
    await using server = await startHttpServer((response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(pack('0'.repeat(5_000_000)));
    });

    const refused = createHttpClient({ ...limits, maxBodyBytes: 10_000 }).request(
      aRequest(server.url),
    );

    await expect(refused).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('accepts a response body of exactly the maximum size, and rejects a body with one more byte', async () => {
    await using server = await startHttpServer((response, _, count) => {
      response.end('x'.repeat(limits.maxBodyBytes + count - 1));
    });
    const client = createHttpClient(limits);

    const taken = await client.request(aRequest(server.url));
    const refused = client.request(aRequest(server.url));

    expect(taken.body).toHaveLength(limits.maxBodyBytes);
    await expect(refused).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('stops reading an endless response body at the size limit', async () => {
    await using server = await startHttpServer((response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', pour);
      pour();
    });

    const refused = createHttpClient(limits).request(aRequest(server.url));

    await expect(refused).rejects.toMatchObject({ reason: 'too_large' });
  });

  it.each([
    ['an encoding that was not requested', 'zebra', Buffer.from('stripes')],
    ['a broken encoding', 'gzip', Buffer.from('no gzip at all')],
    ['a truncated encoding', 'gzip', gzipSync('a longer text to be cut').subarray(0, 20)],
  ])('rejects a response body with %s as garbage', async (_, encoding, body) => {
    await using server = await startHttpServer((response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });

    const refused = createHttpClient(limits).request(aRequest(server.url));

    await expect(refused).rejects.toMatchObject({ reason: 'garbage' });
  });

  it('reports a connection that is lost during a response body as a network error', async () => {
    await using server = await startHttpServer((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });

    const refused = createHttpClient(limits).request(aRequest(server.url));

    await expect(refused).rejects.toMatchObject({ reason: 'network' });
  });
});

describe('a failed HTTP request', () => {
  it('reports a failure to connect as a network error with its cause', async () => {
    const server = await startHttpServer((response) => response.end());
    await server[Symbol.asyncDispose]();

    const refused = createHttpClient(limits).request(aRequest(server.url));

    await expect(refused).rejects.toThrow(HttpError);
    await expect(refused).rejects.toMatchObject({
      code: 'http_request_failed',
      reason: 'network',
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('reports an invalid header as a network error, without a request', async () => {
    await using server = await startHttpServer((response) => response.end());

    const refused = createHttpClient(limits).request(
      aRequest(server.url, { headers: { 'X-API-Key': 'line\nbreak' } }),
    );

    await expect(refused).rejects.toMatchObject({ reason: 'network' });
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['no answer', undefined],
    ['headers without an end of the body', 'half'],
  ])('reports a late response as a timeout: %s', async (_, partial) => {
    await using server = await startHttpServer((response) => {
      if (typeof partial === 'string') response.write(partial);
    });

    const refused = createHttpClient({ ...limits, deadlineMs: 50 }).request(aRequest(server.url));

    await expect(refused).rejects.toMatchObject({ reason: 'timeout' });
  });

  it("rejects an aborted HTTP request with the reason of the caller's signal", async () => {
    const controller = new AbortController();
    const reason = new Error('no time left');
    await using server = await startHttpServer(() => controller.abort(reason));

    const refused = createHttpClient(limits).request(
      aRequest(server.url, { signal: controller.signal }),
    );

    await expect(refused).rejects.toBe(reason);
  });

  it("sends no HTTP request if the caller's signal is already aborted", async () => {
    const reason = new Error('no time left');
    await using server = await startHttpServer((response) => response.end());

    const refused = createHttpClient(limits).request(
      aRequest(server.url, { signal: AbortSignal.abort(reason) }),
    );

    await expect(refused).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });
});

describe('a reused connection that is reset before it answers', () => {
  it('retries a GET on a new connection if a reused connection was reset before the response', async () => {
    await using server = await startHttpServer((response, _, count) => {
      if (count === 2) response.socket?.resetAndDestroy();
      else response.end(`answer ${count}`);
    });
    const client = createHttpClient(limits);
    await client.request(aRequest(server.url));

    const response = await client.request(aRequest(server.url));

    expect(response.body).toBe('answer 3');
    expect(server.connections()).toBe(2);
  });

  it('retries a GET on a new connection, because other reused connections may be stale, too', async () => {
    const stale = new Set<unknown>();
    await using server = await startHttpServer((response, _, count) => {
      if (stale.has(response.socket)) response.socket?.resetAndDestroy();
      else response.end(`answer ${count}`);
      stale.add(response.socket);
    });
    const client = createHttpClient(limits);
    await Promise.all([1, 2, 3].map(() => client.request(aRequest(server.url))));

    const response = await client.request(aRequest(server.url));

    expect(response.body).toBe('answer 5');
  });

  it('retries a GET only once', async () => {
    await using server = await startHttpServer((response, _, count) => {
      if (count > 1) response.socket?.resetAndDestroy();
      else response.end();
    });
    const client = createHttpClient(limits);
    await client.request(aRequest(server.url));

    await expect(client.request(aRequest(server.url))).rejects.toMatchObject({ reason: 'network' });
    expect(server.requests).toHaveLength(3);
  });

  it('never retries a POST, which may have been processed', async () => {
    await using server = await startHttpServer((response, _, count) => {
      if (count === 2) response.socket?.resetAndDestroy();
      else response.end();
    });
    const client = createHttpClient(limits);
    await client.request(aRequest(server.url));

    const refused = client.request(aRequest(server.url, { method: 'POST', body: '{}' }));

    await expect(refused).rejects.toMatchObject({ reason: 'network' });
    expect(server.requests).toHaveLength(2);
  });

  it('does not retry a GET after the first byte of an answer', async () => {
    await using server = await startHttpServer((response, _, count) => {
      if (count === 2) response.socket?.write('HTTP/1.1 2', () => response.socket?.destroy());
      else response.end();
    });
    const client = createHttpClient(limits);
    await client.request(aRequest(server.url));

    await expect(client.request(aRequest(server.url))).rejects.toMatchObject({ reason: 'network' });
    expect(server.requests).toHaveLength(2);
  });

  it('does not retry a GET if its connection was new', async () => {
    await using server = await startHttpServer((response) => response.socket?.resetAndDestroy());

    const refused = createHttpClient(limits).request(aRequest(server.url));

    await expect(refused).rejects.toMatchObject({ reason: 'network' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a client for URLs of tenants', () => {
  const publicOnly = { destinations: 'public' } as const;

  it.each([
    'http://127.0.0.1',
    'http://127.0.0.2',
    'http://2130706433',
    'http://0x7f.0.0.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://0.0.0.0',
    'http://localhost',
  ])("refuses to connect a tenant's URL to this machine: %s", async (host) => {
    await using server = await startHttpServer((response) => response.end());
    const url = `${host}:${new URL(server.url).port}`;

    const refused = createHttpClient(limits, publicOnly).request(aRequest(url));

    await expect(refused).rejects.toMatchObject({ reason: 'not_public' });
    expect(server.connections()).toBe(0);
  });

  it.each([
    ['10.0.0.1', 4],
    ['169.254.169.254', 4],
    ['fd00:ec2::254', 6],
    ['::ffff:169.254.169.254', 6],
  ])(
    'refuses to connect to a host that also resolves to the address %s',
    async (address, family) => {
      const asked: string[] = [];
      const client = createHttpClient(limits, {
        ...publicOnly,
        resolve: async (host) => {
          asked.push(host);
          return [
            { address: '93.184.215.14', family: 4 },
            { address, family },
          ];
        },
      });

      const refused = client.request(aRequest('https://hook.example.com/'));

      await expect(refused).rejects.toMatchObject({ reason: 'not_public' });
      expect(asked).toEqual(['hook.example.com']);
    },
  );

  it('connects to the checked address, even if the name resolves to another one later', async () => {
    await using server = await startHttpServer((response) => response.end('here'));
    const { port } = new URL(server.url);
    const answers = ['127.0.0.1', '10.0.0.1'];
    const client = createHttpClient(limits, {
      destinations: 'loopback-only',
      resolve: async () => [{ address: answers.shift() ?? '10.0.0.1', family: 4 }],
    });

    const first = await client.request(aRequest(`http://rebinding.example.com:${port}/`));
    const second = await client.request(aRequest(`http://rebinding.example.com:${port}/`));

    expect([first.body, second.body]).toEqual(['here', 'here']);
    expect(server.requests[0]?.headers.host).toBe(`rebinding.example.com:${port}`);
    // The connection is reused; its address was checked when it was opened.
    expect([server.connections(), answers]).toEqual([1, ['10.0.0.1']]);
  });

  it('checks the resolved address of every new connection (DNS rebinding)', async () => {
    await using server = await startHttpServer((response) => {
      response.setHeader('connection', 'close').end();
    });
    const { port } = new URL(server.url);
    const answers = ['127.0.0.1', '10.0.0.1'];
    const client = createHttpClient(limits, {
      destinations: 'loopback-only',
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    });
    await client.request(aRequest(`http://rebinding.example.com:${port}/`));

    const refused = client.request(aRequest(`http://rebinding.example.com:${port}/`));

    await expect(refused).rejects.toMatchObject({ reason: 'not_loopback' });
    expect(server.requests).toHaveLength(1);
  });

  it('checks the address of a connection that replaces a stale one', async () => {
    await using server = await startHttpServer((response, _, count) => {
      if (count === 2) response.socket?.resetAndDestroy();
      else response.end();
    });
    const { port } = new URL(server.url);
    const answers = ['127.0.0.1', '10.0.0.1'];
    const client = createHttpClient(limits, {
      destinations: 'loopback-only',
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    });
    await client.request(aRequest(`http://rebinding.example.com:${port}/`));

    const refused = client.request(aRequest(`http://rebinding.example.com:${port}/`));

    await expect(refused).rejects.toMatchObject({ reason: 'not_loopback' });
    expect(answers).toEqual([]);
  });

  it('does not follow a redirect to a forbidden address', async () => {
    await using inside = await startHttpServer((response) => response.end());
    await using outside = await startHttpServer((response) => {
      response.writeHead(307, { location: inside.url }).end();
    });
    const client = createHttpClient(limits, { destinations: 'loopback-only' });

    const { status } = await client.request(aRequest(outside.url));

    expect(status).toBe(307);
    expect(inside.requests).toEqual([]);
  });

  it('connects a local stack only to 127.0.0.1, without resolving names', async () => {
    await using server = await startHttpServer((response) => response.end('here'));
    const client = createHttpClient(limits, { destinations: 'loopback-only' });
    const { port } = new URL(server.url);

    const { body } = await client.request(aRequest(server.url));

    expect(body).toBe('here');
    for (const host of ['127.0.0.2', '[::1]', '10.0.0.1', '93.184.215.14', 'localhost']) {
      const refused = client.request(aRequest(`http://${host}:${port}`));
      await expect(refused).rejects.toMatchObject({ reason: 'not_loopback' });
    }
    expect(server.connections()).toBe(1);
  });

  it.each<[what: string, resolve: () => Promise<[]>]>([
    ['unknown', () => Promise.reject(new Error('ENOTFOUND'))],
    ['known but without an address', async () => []],
  ])('reports a host name that is %s as a network error', async (_, resolve) => {
    const client = createHttpClient(limits, { ...publicOnly, resolve });

    const refused = client.request(aRequest('https://nowhere.example.com/'));

    await expect(refused).rejects.toMatchObject({ reason: 'network' });
  });
});

describe('a response whose body is not read', () => {
  it('returns a response as soon as its headers have arrived', async () => {
    await using server = await startHttpServer((response) => {
      response.writeHead(202, { 'retry-after': '7' }).write('x'.repeat(100_000));
    });

    const response = await createHttpClient({ ...limits, maxBodyBytes: 'unread' }).request(
      aRequest(server.url),
    );

    expect(response).toMatchObject({ status: 202, headers: { 'retry-after': '7' }, body: '' });
  });
});
