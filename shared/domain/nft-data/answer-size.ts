/** Lambda's limit for an answer, minus room for the headers. */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024;

/** Whether a body fits into an answer of Lambda, which encodes it again as a JSON string. */
export function isAnswerable(body: string): boolean {
  // A character becomes at most six bytes.
  if (body.length * 6 <= MAX_ANSWER_BYTES) return true;
  return Buffer.byteLength(JSON.stringify(body)) <= MAX_ANSWER_BYTES;
}
