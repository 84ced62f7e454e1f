import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { ask, type Given, type Outcome } from './ask.ts';
import { keepAnswer, readKeptAnswer } from './kept-answers.ts';
import type { Answer, RouteName } from './operations.ts';
import { apiKey } from './session.ts';
import { reportTrouble, type Trouble, worstTrouble } from './troubles.ts';

/** How often a page asks whether anything has changed. */
export const INTERVAL = 15_000;
/** A change takes effect with the next price, which is soon there. */
const INTERVAL_AFTER_CHANGE = 3000;
const EFFECT = 60_000;
/** For what seldom changes: a key stays what it is. */
export const SELDOM = 600_000;
/** For what a form begins with: it is asked for until there is an answer, which then stays. */
export const ONCE = Number.POSITIVE_INFINITY;
/** A person who has waited this long is told so, and sees the last known answer. */
const SLOW = 5000;

/** What is known of a question that is asked again and again. */
export type Followed<Told> = {
  /** The last answer; undefined until there is one. */
  readonly answer: Told | undefined;
  readonly tag: string | undefined;
  /** Why the last request was refused. A trouble that may pass is reported apart. */
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

/** An answer that a page had, as JSON. */
type Remembered = {
  readonly text: string;
  readonly tag: string | undefined;
  /** The time of its last confirmation, by the clock of this device. */
  readonly at: number;
  /** How many changes this page had made by then. */
  readonly changes: number;
};

/**
 * The last answers by their questions, for a page that is opened again while nothing can be asked.
 * They are in the memory of the tab until the key is another, and on a device that remembers the key.
 */
const remembered = new Map<string, Remembered>();
const REMEMBERED = 100;
apiKey.subscribe(() => remembered.clear());

function remember(question: string, answer: Omit<Remembered, 'changes'>): void {
  remembered.delete(question);
  remembered.set(question, { ...answer, changes: changes.peek() });
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  void keepAnswer(question, answer);
}

/**
 * Follows an answer of the interface while the page is seen: asks again every 15 seconds, and as soon
 * as the page is seen or online again. An answer that has not changed is a 304. While the interface
 * cannot be reached, fails or is slow, the last known answer stays or comes back. A question about a
 * span that ends now has another text each minute: `recall` names what it has in common. Nothing is
 * asked while there is no question: `given` is null.
 */
export function useFollowed<Route extends RouteName>(
  route: Route,
  given: Given<Route> | null = {},
  interval = INTERVAL,
  recall = JSON.stringify(given),
): Followed<Answer<Route>> {
  const [known, setKnown] = useState<Omit<Followed<Answer<Route>>, 'refresh'>>(NOTHING);
  const question = JSON.stringify([route, given]);
  const current = useRef<() => void>(() => {});

  useEffect(() => {
    const name = `${route} ${recall}`;
    /** Identifies this question among those of the page. */
    const self = {};
    let isOver = false;
    let tag: string | undefined;
    let knownAt: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let sent = 0;
    let settled = 0;
    let isFinal = false;
    let isRecalled = false;
    setKnown(NOTHING);
    if (given === null) return;

    const show = (answer: Answer<Route>) => setKnown({ answer, tag, problem: undefined });
    const stumble = (trouble: Pick<Trouble, 'kind' | 'reason'>) => {
      const before = remembered.get(name);
      if (before === undefined && knownAt === undefined) void recallKept(trouble);
      // A form does not begin with what this page has changed since.
      const isUsable = interval !== ONCE || before?.changes === changes.peek();
      if (knownAt === undefined && before !== undefined && isUsable) {
        ({ tag, at: knownAt } = before);
        // The question names the type of its answer.
        show(JSON.parse(before.text));
      }
      const shownAt = interval === SELDOM ? undefined : knownAt;
      reportTrouble(self, { ...trouble, knownAt: shownAt, retry: () => void again() });
    };
    /** What the device has kept of an earlier visit. A form begins with an answer of this one. */
    const recallKept = async (trouble: Pick<Trouble, 'kind' | 'reason'>) => {
      if (isRecalled || interval === ONCE) return;
      isRecalled = true;
      const kept = await readKeptAnswer(name);
      if (kept === undefined || isOver || remembered.has(name)) return;
      remembered.set(name, { ...kept, tag: undefined, changes: changes.peek() });
      stumble(trouble);
    };
    /** Shows an outcome; returns whether it is an answer or a lasting refusal. */
    const settle = (outcome: Outcome<Answer<Route>>): boolean => {
      if (outcome.kind === 'offline') {
        stumble({ kind: 'offline' });
        return false;
      }
      if (outcome.kind === 'refused' && isPassing(outcome.problem)) {
        stumble({ kind: 'failed', reason: outcome.problem.detail });
        return false;
      }
      reportTrouble(self, undefined);
      const at = Date.now();
      if (outcome.kind === 'answered') {
        // What a form began with stays, although it was an older answer: its tag finds a conflict.
        const isKept = interval === ONCE && knownAt !== undefined;
        if (!isKept) {
          tag = outcome.tag;
          show(outcome.answer);
        }
        remember(name, { text: JSON.stringify(outcome.answer), tag: outcome.tag, at });
        knownAt = at;
      }
      if (outcome.kind === 'unchanged') {
        const same = remembered.get(name);
        if (same !== undefined) remember(name, { ...same, at });
        knownAt = at;
      }
      if (outcome.kind === 'refused') {
        setKnown((before) => ({ ...before, problem: outcome.problem }));
      }
      return true;
    };

    const again = async (): Promise<void> => {
      clearTimeout(timer);
      sent += 1;
      const number = sent;
      const slow = setTimeout(() => {
        if (!isOver && number > settled) stumble({ kind: 'slow' });
      }, SLOW);
      const outcome = await ask(route, { ...given, ifNoneMatch: tag });
      clearTimeout(slow);
      // An answer that a later request has overtaken is from before a change.
      if (isOver || number < settled) return;
      settled = number;
      const isSettled = settle(outcome);
      isFinal = interval === ONCE && isSettled;
      clearTimeout(timer);
      const wait = isSettled ? interval : Math.min(interval, INTERVAL);
      if (!document.hidden && wait !== ONCE) timer = setTimeout(() => void again(), pause(wait));
    };
    const onSight = () => {
      if (document.hidden) clearTimeout(timer);
      else if (!isFinal) void again();
    };
    const onLine = () => {
      if (!isFinal) void again();
    };

    current.current = onLine;
    // Nobody waits again for what the page has just found out.
    const trouble = worstTrouble();
    if (trouble !== undefined) stumble({ kind: trouble });
    void again();
    const forget = changes.subscribe(() => {
      if (tag !== undefined && !isFinal) void again();
    });
    document.addEventListener('visibilitychange', onSight);
    window.addEventListener('online', onLine);
    return () => {
      isOver = true;
      clearTimeout(timer);
      forget();
      reportTrouble(self, undefined);
      document.removeEventListener('visibilitychange', onSight);
      window.removeEventListener('online', onLine);
    };
    // The question is all of its parts.
  }, [question]);

  return { ...known, refresh: () => current.current() };
}

/** The last answer to a question that some page followed in this tab. */
export function lastAnswer<Route extends RouteName>(
  route: Route,
  given: Given<Route> = {},
): Answer<Route> | undefined {
  const found = remembered.get(`${route} ${JSON.stringify(given)}`);
  // The question names the type of its answer.
  return found === undefined ? undefined : JSON.parse(found.text);
}

/** Whether a refusal may be none in a moment: an error of the server, or too many requests. */
function isPassing({ status }: Problem): boolean {
  return status >= 500 || status === 429;
}

function pause(interval: number): number {
  return Date.now() < changing ? Math.min(interval, INTERVAL_AFTER_CHANGE) : interval;
}

const NOTHING = { answer: undefined, tag: undefined, problem: undefined };
