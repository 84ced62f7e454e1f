/** Writes one line of JSON an event: fixed text for what happened, fields for what varies. */
export type Log = {
  readonly info: (event: string, fields?: Fields) => void;
  readonly error: (event: string, fields?: Fields) => void;
};
type Fields = Readonly<Record<string, unknown>>;

/** The log of a function. What must not be read by people with access to logs is never a field. */
export function createLog(functionName: string): Log {
  const write =
    (level: 'info' | 'error') =>
    (event: string, fields: Fields = {}) => {
      const time = new Date().toISOString();
      const line = { time, level, function: functionName, event, ...fields };
      process.stdout.write(`${JSON.stringify(line, errorsAsText)}\n`);
    };
  return { info: write('info'), error: write('error') };
}

function errorsAsText(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, ...(cause === undefined ? {} : { cause }) };
}
