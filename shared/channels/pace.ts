/**
 * Accepts a message for a webhook and returns 0, or returns the milliseconds until it can be
 * accepted.
 */
type Pace = (webhook: string) => number;

/** A fake of a vendor's rate limit, for each webhook separately. It uses virtual time. */
export function createPace(messages: number, spanMilliseconds: number, now: () => number): Pace {
  const taken = new Map<string, readonly number[]>();
  return (webhook) => {
    const recent = (taken.get(webhook) ?? []).filter((time) => time > now() - spanMilliseconds);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length === messages) {
      return oldest + spanMilliseconds - now();
    }
    taken.set(webhook, [...recent, now()]);
    return 0;
  };
}
