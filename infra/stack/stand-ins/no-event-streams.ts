/**
 * Replaces the SDK's event streams in the bundles. Every client can load them, but no operation on
 * tables, queues and topics uses one. Because they are loaded on demand, they would also prevent
 * tree shaking of much of the SDK.
 */
export function eventStreamSerdeProvider(): never {
  throw new Error('streams of events are not in the bundles');
}
