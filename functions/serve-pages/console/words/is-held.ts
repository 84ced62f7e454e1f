/** Whether a list holds tokens of a member. A cost without an amount counts as one token. */
export function isHeld({
  amount,
  cost,
}: {
  readonly amount?: number | undefined;
  readonly cost?: unknown;
}): boolean {
  return amount !== undefined || cost !== undefined;
}
