import process from 'node:process';
import * as z from 'zod';
import { createReader, type Reader, type Subcommands } from '#infra/command-line/create-reader.ts';
import { flag } from '#infra/command-line/options.ts';
import { createReport, type Printer, type Words } from '#infra/command-line/printer.ts';

/** The outcome of a verb. `found` means a problem, a difference or a bad line. */
export type Ending = 'done' | 'failed' | 'found';

const EXIT_CODES = { done: 0, failed: 1, found: 3 } as const satisfies Record<Ending, number>;

const output = z.object({ json: flag('print JSON instead of text, one object per line') });

type Declared<Options, Event extends object> = {
  readonly name: string;
  readonly description: string;
  readonly options: z.ZodType<Options> & (z.ZodObject | Subcommands);
  /** The last paragraph of the help. */
  readonly notes?: string;
  /** The meaning of exit code 3. */
  readonly found?: string;
  readonly inWords: (event: Event) => Words;
  /** `report` prints an event, as text for people or as JSON. */
  readonly run: (options: Options, report: (event: Event) => void) => Promise<Ending>;
};

/** A verb of `npm run operate`. */
export type Verb<Options, Event extends object> = Pick<
  Declared<Options, Event>,
  'inWords' | 'run'
> & {
  readonly read: Reader<Options & z.output<typeof output>>;
  /** Reads the command line, runs the verb and sets the exit code. */
  readonly main: (args: readonly string[], printer: Printer) => Promise<void>;
};

export function defineVerb<Options, Event extends object>({
  name,
  options,
  found,
  inWords,
  run,
  ...texts
}: Declared<Options, Event>): Verb<Options, Event> {
  const read = createReader<Options & z.output<typeof output>>({
    ...texts,
    name: `npm run operate -- ${name}`,
    options: z.intersection(options, output),
    exitCodes: `0 success, 1 failure, 2 invalid input or settings${found === undefined ? '' : `, 3 ${found}`}`,
  });
  return {
    ...{ read, inWords, run },
    main: async (args, printer) => {
      const given = read(args);
      if (given === undefined) return;
      process.exitCode = EXIT_CODES[await run(given, createReport(printer, given.json, inWords))];
    },
  };
}
