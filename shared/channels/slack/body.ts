import * as z from 'zod';
import { type ChannelBodyKind, id, secretOf } from '#shared/channels/channel-body-kind.ts';
import { secretUrlBody } from '#shared/channels/secret-url-body.ts';
import { isSlackUrl } from './address.ts';
import type { SlackChannel } from './kind.ts';

export const SlackBody = z.strictObject({
  id,
  kind: z.literal('slack'),
  url: secretOf(isSlackUrl, 'expected https://hooks.slack.com/services/T…/B…/…'),
});
export type SlackBody = z.output<typeof SlackBody>;

export const slackBody: ChannelBodyKind<SlackChannel, SlackBody> = secretUrlBody;
