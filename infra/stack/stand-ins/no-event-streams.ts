/**
 * Stands in the bundles for the SDK's streams of events: every client can load them, and no
 * operation of the table, the queues and the topics has one. It also keeps much of the SDK from
 * being shaken, since what is loaded on demand must be there as a whole.
 */
export function eventStreamSerdeProvider(): never {
  throw new Error('streams of events are not in the bundles');
}
