import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { JsonText } from '#shared/domain/json-text.ts';

/** Fields of the report of SES about a sent email. Other fields are ignored. */
const Mail = z.object({
  destination: z.tuple([z.string()]),
  /** The tags of the sent email; SES adds its own. */
  tags: z.object({
    channel: z
      .tuple([z.string()])
      .transform(([channel]) => Buffer.from(channel, 'base64url').toString())
      .pipe(DestinationId),
  }),
});

const Word = z.string().regex(/^\w{1,40}$/);

/** A permanent bounce or a complaint. */
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

/** The envelope of SNS around a message for an email. */
const Envelope = JsonText.pipe(
  z.object({ MessageAttributes: z.object({ destination: z.object({ Value: DestinationId }) }) }),
);

/**
 * Messages that SNS has moved to the dead-letter queue of their subscription. A message for a queue
 * (raw delivery) keeps its attributes; a message for an email has them in its body. Messages
 * without a known channel are counted too.
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

export const RecordBouncesEvent = z.union([UndeliveredEvent, BounceEvent]);
