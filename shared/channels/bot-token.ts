import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import { acknowledgedInMessage } from './channel-kind.ts';

type Kept = { readonly token: SealedSecret };
type Written = { readonly token: string };

/**
 * The members that all kinds of chat with a bot share. The only secret of such a channel is the
 * token of its bot.
 */
export const botToken = {
  forms: [],
  isForPeople: true,
  acknowledged: acknowledgedInMessage,
  delivery: 'chat',
  viewOf: <Channel extends Kept>(channel: Channel, show: (secret: SealedSecret) => string) => ({
    ...channel,
    token: show(channel.token),
  }),
  secretsOf: ({ token }: Written) => [{ path: ['token'], secret: token }],
  issuesOf: () => [],
  keep: async <Body extends Written>(
    written: Body,
    seal: (secret: string) => Promise<SealedSecret>,
  ) => ({ ...written, token: await seal(written.token) }),
} as const;
