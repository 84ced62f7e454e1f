import * as z from 'zod';
import { type ChannelKind, id, QUIET, quiet } from '#shared/channels/channel-kind.ts';

const EmailAddress = z.lazy(() =>
  z.email('expected an email address').max(254, 'expected at most 254 characters'),
);

const EmailChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('email'),
    quiet,
    to: z.string(),
  }),
);

const EmailBody = z.lazy(() =>
  z.strictObject({ id, kind: z.literal('email'), quiet, to: EmailAddress }),
);

export const email = {
  name: 'Email',
  service: 'email',
  words: {
    is: 'An email address',
    members: {
      quiet: QUIET,
      to: 'The email address. SNS sends it one email with a link that confirms the subscription.',
    },
  },
  kept: EmailChannel,
  body: EmailBody,
  forms: [],
  isForPeople: true,
  acknowledged: () => 'nowhere',
  delivery: { endpointOf: ({ to }) => ({ protocol: 'email', endpoint: to }) },
  addressOf: ({ to }) => `email ${to}`,
  viewOf: (channel) => channel,
  secretsOf: () => [],
  namesRefused: () => undefined,
  issuesOf: () => [],
  keep: async (written) => written,
} satisfies ChannelKind<z.output<typeof EmailChannel>, z.output<typeof EmailBody>>;
