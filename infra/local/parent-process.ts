import process from 'node:process';

/**
 * Calls back once when the parent process is gone, which a child is not told otherwise.
 *
 * npm hands no signal on to what a script runs; it only ends itself.
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
