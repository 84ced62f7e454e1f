import process, { env, stderr, stdout } from 'node:process';
import { inspect } from 'node:util';
import type { Printer } from '#infra/command-line/printer.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { type Options, readOptions } from './options.ts';
import { whenParentEnds } from './parent-process.ts';
import { reportInJson, reportInWords } from './report.ts';

/** `npm start`: exits with 1 if messages were given up. */
async function start(options: Options, printer: Printer): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort());
  if (options.startedByNpm) whenParentEnds(() => stopping.abort());
  // The reader closed the output, as in `npm start | head`.
  stdout.on('error', () => stopping.abort());
  // Loaded only now, so that help and wrong options are answered at once.
  const { runSession } = await import('./session.ts');
  const report = (options.json ? reportInJson : reportInWords)(printer);
  const end = await runSession({
    options,
    report,
    signal: stopping.signal,
    log: (functionName, line) => {
      if (options.verbose) stderr.write(`[${functionName}] ${line}\n`);
    },
    onFailure: (error) => stderr.write(`${inOneLine(error)}\n`),
  });
  report.end(end);
  for (const [queue, count] of Object.entries(end.deadLetters)) {
    stderr.write(
      `Dead letters in the queue "${queue}": ${count}. These messages failed repeatedly: see the errors above.\n`,
    );
  }
  if (Object.keys(end.deadLetters).length > 0) process.exitCode = 1;
}

function inOneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [message = ''] = error.message.split('\n');
  return error.cause instanceof Error ? `${message}: ${inOneLine(error.cause)}` : message;
}

await runCommand((args) => readOptions(args, env), start, { inWords: inspect });
