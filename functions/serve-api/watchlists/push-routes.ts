import { answer } from '#shared/http/answer.ts';
import { route } from '#shared/http/route.ts';
import type { PushKey } from './answers/push.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** The operation on the key for Web Push subscriptions of browsers. */
export const pushRoutes = {
  'GET /v1/push-key': route({ scope: 'read', units: 'read' }, getPushKey),
};

async function getPushKey(ports: ManageWatchlistsPorts) {
  return answer<PushKey>(200, { publicKey: await ports.getPushKey() });
}
