import * as z from 'zod';
import {
  type ChannelKind,
  id,
  QUIET,
  quiet,
  SECRET,
  secretOf,
} from '#shared/channels/channel-kind.ts';
import { secretUrl } from '#shared/channels/secret-url.ts';
import { SealedSecret } from '#shared/domain/channels/channel-secret.ts';

/** The URL of a Slack incoming webhook. */
const URL_FORM = 'https://hooks\\.slack\\.com/services/T\\w{1,50}/B\\w{1,50}/\\w{1,100}';

export function isSlackUrl(text: string): boolean {
  return new RegExp(`^${URL_FORM}$`).test(text);
}

const SlackChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('slack'),
    quiet,
    url: SealedSecret,
  }),
);

const SlackBody = z.lazy(() =>
  z.strictObject({
    id,
    kind: z.literal('slack'),
    quiet,
    url: secretOf(URL_FORM, 'expected https://hooks.slack.com/services/T…/B…/…'),
  }),
);
export type SlackBody = z.output<typeof SlackBody>;

export const slack = {
  ...secretUrl,
  name: 'Slack',
  service: 'Slack',
  words: {
    is: 'A Slack channel',
    members: { quiet: QUIET, url: `The URL of the incoming webhook. ${SECRET}` },
  },
  kept: SlackChannel,
  body: SlackBody,
} satisfies ChannelKind<z.output<typeof SlackChannel>, SlackBody>;
