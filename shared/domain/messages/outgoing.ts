/** A message on its way into a FIFO queue. */
export type Outgoing<Message> = {
  readonly message: Message;
  /** Messages that say the same within five minutes are one: what makes this one what it is. */
  readonly deduplication: string;
};
