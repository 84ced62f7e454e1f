import * as z from 'zod';
import type { ChannelKind } from '#shared/channels/channel-kind.ts';
import { secretUrl } from '#shared/channels/secret-url.ts';
import { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { SlackBody } from './body.ts';

export const SlackChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('slack'),
  url: SealedSecret,
});
export type SlackChannel = z.output<typeof SlackChannel>;

export const slack: ChannelKind<SlackChannel, SlackBody> = secretUrl;
