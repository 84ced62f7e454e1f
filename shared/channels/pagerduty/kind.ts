import * as z from 'zod';
import { type ChannelKind, id, SECRET, secretOf } from '#shared/channels/channel-kind.ts';
import { nameOfSecret, SealedSecret } from '#shared/domain/channels/channel-secret.ts';

/** The integration key of an Events API v2 integration. */
const KEY_FORM = '[A-Za-z0-9]{32}';

export function isRoutingKey(text: string): boolean {
  return new RegExp(`^${KEY_FORM}$`).test(text);
}

const PagerDutyChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('pagerduty'),
    routingKey: SealedSecret,
  }),
);

const PagerDutyBody = z.lazy(() =>
  z.strictObject({
    id,
    kind: z.literal('pagerduty'),
    routingKey: secretOf(KEY_FORM, 'expected a 32-character integration key (letters and digits)'),
  }),
);
export type PagerDutyBody = z.output<typeof PagerDutyBody>;

export const pagerduty = {
  name: 'PagerDuty',
  service: 'PagerDuty',
  words: {
    is: 'A PagerDuty service',
    also: '. Each episode opens an incident, and the end of the episode resolves it',
    members: { routingKey: `The integration key of "Events API v2". ${SECRET}` },
  },
  kept: PagerDutyChannel,
  body: PagerDutyBody,
  forms: [],
  // A digest would open one incident for many episodes, and the end of one episode could not
  // resolve it.
  isForPeople: false,
  acknowledged: () => 'as-event',
  delivery: 'chat',
  addressOf: ({ routingKey }) => `pagerduty ${nameOfSecret(routingKey)}`,
  viewOf: (channel, show) => ({ ...channel, routingKey: show(channel.routingKey) }),
  secretsOf: ({ routingKey }) => [{ path: ['routingKey'], secret: routingKey }],
  namesRefused: () => undefined,
  issuesOf: () => [],
  keep: async (written, seal) => ({ ...written, routingKey: await seal(written.routingKey) }),
} satisfies ChannelKind<z.output<typeof PagerDutyChannel>, PagerDutyBody>;
