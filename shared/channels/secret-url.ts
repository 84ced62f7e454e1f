import { nameOfSecret, type SealedSecret } from '#shared/domain/channels/channel-secret.ts';

type Kept = { readonly kind: string; readonly url: SealedSecret };

/** A chat whose webhook is its one secret. */
export const secretUrl = {
  isForPeople: true,
  endpointOf: () => undefined,
  addressOf: ({ kind, url }: Kept) => `${kind} ${nameOfSecret(url)}`,
  secretsOf: ({ url }: Kept) => [url],
  viewOf: <Channel extends Kept>(channel: Channel) => ({
    ...channel,
    url: nameOfSecret(channel.url),
  }),
};
