/** Lambda's limit for a response in bytes, minus room for the headers. */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024;

/** Whether a body fits into a Lambda response, in which it is encoded again as a JSON string. */
export function isAnswerable(body: string): boolean {
  // Fast path: in JSON, a UTF-16 code unit becomes at most six bytes.
  if (body.length * 6 <= MAX_ANSWER_BYTES) return true;
  return Buffer.byteLength(JSON.stringify(body)) <= MAX_ANSWER_BYTES;
}
