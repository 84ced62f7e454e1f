import type { Instant } from '#shared/domain/market/instant.ts';

/** Virtual time with its pending events. */
export type Timeline = {
  readonly now: () => Instant;
  /** Schedules `work`, which returns whether it resumes other code. */
  readonly at: (instant: Instant, work: () => boolean) => void;
  /** Runs all events up to an instant. */
  readonly runUntil: (instant: Instant) => Promise<void>;
};

type Event = { readonly at: Instant; readonly order: number; readonly work: () => boolean };

/**
 * Events of one instant run in the order in which they were scheduled. All code is idle before the
 * next event, so a run is repeatable.
 */
export function createTimeline(start: Instant): Timeline {
  const events: Event[] = [];
  let now = start;
  let order = 0;
  return {
    now: () => now,
    at: (instant, work) => {
      order += 1;
      push(events, { at: Math.max(instant, now), order, work });
    },
    runUntil: async (instant) => {
      await Promise.resolve();
      for (let next = events[0]; next !== undefined && next.at <= instant; next = events[0]) {
        pop(events);
        now = next.at;
        if (next.work()) await allAtRest();
      }
      now = Math.max(now, instant);
    },
  };
}

/**
 * Resolves when all code waits for ports: Node runs the callback when no promise is left to settle.
 */
function allAtRest(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

function isBefore(left: Event, right: Event): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}

/** A binary heap: the first event is the earliest. */
function push(heap: Event[], event: Event): void {
  let index = heap.length;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Event;
    if (!isBefore(event, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    const right = heap[child + 1];
    if (right !== undefined && isBefore(right, heap[child] as Event)) child += 1;
    const least = heap[child] as Event;
    if (!isBefore(least, last)) break;
    heap[index] = least;
    index = child;
  }
  heap[index] = last;
}
