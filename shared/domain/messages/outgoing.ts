/** A message to send to a FIFO queue. */
export type Outgoing<Message> = {
  readonly message: Message;
  /** The source of the deduplication id: SQS accepts one message with it within five minutes. */
  readonly deduplication: string;
};
