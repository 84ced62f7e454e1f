import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { ask, type Given } from './ask.ts';
import type { Answer, RouteName } from './operations.ts';

/** How often a page asks whether anything has changed. */
const INTERVAL = 15_000;
/** A change takes effect with the next price, which is soon there. */
const INTERVAL_AFTER_CHANGE = 3000;
const EFFECT = 60_000;
/** For what seldom changes: a key stays what it is. */
export const SELDOM = 600_000;

/** What is known of a question that is asked again and again. */
export type Followed<Told> = {
  /** The last answer; undefined until there is one. */
  readonly answer: Told | undefined;
  readonly tag: string | undefined;
  /** Why the last request was refused. */
  readonly problem: Problem | undefined;
  readonly refresh: () => void;
};

/** Counts the changes that this page has made: what is followed is asked again after each. */
const changes = signal(0);

/** Until when a change is on its way to be seen. */
let changing = 0;

/** After a change all that is on the page is asked again at once, and more often for a while. */
export function refreshAll(): void {
  changing = Date.now() + EFFECT;
  changes.value += 1;
}

/**
 * Follows an answer of the interface while the page is seen: asks again every 15 seconds, and as soon
 * as the page is seen or online again. An answer that has not changed is a 304.
 */
export function useFollowed<Route extends RouteName>(
  route: Route,
  given: Given<Route> = {},
  interval = INTERVAL,
): Followed<Answer<Route>> {
  const [known, setKnown] = useState<Omit<Followed<Answer<Route>>, 'refresh'>>(NOTHING);
  const question = JSON.stringify([route, given]);
  const current = useRef<() => void>(() => {});

  useEffect(() => {
    let isOver = false;
    let tag: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let sent = 0;
    let settled = 0;
    setKnown(NOTHING);

    const again = async (): Promise<void> => {
      clearTimeout(timer);
      sent += 1;
      const number = sent;
      const outcome = await ask(route, { ...given, ifNoneMatch: tag });
      // An answer that a later request has overtaken is from before a change.
      if (isOver || number < settled) return;
      settled = number;
      if (outcome.kind === 'answered') {
        tag = outcome.tag;
        setKnown({ answer: outcome.answer, tag, problem: undefined });
      }
      if (outcome.kind === 'refused') {
        setKnown((before) => ({ ...before, problem: outcome.problem }));
      }
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(() => void again(), pause(interval));
    };
    const onSight = () => {
      if (document.hidden) clearTimeout(timer);
      else void again();
    };
    const onLine = () => void again();

    current.current = onLine;
    void again();
    const forget = changes.subscribe(() => {
      if (tag !== undefined) void again();
    });
    document.addEventListener('visibilitychange', onSight);
    window.addEventListener('online', onLine);
    return () => {
      isOver = true;
      clearTimeout(timer);
      forget();
      document.removeEventListener('visibilitychange', onSight);
      window.removeEventListener('online', onLine);
    };
    // The question is all of its parts.
  }, [question]);

  return { ...known, refresh: () => current.current() };
}

function pause(interval: number): number {
  return Date.now() < changing ? Math.min(interval, INTERVAL_AFTER_CHANGE) : interval;
}

const NOTHING = { answer: undefined, tag: undefined, problem: undefined };
