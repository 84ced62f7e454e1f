import process, { argv, env, exit, stderr, stdout } from 'node:process';
import { help, readOptions, UsageError } from './options.ts';
import { whenParentEnds } from './parent-process.ts';
import { reportInJson, reportInWords } from './report.ts';
import { runSession } from './session.ts';

/** `npm start`: exits with 2 for a wrong command line and with 1 if the stack gave something up. */
async function start(): Promise<number> {
  const options = readOptions(argv.slice(2), env);
  if (!options) {
    stdout.write(help);
    return 0;
  }
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort());
  if (options.startedByNpm) whenParentEnds(() => stopping.abort());
  // The reader of the output has closed it, as in `npm start | head`.
  stdout.on('error', () => stopping.abort());
  const write = (text: string) => stdout.write(text);
  const report = options.json ? reportInJson(write) : reportInWords(write);
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
    stderr.write(`${count} messages were given up, see ${queue}\n`);
  }
  return Object.keys(end.deadLetters).length > 0 ? 1 : 0;
}

function inOneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [message = ''] = error.message.split('\n');
  return error.cause instanceof Error ? `${message}: ${inOneLine(error.cause)}` : message;
}

try {
  exit(await start());
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  stderr.write(`${error.message}\n`);
  exit(2);
}
