import { nameOfSecret, type SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { Acknowledged } from './channel-kind.ts';

type Kept = { readonly kind: string; readonly url: SealedSecret };
type Written = { readonly url: string };

/** The members of chat kinds whose only secret is the URL of a webhook. */
export const secretUrl = {
  forms: [],
  isForPeople: true,
  acknowledged: (): Acknowledged => 'nowhere',
  delivery: 'chat',
  addressOf: ({ kind, url }: Kept) => `${kind} ${nameOfSecret(url)}`,
  viewOf: <Channel extends Kept>(channel: Channel, show: (secret: SealedSecret) => string) => ({
    ...channel,
    url: show(channel.url),
  }),
  secretsOf: ({ url }: Written) => [{ path: ['url'], secret: url }],
  namesRefused: () => undefined,
  issuesOf: () => [],
  keep: async <Body extends Written>(
    written: Body,
    seal: (secret: string) => Promise<SealedSecret>,
  ) => ({ ...written, url: await seal(written.url) }),
} as const;
