type Output = {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Whether stderr is a terminal, where a line can be overwritten. */
  readonly isTerminal: boolean;
};

/** The output of a command: text for people, or a line of JSON for each event. */
export type Printer = Output & { readonly line: (event: object) => void };

export function createPrinter(output: Output): Printer {
  return { ...output, line: (event) => output.write(`${JSON.stringify(event)}\n`) };
}

/** An event as text for people. */
export type Words =
  | string
  /** Text for stderr, which programs that read stdout do not need. */
  | { readonly aside: string }
  /** A progress line for stderr, without a newline: on a terminal the next text replaces it. */
  | { readonly passing: string };

/** Prints each event as a line of JSON, or as text for people. */
export function createReport<Event extends object>(
  { write, writeError, line, isTerminal }: Printer,
  isJson: boolean,
  inWords: (event: Event) => Words,
): (event: Event) => void {
  if (isJson) return line;
  let isPassing = false;
  return (event) => {
    const words = inWords(event);
    if (isPassing) writeError(CLEAR_LINE);
    isPassing = isTerminal && typeof words === 'object' && 'passing' in words;
    if (typeof words === 'string') write(words);
    else if ('aside' in words) writeError(words.aside);
    else writeError(isTerminal ? words.passing : `${words.passing}\n`);
  };
}

const CLEAR_LINE = '\r\u001b[K';
