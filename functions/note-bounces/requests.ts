import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { JsonText } from '#shared/domain/json-text.ts';

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

/** What SNS wraps around a message for an email. */
const Envelope = JsonText.pipe(
  z.object({ MessageAttributes: z.object({ destination: z.object({ Value: DestinationId }) }) }),
);

/**
 * Messages that SNS has moved to the dead-letter queue of their subscription. A message for a queue
 * (raw delivery) keeps its attributes; a message for an email has them in its body. A
 * message without a known channel is counted, too.
 */
export const UndeliveredEvent = z.object({
  Records: z.array(
    z
      .object({
        messageId: z.string(),
        body: z.string(),
        messageAttributes: z
          .object({ destination: z.object({ stringValue: DestinationId }) })
          .partial()
          .catch({}),
      })
      .transform(({ messageId, body, messageAttributes: { destination } }) => ({
        messageId,
        destinationId:
          destination?.stringValue ??
          Envelope.safeParse(body).data?.MessageAttributes.destination.Value,
      })),
  ),
});

export const NoteBouncesEvent = z.union([UndeliveredEvent, BounceEvent]);
