import { PushKey } from '#functions/serve-api/watchlists/answers/push.ts';
import { pushRoutes } from '#functions/serve-api/watchlists/push-routes.ts';
import { describeRoutes, json } from './operation.ts';

/** Documents the operation that returns the key for Web Push. */
export const pushOperations = describeRoutes(pushRoutes, {
  'GET /v1/push-key': {
    id: 'getPushKey',
    tag: 'Channels',
    summary: 'Read the public key with which a browser subscribes to Web Push',
    description:
      'A subscription with this key can be added as a channel of the kind `push`. Only this stack can send messages to it.',
    answers: {
      200: json('The key.', PushKey, {
        publicKey:
          'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
      }),
    },
    problems: ['secrets_unavailable'],
  },
});
