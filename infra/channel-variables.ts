import type { Stage } from './stages.ts';

/** What a function that handles channels must know; the key itself is fetched at run time. */
export function channelVariables(stage: Stage) {
  return {
    CHANNEL_KEY_PARAMETER: stage.channelKeyParameter,
    WEBHOOK_DESTINATIONS: stage.webhookDestinations,
  };
}
