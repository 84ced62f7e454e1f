type Output = {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Whether `writeError` goes to a terminal, where a line can be overwritten. */
  readonly isTerminal: boolean;
};

/** Where a command prints: text for people, or a line of JSON for each event. */
export type Printer = Output & { readonly line: (event: object) => void };

export function createPrinter(output: Output): Printer {
  return { ...output, line: (event) => output.write(`${JSON.stringify(event)}\n`) };
}
