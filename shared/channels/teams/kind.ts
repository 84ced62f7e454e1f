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

/**
 * The trigger of a Power Automate workflow or of a logic app. Both hosts belong to Microsoft; the
 * connectors of `webhook.office.com` are retired.
 */
const URL_FORM =
  'https://([a-z0-9-]{1,63}\\.){1,4}(logic\\.azure|environment\\.api\\.powerplatform)\\.com(:443)?(/[\\w-]+){0,6}/workflows/\\w+/triggers/[\\w-]+/paths/invoke/?\\?([\\w.%=~-]+&)*sig=[\\w%-]{20,100}(&[\\w.%=~-]+)*';

/**
 * The bytes that one block of RSA-OAEP can seal (RFC 8017, 3072 bits, SHA-256). These URLs have
 * about 280 characters.
 */
const LONGEST = 318;

export function isTeamsUrl(text: string): boolean {
  return new RegExp(`^${URL_FORM}$`).test(text);
}

const TeamsChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('teams'),
    quiet,
    url: SealedSecret,
  }),
);

const TeamsBody = z.lazy(() =>
  z.strictObject({
    id,
    kind: z.literal('teams'),
    quiet,
    url: secretOf(
      URL_FORM,
      'expected https://….environment.api.powerplatform.com/…/workflows/…/triggers/…/paths/invoke?…&sig=…, or the same path at logic.azure.com',
    ).max(LONGEST, `expected at most ${LONGEST} characters`),
  }),
);
export type TeamsBody = z.output<typeof TeamsBody>;

export const teams = {
  ...secretUrl,
  name: 'Teams',
  service: 'Teams',
  words: {
    is: 'A Microsoft Teams channel or chat',
    members: {
      quiet: QUIET,
      url: `The URL of a workflow with the trigger "When a Teams webhook request is received". "Who can trigger the flow?" must be "Anyone". ${SECRET}`,
    },
  },
  kept: TeamsChannel,
  body: TeamsBody,
} satisfies ChannelKind<z.output<typeof TeamsChannel>, TeamsBody>;
