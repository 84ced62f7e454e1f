import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';

type Written = { readonly url: string };

/** What a person writes of a chat whose webhook is its one secret. */
export const secretUrlBody = {
  secretsOf: ({ url }: Written) => [{ path: ['url'], secret: url }],
  namesRefused: () => undefined,
  issuesOf: () => [],
  keep: async <Body extends Written>(
    written: Body,
    seal: (secret: string) => Promise<SealedSecret>,
  ) => ({ ...written, url: await seal(written.url) }),
};
