import process from 'node:process';

/**
 * Calls back once when the parent process has ended. A child process gets no signal for this.
 *
 * npm forwards a signal only to the shell that runs a script, so the script itself would keep
 * running.
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
