import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { applyWatchlists, readWatchlists } from '#infra/local/watchlists.ts';

const punks = { id: 'punks', name: 'Punks', contracts: [] };

describe('a file of watchlists', () => {
  it('a file contains one watchlist or an array of them', async () => {
    const apes = { id: 'apes', name: 'Apes', contracts: [] };

    expect(await readWatchlists(await aFile(punks))).toEqual([punks]);
    expect(await readWatchlists(await aFile([punks, apes]))).toEqual([punks, apes]);
  });

  it('a file with two watchlists of the same id is rejected, and the error names the id', async () => {
    const file = await aFile([punks, { name: 'Other' }, { name: 'Other' }, punks]);

    await expect(readWatchlists(file)).rejects.toMatchObject({
      code: 'usage',
      message: `--watchlists ${file} contains two lists with the id punks`,
    });
  });
});

describe('applying watchlists', () => {
  it('npm start creates the watchlists that are missing', async () => {
    const { url, requests } = await anApi({ POST: { status: 201, body: { id: 'punks' } } });

    expect(await applyWatchlists(url, 'key', [punks], 'replace')).toEqual(['punks']);
    expect(requests).toEqual([{ method: 'POST', path: '/v1/watchlists', body: punks }]);
  });

  it('npm start replaces the watchlists of an earlier run', async () => {
    const { url, requests } = await anApi({
      POST: { status: 409, body: {} },
      PUT: { status: 200, body: { id: 'punks' } },
    });

    expect(await applyWatchlists(url, 'key', [punks], 'replace')).toEqual(['punks']);
    expect(requests.at(-1)).toEqual({
      ...{ method: 'PUT', path: '/v1/watchlists/punks', body: punks },
      ifMatch: '*',
    });
  });

  it('npm start keeps the stored watchlists if the command line names no file', async () => {
    const { url, requests } = await anApi({ POST: { status: 409, body: {} } });

    expect(await applyWatchlists(url, 'key', [punks], 'leave')).toEqual(['punks']);
    expect(requests).toMatchObject([{ method: 'POST' }]);
  });

  it('npm start reports why a watchlist is rejected', async () => {
    const { url } = await anApi({ POST: { status: 400, body: { detail: '/name: expected one' } } });

    await expect(applyWatchlists(url, 'key', [punks], 'replace')).rejects.toMatchObject({
      code: 'usage',
      message: 'the watchlist punks was rejected with 400: /name: expected one',
    });
  });
});

async function aFile(content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'lists.json');
  await writeFile(file, JSON.stringify(content));
  return file;
}

type Answers = Readonly<Record<string, { readonly status: number; readonly body: object }>>;

/** An API with one response for each HTTP method, and the requests that it received. */
async function anApi(answers: Answers) {
  const requests: object[] = [];
  const server = createLoopbackServer(async (request, response) => {
    const { method = '', url: path, headers } = request;
    const ifMatch = headers['if-match'];
    requests.push({ method, path, body: JSON.parse(await text(request)), ifMatch });
    response.statusCode = answers[method]?.status ?? 500;
    response.end(JSON.stringify(answers[method]?.body));
  });
  const url = await listen(server);
  onTestFinished(() => closeServer(server));
  return { url, requests };
}
