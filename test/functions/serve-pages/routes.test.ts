import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { servePages } from '#functions/serve-pages/routes.ts';
import { consolePages } from '#infra/pages/console.ts';
import { writeSite } from '#infra/pages/write-site.ts';
import { openSite } from '#shared/http/site.ts';
import { anHttpRequest } from '#test/support/builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'floorwatch-console-'));
writeSite(folder, consolePages());
afterAll(() => rmSync(folder, { recursive: true }));
const site = openSite((name) => readFileSync(join(folder, name), 'utf8'));

const ask = (route: string, given: Parameters<typeof anHttpRequest>[1] = {}) =>
  servePages(site, anHttpRequest(route, given));

/** The page and the files that a browser requests when it opens the console. */
async function firstLoad() {
  const { body } = await ask('GET /app');
  const named = [...body.matchAll(/(?:href|src)="app\/([^"]*\.(?:js|css))"/g)].map(
    ([, file = '']) => file,
  );
  const files = await Promise.all(
    named.map(async (file) => ({ file, ...(await ask('GET /app/{file}', { path: { file } })) })),
  );
  return { page: body, files };
}

it.each([
  { asked: '/', leadsTo: '/app' },
  { asked: '/prod/', leadsTo: '/prod/app' },
  { asked: '/prod', leadsTo: '/prod/app' },
])('the root at $asked redirects to the console', async ({ asked, leadsTo }) => {
  const request = anHttpRequest('GET /');

  const answer = await servePages(site, {
    ...request,
    requestContext: { ...request.requestContext, path: asked },
  });

  expect(answer).toMatchObject({ statusCode: 302, headers: { Location: leadsTo } });
});

it.each([
  { asked: '/app/', leadsTo: '/app' },
  { asked: '/prod/app/', leadsTo: '/prod/app' },
])(
  'the console at $asked redirects, because relative file names would be wrong there',
  async (given) => {
    const request = anHttpRequest('GET /app');
    const at = (path: string) =>
      servePages(site, { ...request, requestContext: { ...request.requestContext, path } });

    expect(await at(given.asked)).toMatchObject({
      ...{ statusCode: 302, headers: { Location: given.leadsTo } },
    });
    expect(await at(given.leadsTo)).toMatchObject({ statusCode: 200 });
  },
);

it('a browser that requests an unknown address receives a page that links to the console', async () => {
  const { statusCode, headers, body } = await ask('GET /app/{file}', {
    path: { file: 'alerts' },
    headers: { Accept: 'text/html,application/xhtml+xml' },
  });

  expect(statusCode).toBe(404);
  expect(headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8' });
  expect(body).toContain('<h1>Page not found</h1>');
  expect(body).toMatch(/<a href="[^"]*\/app">Open the console<\/a>/);
});

it('the console uses only its own files, and permits no other scripts', async () => {
  const { headers } = await ask('GET /app');
  const { page, files } = await firstLoad();

  expect(headers?.['Content-Security-Policy']).toContain("default-src 'none'; script-src 'self';");
  expect(headers?.['Content-Security-Policy']).not.toMatch(/unsafe|https?:|\*/);
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter(({ statusCode }) => statusCode !== 200)).toEqual([]);
  expect(page).not.toMatch(/<script>|<style|\s(style|on\w+)=|(href|src)="(https?:|\/)/);
});

it('browsers cache files with a hash in their names, and revalidate the page that names these files', async () => {
  const { headers } = await ask('GET /app');
  const { files } = await firstLoad();
  const tag = String(headers?.ETag);

  expect(headers).toMatchObject({ 'Cache-Control': 'no-cache' });
  for (const file of files) {
    expect(file.file).toMatch(/-[A-Z0-9]{8}\.(js|css)$/);
    expect(file.headers).toMatchObject({ 'Cache-Control': 'public, max-age=31536000, immutable' });
  }
  expect(await ask('GET /app', { headers: { 'If-None-Match': tag } })).toMatchObject({
    statusCode: 304,
    body: '',
  });
});

it('the console loads at most 150 kB before it shows prices, without other pages and the chart', async () => {
  const { page, files } = await firstLoad();
  const sizes = [page, ...files.map(({ body }) => body)].map((text) => gzipSync(text).length);

  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  expect(
    files.some(({ body }) => /createPriceLine|Add a channel|minCorrectionLevel/.test(body)),
  ).toBe(false);
});

it('the service worker may control the page, and stores its files', async () => {
  const { headers, body } = await ask('GET /app/{file}', { path: { file: 'service-worker.js' } });
  const { files } = await firstLoad();

  expect(headers).toMatchObject({
    ...{ 'Service-Worker-Allowed': '../app', 'Cache-Control': 'no-cache' },
    'Content-Type': 'text/javascript; charset=utf-8',
  });
  for (const { file } of files) expect(body).toContain(`"${file}"`);
  expect(body).not.toMatch(/X-API-Key|floorwatch-key/);
});

it('the icons of the manifest are PNG files of the listed sizes', async () => {
  const { headers, body } = await ask('GET /app/{file}', {
    path: { file: 'manifest.webmanifest' },
  });
  const { icons, ...manifest } = JSON.parse(body);

  expect(headers).toMatchObject({ 'Content-Type': 'application/manifest+json' });
  expect(manifest).toMatchObject({ start_url: '../app', scope: '../app', display: 'standalone' });
  for (const { src: file, sizes } of icons) {
    const icon = await ask('GET /app/{file}', { path: { file } });
    const picture = Buffer.from(icon.body, 'base64');
    expect(icon).toMatchObject({ isBase64Encoded: true, headers: { 'Content-Type': 'image/png' } });
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect(`${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`).toBe(sizes);
  }
});

it('the console includes the licences of its libraries', async () => {
  const { body } = await ask('GET /app/{file}', {
    path: { file: 'lightweight-charts-LICENSE.txt' },
  });

  expect(body).toContain('Apache License');
});

it.each(['nothing.js', '..', '__proto__'])(
  'an unknown file of the console is not found: "%s"',
  async (file) => {
    await expect(ask('GET /app/{file}', { path: { file } })).rejects.toThrow(
      'there is no such file',
    );
  },
);
