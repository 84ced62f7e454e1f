import { expect, it } from 'vitest';
import { createPrinter, createReport, type Words } from '#infra/command-line/printer.ts';

type Event = { readonly name: string; readonly words: Words };

/** A report, and what it printed to stdout and stderr, in order. */
function aReport({ isJson = false, isTerminal = false }) {
  const printed: string[] = [];
  const printer = createPrinter({
    write: (text) => printed.push(`out ${text}`),
    writeError: (text) => printed.push(`error ${text}`),
    isTerminal,
  });
  return { report: createReport(printer, isJson, ({ words }: Event) => words), printed };
}

const EVENTS: readonly Event[] = [
  { name: 'first', words: { passing: '10%' } },
  { name: 'bad', words: { aside: 'a bad line\n' } },
  { name: 'second', words: { passing: '20%' } },
  { name: 'third', words: { passing: '30%' } },
  { name: 'end', words: 'done\n' },
];

it('a report in JSON prints each event as one line', () => {
  const { report, printed } = aReport({ isJson: true, isTerminal: true });

  for (const event of EVENTS) report(event);

  expect(printed).toEqual(EVENTS.map((event) => `out ${JSON.stringify(event)}\n`));
});

it('on a terminal a progress line is replaced by the next text', () => {
  const { report, printed } = aReport({ isTerminal: true });

  for (const event of EVENTS) report(event);

  const clear = 'error \r\u001b[K';
  expect(printed).toEqual([
    ...['error 10%', clear, 'error a bad line\n'],
    ...['error 20%', clear, 'error 30%', clear, 'out done\n'],
  ]);
});

it('without a terminal each progress line is printed as a separate line', () => {
  const { report, printed } = aReport({});

  for (const event of EVENTS) report(event);

  expect(printed).toEqual([
    ...['error 10%\n', 'error a bad line\n', 'error 20%\n', 'error 30%\n', 'out done\n'],
  ]);
});
