import * as z from 'zod';

/** An alert to be sent to a chat; all of a chat's are handled one by one, in order. */
export const ChannelMessage = z.object({
  sink: z.literal('stack-slack'),
  tenant: z.string(),
  watchlist: z.string(),
  at: z.string(),
  id: z.string(),
});
export type ChannelMessage = z.output<typeof ChannelMessage>;
