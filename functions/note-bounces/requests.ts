import * as z from 'zod';
import { DestinationId } from '#shared/domain/channels/destination-id.ts';

/** What SES reports by EventBridge of an email that it has sent, as far as it is read. */
const Mail = z.object({
  destination: z.tuple([z.string()]),
  /** As they were sent; SES adds tags of its own. */
  tags: z.object({
    channel: z
      .tuple([z.string()])
      .transform(([channel]) => Buffer.from(channel, 'base64url').toString())
      .pipe(DestinationId),
  }),
});

const Word = z.string().regex(/^\w{1,40}$/);

/** An email that will never arrive, or that its reader has called unwanted. */
export const BounceEvent = z.object({
  detail: z.discriminatedUnion('eventType', [
    z.object({
      eventType: z.literal('Bounce'),
      bounce: z.object({ bounceType: Word, bounceSubType: Word }),
      mail: Mail,
    }),
    z.object({ eventType: z.literal('Complaint'), mail: Mail }),
  ]),
});
export type BounceEvent = z.output<typeof BounceEvent>;
