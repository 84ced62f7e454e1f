import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { ask, type Given, type Outcome } from './ask.ts';
import { keepAnswer, readKeptAnswer } from './kept-answers.ts';
import type { Answer, RouteName } from './operations.ts';
import { apiKey } from './session.ts';
import { reportTrouble, type Trouble, worstTrouble } from './troubles.ts';

/** Milliseconds between two requests that check for changes. */
export const INTERVAL = 15_000;
/** The interval for a minute after a change, because a change takes effect with the next price. */
const INTERVAL_AFTER_CHANGE = 3000;
const EFFECT = 60_000;
/** The interval for answers that seldom change, such as the key of the session. */
export const SELDOM = 600_000;
/** For the initial values of a form, which are requested only once. */
export const ONCE = Number.POSITIVE_INFINITY;
/**
 * After this time without an answer, the request counts as slow, and the last known answer is
 * shown.
 */
const SLOW = 5000;

/** The current state of a followed request. */
export type Followed<Body> = {
  /** The last answer, or undefined before the first. */
  readonly answer: Body | undefined;
  readonly tag: string | undefined;
  /**
   * The reason why the API rejected the last request. Temporary failures are reported as a
   * `Trouble` instead.
   */
  readonly problem: Problem | undefined;
  readonly refresh: () => void;
};

/** Counts the changes made by this page. After each, all followed requests are sent again. */
const changes = signal(0);

/** The time by which the last change takes effect. Until then, requests are sent more often. */
let changing = 0;

/**
 * Sends all followed requests again at once, and more often for a minute. Call it after a change.
 */
export function refreshAll(): void {
  changing = Date.now() + EFFECT;
  changes.value += 1;
}

/** The last answer to a request, as JSON. */
type Remembered = {
  readonly text: string;
  readonly tag: string | undefined;
  /** Time of the last confirmation, by the clock of this device. */
  readonly at: number;
  /** Number of changes that this page had made by then. */
  readonly changes: number;
};

/**
 * The last answers by request, for pages that are opened again without a connection. The tab keeps
 * them in memory until the key changes. If the device remembers the key, it stores them, too.
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
 * Keeps an answer of the API up to date while the page is visible: sends the request at each
 * `interval`, and as soon as the page is visible or online again. The status 304 confirms the known
 * answer. While the API is unreachable, fails or is slow, the last known answer is shown. If
 * `given` is null, nothing is sent. `recall` is the name under which the answer is stored. A
 * request that contains the current time needs a constant name, so that the page finds the answer
 * to an earlier request.
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
    /** Identifies this request among the requests of the page. */
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
      // A form must not start from an answer that is older than a change by this page.
      const isUsable = interval !== ONCE || before?.changes === changes.peek();
      if (knownAt === undefined && before !== undefined && isUsable) {
        ({ tag, at: knownAt } = before);
        // The route determines the type of its answer.
        show(JSON.parse(before.text));
      }
      const shownAt = interval === SELDOM ? undefined : knownAt;
      reportTrouble(self, { ...trouble, knownAt: shownAt, retry: () => void again() });
    };
    /**
     * Shows the answer that the device stored in an earlier session. Forms do not use it, because
     * they must start from a current answer.
     */
    const recallKept = async (trouble: Pick<Trouble, 'kind' | 'reason'>) => {
      if (isRecalled || interval === ONCE) return;
      isRecalled = true;
      const kept = await readKeptAnswer(name);
      if (kept === undefined || isOver || remembered.has(name)) return;
      remembered.set(name, { ...kept, tag: undefined, changes: changes.peek() });
      stumble(trouble);
    };
    /**
     * Shows an outcome. Returns false for a temporary failure, after which the page repeats the
     * request.
     */
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
        // A form keeps its initial values and their tag even if a newer answer arrives. When the
        // form is saved, the old tag reveals the conflict.
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
      // A later request was answered first, so this answer may be outdated.
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
    // If the page already has a connection problem, the last known answer is shown at once.
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
    // `question` contains the route and the parameters, so the effect needs no other dependency.
  }, [question]);

  return { ...known, refresh: () => current.current() };
}

/** The last answer to a request that any page followed in this tab. */
export function lastAnswer<Route extends RouteName>(
  route: Route,
  given: Given<Route> = {},
): Answer<Route> | undefined {
  const found = remembered.get(`${route} ${JSON.stringify(given)}`);
  // The route determines the type of its answer.
  return found === undefined ? undefined : JSON.parse(found.text);
}

/** Whether an error may be temporary: a server error, or too many requests. */
function isPassing({ status }: Problem): boolean {
  return status >= 500 || status === 429;
}

function pause(interval: number): number {
  return Date.now() < changing ? Math.min(interval, INTERVAL_AFTER_CHANGE) : interval;
}

const NOTHING = { answer: undefined, tag: undefined, problem: undefined };
