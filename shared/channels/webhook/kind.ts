import * as z from 'zod';
import type { ChannelKind } from '#shared/channels/channel-kind.ts';
import { nameOfSecret, SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { WebhookBody } from './body.ts';

export const WebhookChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('webhook'),
  url: z.string(),
  secrets: z.array(SealedSecret).readonly(),
});
export type WebhookChannel = z.output<typeof WebhookChannel>;

export const webhook: ChannelKind<WebhookChannel, WebhookBody> = {
  isForPeople: false,
  endpointOf: () => undefined,
  addressOf: ({ url }) => `webhook ${url}`,
  secretsOf: ({ secrets }) => secrets,
  viewOf: (channel) => ({ ...channel, secrets: channel.secrets.map(nameOfSecret) }),
};
