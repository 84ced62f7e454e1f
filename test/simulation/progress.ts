import type { WriteStream } from 'node:tty';

const PAUSE_ON_TERMINAL = 200;
const PAUSE_IN_LOG = 10_000;

/** Shows the progress: one updated line on a terminal, or a line every ten seconds in a log. */
export function createProgress(output: WriteStream, all: number, now: () => number) {
  const begun = now();
  let shownAt = begun;
  return {
    reported: (done: number, broken: number) => {
      const at = now();
      if (at - shownAt < (output.isTTY ? PAUSE_ON_TERMINAL : PAUSE_IN_LOG)) return;
      shownAt = at;
      const pace = ((done * 1000) / (at - begun)).toFixed(1);
      const line = `${done} of ${all} seeds, ${pace} a second, ${broken} broken`;
      output.write(output.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
    },
    /** Clears the progress line on a terminal. */
    clear: () => {
      if (output.isTTY) output.write('\r\u001b[K');
    },
  };
}
