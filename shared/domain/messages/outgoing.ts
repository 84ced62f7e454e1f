/** A message to send to a FIFO queue. */
export type Outgoing<Message> = {
  readonly message: Message;
  /**
   * The text from which the deduplication id is made. SQS accepts only one message with the same id
   * within five minutes.
   */
  readonly deduplication: string;
};
