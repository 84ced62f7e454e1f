import { createHash } from 'node:crypto';
import type { Instant } from '#shared/domain/market/instant.ts';

export type Violation = {
  readonly invariant: string;
  readonly what: string;
  readonly at: string;
};

/** What is told of a run while it goes on. */
export type Chronicle = {
  /** Tells an event. All of them together are the trace, of which the hash is made. */
  readonly trace: (line: string) => void;
  /** Counts something interesting. */
  readonly met: (what: string) => void;
  readonly broken: (invariant: string, what: string) => void;
  readonly violations: readonly Violation[];
  readonly counters: ReadonlyMap<string, number>;
  readonly lastEvents: () => readonly string[];
  readonly hash: () => string;
};

const EVENTS_KEPT = 40;
const MOST_VIOLATIONS = 20;

export function createChronicle(now: () => Instant, listen: (event: string) => void): Chronicle {
  const violations: Violation[] = [];
  const counters = new Map<string, number>();
  const events: string[] = [];
  const hash = createHash('sha256');
  const clock = () => new Date(now()).toISOString().slice(11, 23);
  return {
    violations,
    counters,
    lastEvents: () => events.slice(-EVENTS_KEPT),
    hash: () => hash.copy().digest('hex').slice(0, 16),

    trace: (line) => {
      const event = `${clock()} ${line}`;
      hash.update(event);
      listen(event);
      events.push(event);
      if (events.length > 2 * EVENTS_KEPT) events.splice(0, EVENTS_KEPT);
    },

    met: (what) => {
      counters.set(what, (counters.get(what) ?? 0) + 1);
    },

    broken: (invariant, what) => {
      if (violations.length < MOST_VIOLATIONS) violations.push({ invariant, what, at: clock() });
    },
  };
}
