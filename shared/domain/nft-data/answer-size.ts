/** What a Lambda may answer, with room for the head. */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024;

/** Whether a body can be answered with: it leaves a Lambda as a JSON text in a JSON text. */
export function isAnswerable(body: string): boolean {
  // No character takes more than six bytes there.
  if (body.length * 6 <= MAX_ANSWER_BYTES) return true;
  return Buffer.byteLength(JSON.stringify(body)) <= MAX_ANSWER_BYTES;
}
