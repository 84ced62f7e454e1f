import { createHash } from 'node:crypto';
import { HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';

export type Violation = {
  readonly invariant: string;
  readonly what: string;
  readonly at: string;
};

/** The trace, counters and violations of a run. */
export type EventLog = {
  /** Appends an event to the trace. `hash` is computed over the whole trace. */
  readonly trace: (line: string) => void;
  /** Counts an event of interest. */
  readonly met: (what: string) => void;
  readonly broken: (invariant: string, what: string) => void;
  readonly violations: readonly Violation[];
  readonly counters: ReadonlyMap<string, number>;
  readonly lastEvents: () => readonly string[];
  readonly hash: () => string;
};

const LAST_EVENTS = 40;
const MOST_VIOLATIONS = 20;

export function createEventLog(now: () => Instant, listen: (event: string) => void): EventLog {
  const violations: Violation[] = [];
  const counters = new Map<string, number>();
  const events: string[] = [];
  return {
    violations,
    counters,
    lastEvents: () => events.slice(-LAST_EVENTS),
    hash: () => createHash('sha256').update(events.join('\n')).digest('hex').slice(0, 16),

    trace: (line) => {
      const event = `${clock(now())} ${line}`;
      events.push(event);
      listen(event);
    },

    met: (what) => {
      counters.set(what, (counters.get(what) ?? 0) + 1);
    },

    broken: (invariant, what) => {
      if (violations.length === MOST_VIOLATIONS) return;
      violations.push({ invariant, what, at: clock(now()) });
    },
  };
}

/** The time of day, to the millisecond. */
function clock(instant: Instant): string {
  const [hours, minutes] = [Math.floor(instant / HOUR) % 24, Math.floor(instant / MINUTE) % 60];
  return `${two(hours)}:${two(minutes)}:${two(Math.floor(instant / SECOND) % 60)}.${String(instant % SECOND).padStart(3, '0')}`;
}

const two = (number: number) => String(number).padStart(2, '0');
