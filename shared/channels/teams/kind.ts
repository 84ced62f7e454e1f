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
 * The trigger of a workflow of Power Automate, or of a logic app. Both hosts belong to Microsoft;
 * the connectors of `webhook.office.com` are retired.
 */
const URL_FORM =
  'https://([a-z0-9-]{1,63}\\.){1,4}(logic\\.azure|environment\\.api\\.powerplatform)\\.com(:443)?(/[\\w-]+){0,6}/workflows/\\w+/triggers/[\\w-]+/paths/invoke/?\\?([\\w.%=~-]+&)*sig=[\\w%-]{20,100}(&[\\w.%=~-]+)*';

/** RSA-OAEP seals no more (RFC 8017, with 3072 bits and SHA-256). These URLs have about 280. */
const LONGEST = 318;

/** Whether a text is the trigger of a workflow, and nothing else. */
export function isTeamsUrl(text: string): boolean {
  return new RegExp(`^${URL_FORM}$`).test(text);
}

const TeamsChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('teams'),
  quiet,
  url: SealedSecret,
});

const TeamsBody = z.strictObject({
  id,
  kind: z.literal('teams'),
  quiet,
  url: secretOf(
    URL_FORM,
    'expected https://….environment.api.powerplatform.com/…/workflows/…/triggers/…/paths/invoke?…&sig=…, or the same of logic.azure.com',
  ).max(LONGEST, `expected at most ${LONGEST} characters`),
});
export type TeamsBody = z.output<typeof TeamsBody>;

export const teams = {
  ...secretUrl,
  name: 'Teams',
  service: 'Teams',
  words: {
    is: 'A channel or chat of Microsoft Teams',
    members: {
      quiet: QUIET,
      url: `The URL of a workflow that begins with "When a Teams webhook request is received", which anyone may trigger. ${SECRET}`,
    },
  },
  kept: TeamsChannel,
  body: TeamsBody,
} satisfies ChannelKind<z.output<typeof TeamsChannel>, TeamsBody>;
