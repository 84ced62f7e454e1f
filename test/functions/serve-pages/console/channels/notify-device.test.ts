import { expect, it, vi } from 'vitest';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import { example, fakeInterface } from '#test/functions/serve-pages/console/fake-interface.ts';

const ADD = 'POST /v1/channels';
const KEY = 'GET /v1/push-key';
const ENDPOINT = 'https://fcm.googleapis.com/fcm/send/of-this-browser';
const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

const SUBSCRIPTION = {
  endpoint: ENDPOINT,
  toJSON: () => ({ endpoint: ENDPOINT, keys: KEYS }),
};

/** A browser that supports notifications, with a subscription of another stack. */
async function openBrowser({
  permission = 'granted',
  subscribe = async () => SUBSCRIPTION,
}: {
  readonly permission?: string;
  readonly subscribe?: () => Promise<object>;
} = {}) {
  const backend = fakeInterface({ [ADD]: () => example(ADD) });
  const asked: unknown[] = [];
  const pushManager = {
    getSubscription: async () => ({
      options: { applicationServerKey: new Uint8Array([1, 2, 3]).buffer },
      unsubscribe: async () => asked.push('unsubscribe'),
    }),
    subscribe: async (options: unknown) => {
      asked.push(options);
      return await subscribe();
    },
  };
  const serviceWorker = {
    register: async () => undefined,
    ready: Promise.resolve({ pushManager }),
  };
  vi.stubGlobal('Notification', { requestPermission: async () => permission });
  const tab = await openTab(backend, {
    hash: '#/channels',
    equip: (window) => {
      Object.assign(window, { PushManager: {}, Notification: {} });
      Object.defineProperty(window.navigator, 'serviceWorker', { value: serviceWorker });
    },
  });
  return { tab, backend, asked };
}

it('"Notify this device" subscribes with the key of this stack, and adds the subscription', async () => {
  const { tab, backend, asked } = await openBrowser();

  await tab.click('Notify this device');
  // The browser computes a digest in the background.
  await vi.waitFor(() => expect(backend.asked(ADD)).toHaveLength(1));

  const { publicKey } = example(KEY);
  expect(asked).toEqual([
    'unsubscribe',
    { userVisibleOnly: true, applicationServerKey: publicKey },
  ]);
  expect(backend.asked(ADD)).toMatchObject([
    {
      body: {
        ...{ kind: 'push', endpoint: ENDPOINT, ...KEYS },
        ...{
          id: expect.stringMatching(/^[a-z]+-on-[a-z-]+$/),
          device: expect.stringMatching(/ on /),
        },
      },
    },
  ]);
});

it('"Notify this device" adds nothing if the user denies notifications', async () => {
  const { tab, backend } = await openBrowser({ permission: 'denied' });

  await tab.click('Notify this device');

  await vi.waitFor(() =>
    expect(tab.textsOf('[role=alert]').join()).toContain('Notifications are not allowed'),
  );
  expect([...backend.asked(KEY), ...backend.asked(ADD)]).toEqual([]);
});

it('"Notify this device" reports that the push service did not respond', async () => {
  const { tab, backend } = await openBrowser({
    subscribe: () => Promise.reject(new Error('push service not available')),
  });

  await tab.click('Notify this device');

  await vi.waitFor(() => expect(tab.textsOf('[role=alert]').join()).toContain('did not respond'));
  expect(backend.asked(ADD)).toEqual([]);
});
