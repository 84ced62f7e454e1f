import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { servePages } from '#functions/serve-pages/routes.ts';
import { documentPages } from '#infra/openapi/site.ts';
import { writeSite } from '#infra/pages/write-site.ts';
import { openSite } from '#shared/http/site.ts';
import { anHttpRequest } from '#test/support/builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'floorwatch-site-'));
writeSite(folder, documentPages());
afterAll(() => rmSync(folder, { recursive: true }));
const site = openSite((name) => readFileSync(join(folder, name), 'utf8'));
const FILE = 'GET /v1/docs/{file}';

const ask = (route: string, given: Parameters<typeof anHttpRequest>[1] = {}) =>
  servePages(site, anHttpRequest(route, given));

it.each([
  { route: 'GET /v1/openapi.json', file: '', type: 'application/json' },
  { route: 'GET /v1/docs', file: '', type: 'text/html; charset=utf-8' },
  { route: FILE, file: 'start.js', type: 'text/javascript; charset=utf-8' },
  { route: FILE, file: 'theme.js', type: 'text/javascript; charset=utf-8' },
  { route: FILE, file: 'docs.css', type: 'text/css; charset=utf-8' },
  { route: FILE, file: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
  { route: FILE, file: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  { route: FILE, file: 'LICENSE', type: 'text/plain; charset=utf-8' },
])('the documentation serves $route $file', async ({ route, file, type }) => {
  const { statusCode, headers, body } = await ask(route, { path: { file } });

  expect(statusCode).toBe(200);
  expect(headers).toMatchObject({ 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' });
  expect(body.length).toBeGreaterThan(100);
});

it('a file of the documentation is sent again only if it has changed', async () => {
  const { headers } = await ask('GET /v1/openapi.json');
  const tag = String(headers?.ETag);

  const same = await ask('GET /v1/openapi.json', { headers: { 'if-none-match': tag } });
  const other = await ask('GET /v1/docs', { headers: { 'If-None-Match': tag } });

  expect(same).toMatchObject({ statusCode: 304, body: '', headers: { ETag: tag } });
  expect(other.statusCode).toBe(200);
});

it.each(['nothing', '..', '../openapi.json', '', '__proto__', 'constructor'])(
  'an unknown file of the documentation is not found: "%s"',
  async (file) => {
    await expect(ask(FILE, { path: { file } })).rejects.toThrow('there is no such file');
  },
);

it('the documentation refuses query parameters', async () => {
  const asked = ask('GET /v1/docs', { query: { url: 'https://example.com/' } });

  await expect(asked).rejects.toThrow('?url');
});

it('the documentation page uses only its own files, and permits no other scripts', async () => {
  const { headers, body } = await ask('GET /v1/docs');
  const named = [...body.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url);

  expect(headers?.['Content-Security-Policy']).toContain("default-src 'none'; script-src 'self';");
  expect(headers?.['Content-Security-Policy']).not.toMatch(/unsafe|https?:|\*/);
  expect(named.filter((url) => url !== 'data:,').every((url) => site.files.has(`${url}`))).toBe(
    true,
  );
  expect(body).not.toMatch(/<script>|<style|\s(style|on\w+)=/);
});

it('each file of the documentation is small enough for a Lambda response', () => {
  for (const { text } of site.files.values()) {
    expect(Buffer.byteLength(JSON.stringify({ body: text() }))).toBeLessThan(6 * 1024 * 1024);
  }
});
