import { useState } from 'preact/hooks';
import { ask } from '#console/interface/ask.ts';
import { canBeNotified } from '#console/interface/service-worker.ts';
import { announce } from '#console/shell/announcements.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { Channel, ChannelBody } from './channel-kinds.ts';
import { addChannel, type Channels, channelBody } from './channel-requests.ts';

type NotifyDeviceProps = {
  /** The API requests that add the device as a channel of one list, or as a shared channel. */
  readonly channels: Channels;
  /** The existing channels. */
  readonly known: readonly Channel[];
};

/** Subscribes this browser to push notifications and adds it as a channel. */
export function NotifyDevice({ channels, known }: NotifyDeviceProps) {
  const [isBusy, setBusy] = useState(false);
  const [hindrance, setHindrance] = useState<string>();
  const [problem, setProblem] = useState<Problem>();

  const add = async () => {
    setHindrance(undefined);
    setProblem(undefined);
    const subscribed = await subscribe();
    if (typeof subscribed === 'string') {
      setHindrance(subscribed);
      return;
    }
    const kept = await nameOfSecret(subscribed.endpoint);
    const before = known
      .map(channelBody)
      .find((one) => one.kind === 'push' && one.endpoint === kept);
    if (before !== undefined) {
      announce(`This device already gets notifications, as the channel “${before.id}”.`);
      return;
    }
    const taken = known.map(({ id }) => id);
    const saved = await addChannel(channels, bodyOf(subscribed, taken));
    if (saved.kind === 'refused') setProblem(saved.problem);
    else announce('This device was added. Send a test to check that notifications arrive.');
  };

  if (!canBeNotified) return isApple ? <p class="quiet small">{ADD_TO_HOME_SCREEN}</p> : null;
  return (
    <div class="stack">
      <div>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => {
            setBusy(true);
            void add().finally(() => setBusy(false));
          }}
        >
          Notify this device
        </button>
      </div>
      {hindrance !== undefined && (
        <p class="notice bad" role="alert">
          {hindrance}
        </p>
      )}
      <ProblemNotice problem={problem} />
    </div>
  );
}

const isApple = /iPhone|iPad/.test(navigator.userAgent);
const ADD_TO_HOME_SCREEN =
  'To get notifications on this device, add this page to the home screen and open it there.';

/**
 * Subscribes this browser with the push key of the stack. Returns the subscription, or an error
 * message.
 */
async function subscribe(): Promise<PushSubscription | string> {
  if ((await Notification.requestPermission()) !== 'granted') {
    return 'Notifications are not allowed. Allow them for this page in the browser settings.';
  }
  const outcome = await ask('GET /v1/push-key');
  if (outcome.kind !== 'answered') {
    return outcome.kind === 'refused'
      ? outcome.problem.detail
      : 'The device was not added, because there is no connection. Try again later.';
  }
  try {
    const { pushManager } = await navigator.serviceWorker.ready;
    // A subscription accepts messages of only one key, so replace a subscription to another stack.
    const before = await pushManager.getSubscription();
    if (before !== null && keyOf(before) !== outcome.answer.publicKey) await before.unsubscribe();
    return await pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: outcome.answer.publicKey,
    });
  } catch {
    return 'The push service of this browser did not respond. Try again later.';
  }
}

/** The placeholder that the API returns instead of a secret. */
async function nameOfSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  const start = [...new Uint8Array(digest)].slice(0, 4);
  return `kept:${start.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function keyOf({ options: { applicationServerKey: key } }: PushSubscription): string {
  const text = key === null ? '' : btoa(String.fromCharCode(...new Uint8Array(key)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bodyOf(subscription: PushSubscription, taken: readonly string[]): ChannelBody {
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const device = deviceName();
  return {
    ...{ kind: 'push', id: freeId(device, taken), device, endpoint },
    ...{ p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' },
  };
}

/** The name of this device, such as `Chrome on Android`. */
function deviceName(): string {
  const { userAgent } = navigator;
  const named = (names: readonly (readonly [RegExp, string])[], otherwise: string) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? otherwise;
  return `${named(BROWSERS, 'Browser')} on ${named(SYSTEMS, 'a device')}`;
}

const BROWSERS = [
  [/Edg/, 'Edge'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Mac OS/, 'Mac'],
  [/Windows/, 'Windows'],
  [/Linux|CrOS/, 'Linux'],
] as const;

/** A free channel id for a device, such as `chrome-on-android` or `chrome-on-android-2`. */
function freeId(device: string, taken: readonly string[]): string {
  const id = device.toLowerCase().replaceAll(' ', '-');
  if (!taken.includes(id)) return id;
  let number = 2;
  while (taken.includes(`${id}-${number}`)) number += 1;
  return `${id}-${number}`;
}
