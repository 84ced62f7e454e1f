import process from 'node:process';

/**
 * Calls back once when the parent process is gone. A child gets no signal of that.
 *
 * A signal to npm ends the shell in which it runs a script, and goes no further.
 */
export function whenParentEnds(
  onEnd: () => void,
  parent: () => number = () => process.ppid,
  everyMilliseconds = 500,
): void {
  const first = parent();
  const timer = setInterval(() => {
    if (parent() === first) return;
    clearInterval(timer);
    onEnd();
  }, everyMilliseconds);
  timer.unref();
}
