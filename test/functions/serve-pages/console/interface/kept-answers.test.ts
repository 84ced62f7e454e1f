import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const STORED = 'floorwatch-key';
const DESK = 'fw_desk';
const WALL = 'fw_wall';
const OVERVIEW = 'GET /v1/overview?limit=50';

/** The caches of the device, by their names. */
let caches: Map<string, Map<string, Response>>;

beforeEach(() => {
  caches = new Map();
  vi.stubGlobal('localStorage', storage());
  vi.stubGlobal('sessionStorage', storage());
  vi.stubGlobal('caches', {
    keys: async () => [...caches.keys()],
    delete: async (name: string) => caches.delete(name),
    open: async (name: string) => {
      const cache = caches.get(name) ?? new Map<string, Response>();
      caches.set(name, cache);
      return {
        put: async (address: string, response: Response) => void cache.set(address, response),
        match: async (address: string) => cache.get(address)?.clone(),
      };
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

function storage() {
  const entries = new Map<string, string>();
  return {
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
    removeItem: (name: string) => void entries.delete(name),
    clear: () => entries.clear(),
  };
}

/** Loads the modules as a new tab does. */
async function openConsole() {
  vi.resetModules();
  const session = await import('#console/interface/session.ts');
  const kept = await import('#console/interface/kept-answers.ts');
  return { ...session, ...kept };
}

/** The names of the caches, after pending deletions have ended. */
const names = async () => {
  await new Promise(setImmediate);
  return [...caches.keys()];
};

it('an answer stored for a remembered key is available in the next tab, with the time of the answer', async () => {
  const tab = await openConsole();
  tab.signIn(DESK, 'on this device');

  await tab.keepAnswer(OVERVIEW, { text: '{"contracts":[]}', at: 1_700_000_000_123 });
  const next = await openConsole();

  expect(await next.readKeptAnswer(OVERVIEW)).toEqual({
    ...{ text: '{"contracts":[]}', at: 1_700_000_000_123 },
  });
  expect(await next.readKeptAnswer('GET /v1/alerts')).toBeUndefined();
});

it('a later answer to the same request replaces the earlier one', async () => {
  const tab = await openConsole();
  tab.signIn(DESK, 'on this device');

  await tab.keepAnswer(OVERVIEW, { text: '1', at: 1 });
  await tab.keepAnswer(OVERVIEW, { text: '2', at: 2 });

  expect(await tab.readKeptAnswer(OVERVIEW)).toEqual({ text: '2', at: 2 });
});

it('requests that differ only after "?" or "#" have separate answers', async () => {
  const tab = await openConsole();
  tab.signIn(DESK, 'on this device');
  const questions = ['GET /v1/prices?from=1', 'GET /v1/prices?from=2', 'GET /v1/prices#x'];

  for (const [at, text] of questions.entries()) await tab.keepAnswer(text, { text, at });

  for (const [at, text] of questions.entries()) {
    expect(await tab.readKeptAnswer(text)).toEqual({ text, at });
  }
});

it('no answer is stored without a key, or for a key that the device does not remember', async () => {
  const tab = await openConsole();

  await tab.keepAnswer(OVERVIEW, { text: '1', at: 1 });
  tab.signIn(DESK, 'for this session');
  await tab.keepAnswer(OVERVIEW, { text: '1', at: 1 });

  expect(await tab.readKeptAnswer(OVERVIEW)).toBeUndefined();
  expect(await names()).toEqual([]);
});

it('the names of caches do not contain the key', async () => {
  const tab = await openConsole();
  tab.signIn(DESK, 'on this device');

  await tab.keepAnswer(OVERVIEW, { text: '1', at: 1 });

  expect(await names()).toEqual([expect.stringMatching(/^answers-[0-9a-f]{64}$/)]);
});

it.each([
  {
    end: 'signing out',
    act: (tab: Awaited<ReturnType<typeof openConsole>>) => tab.signOut(),
  },
  {
    end: 'signing in with another key',
    act: (tab: Awaited<ReturnType<typeof openConsole>>) => tab.signIn(WALL, 'on this device'),
  },
  {
    end: 'the refusal of the key',
    act: (tab: Awaited<ReturnType<typeof openConsole>>) => tab.endSession(DESK, 'revoked'),
  },
])('$end deletes the stored answers, and leaves the other caches', async ({ act }) => {
  caches.set('shell-1', new Map());
  const tab = await openConsole();
  tab.signIn(DESK, 'on this device');
  await tab.keepAnswer(OVERVIEW, { text: '1', at: 1 });

  act(tab);

  await expect.poll(names, { timeout: 1000 }).toEqual(['shell-1']);
  expect(await tab.readKeptAnswer(OVERVIEW)).toBeUndefined();
});

it('a tab that opens with a remembered key deletes the answers of earlier keys', async () => {
  caches.set('answers-of-somebody', new Map());
  localStorage.setItem(STORED, DESK);

  const tab = await openConsole();
  await tab.keepAnswer(OVERVIEW, { text: '1', at: 1 });

  await expect
    .poll(names, { timeout: 1000 })
    .toEqual([expect.stringMatching(/^answers-[0-9a-f]{64}$/)]);
});

it('a browser without caches stores no answers, and nothing fails', async () => {
  vi.stubGlobal('caches', undefined);
  Reflect.deleteProperty(globalThis, 'caches');
  localStorage.setItem(STORED, DESK);
  const tab = await openConsole();

  await tab.keepAnswer(OVERVIEW, { text: '1', at: 1 });

  expect(await tab.readKeptAnswer(OVERVIEW)).toBeUndefined();
});
