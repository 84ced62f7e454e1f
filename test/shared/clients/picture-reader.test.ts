import { expect, it } from 'vitest';
import { createPictureReader } from '#shared/clients/picture-reader.ts';
import { startHttpServer } from '#test/support/http-server.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and all the rest', 'latin1');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const { signal } = new AbortController();
const readHere = createPictureReader({ destinations: 'loopback-only' });

/** The result of reading a picture from a host with this answer. */
async function readOf(type: string, body: string | Buffer, status = 200) {
  await using server = await startHttpServer((response) => {
    response.writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:1/' });
    response.end(body);
  });
  return await readHere(`${server.url}/picture.png`, signal);
}

it('reads a picture unchanged, with the type detected from its bytes', async () => {
  expect(await readOf('image/png', PNG)).toEqual({ kind: 'ok', type: 'image/png', bytes: PNG });
  expect(await readOf('image/jpeg', PNG)).toMatchObject({ type: 'image/png' });
});

it.each([
  ['an SVG', 'image/svg+xml', SVG],
  ['an SVG with the type of a picture', 'image/png', SVG],
  ['a page with the type of a picture', 'image/jpeg', '<!doctype html><script></script>'],
  ['a picture with the type of a page', 'text/html', PNG],
  ['an empty body', 'image/png', ''],
])('rejects %s as a picture', async (_what, type, body) => {
  const reason = 'the host did not return an AVIF, WebP, PNG, JPEG or GIF image';
  expect(await readOf(type, body)).toEqual({ kind: 'failed', reason });
});

it('does not follow the redirect of a picture', async () => {
  const reason = 'the host returned HTTP 302';
  expect(await readOf('image/png', PNG, 302)).toEqual({ kind: 'failed', reason });
});

it('accepts a picture of at most a megabyte', async () => {
  const most = Buffer.concat([PNG, Buffer.alloc(1024 * 1024 - PNG.length)]);

  const taken = await readOf('image/png', most);
  const refused = await readOf('image/png', Buffer.concat([most, PNG.subarray(0, 1)]));

  expect(taken.kind).toBe('ok');
  expect(refused).toEqual({ kind: 'failed', reason: 'the picture is larger than 1 MB' });
});

it('reads pictures only from public hosts, and in a local stack only from this machine', async () => {
  await using server = await startHttpServer((response) => response.end(PNG));
  const readPublic = createPictureReader({ destinations: 'public' });

  const here = await readPublic(`${server.url}/picture.png`, signal);
  const there = await readHere('https://i2c.seadn.io/punks.png', signal);

  expect(here).toEqual({ kind: 'failed', reason: 'the address of the host is not public' });
  expect(there).toEqual({ kind: 'failed', reason: 'a local stack connects only to this machine' });
  expect(server.connections()).toBe(0);
});
