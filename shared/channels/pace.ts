/** Takes a message for a webhook, or reports how many milliseconds it comes too early. */
type Pace = (webhook: string) => number;

/** As many messages in a span as a vendor takes, each webhook by itself; in virtual time, as they are sent. */
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
