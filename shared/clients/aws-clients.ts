type Attempts = {
  /** Attempts at a call. The SDK pauses at most 50 and 100 ms between them. */
  readonly maxAttempts: number;
  /** The timeout for the headers of a response, and for each pause within its body. */
  readonly timeoutMs: number;
};

/**
 * The settings of an AWS client. Without them the SDK waits forever for the headers of a response,
 * and at least five minutes for the next byte of its body.
 *
 * - `connectionTimeout` limits the TCP connection. The SDK starts this timer one second after the
 *   start of an attempt.
 * - `requestTimeout` runs from the start of an attempt to the headers of its response. The SDK only
 *   logs a warning unless `throwOnRequestTimeout` is set.
 * - `socketTimeout` limits silence on the connection, so it aborts a response whose body stops.
 */
export function clientSettings({ maxAttempts, timeoutMs }: Attempts) {
  return {
    maxAttempts,
    requestHandler: {
      connectionTimeout: 2000,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs,
    },
  };
}

/**
 * The settings of every AWS client of the functions. A call to a server that accepts connections
 * and never responds fails after `maxAttempts * timeoutMs` and the pauses, before the function's
 * own timeout. A server that sends the headers late and then stops can double that time.
 *
 * SQS hides the message of a failed invocation for 180 seconds. To avoid this delay, a retry must
 * succeed within the invocation that has the stalled connection.
 */
export const AWS_CLIENTS = {
  /** DynamoDB: at most 9.15 s. `createDynamoTable` recognizes a write whose response was lost. */
  table: clientSettings({ maxAttempts: 3, timeoutMs: 3000 }),
  /** SQS: at most 9.15 s. A repeated message has the same deduplication id, so SQS drops it. */
  queues: {
    ...clientSettings({ maxAttempts: 3, timeoutMs: 3000 }),
    useQueueUrlAsEndpoint: false,
  },
  /** SNS, topics and subscriptions: at most 15.15 s. These calls are idempotent. */
  topics: clientSettings({ maxAttempts: 3, timeoutMs: 5000 }),
  /**
   * SNS, messages: at most 5 s. A publish that timed out may have been accepted, so it is not
   * retried.
   */
  publications: clientSettings({ maxAttempts: 1, timeoutMs: 5000 }),
} as const;
