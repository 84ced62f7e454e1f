import { defined } from '#shared/domain/defined.ts';
import { HIDDEN, isSecretName, redact } from './redact.ts';
import { currentTrace } from './trace.ts';

/**
 * Writes each event as one line of JSON: a constant text for the event, and fields for its variable
 * parts.
 */
export type Log = {
  readonly info: (event: string, fields?: Fields) => void;
  readonly error: (event: string, fields?: Fields) => void;
};
/** The output and the clock of a log. */
export type LogOutput = {
  readonly now: () => number;
  readonly print: (line: string) => void;
};

const ON_LAMBDA: LogOutput = {
  now: Date.now,
  print: (line) => process.stdout.write(`${line}\n`),
};

export type Fields = Readonly<Record<string, unknown>>;

/**
 * The log of a function. Fields must not contain secrets. Secrets in errors are recognized by their
 * names or their forms, and hidden.
 */
export function createLog(functionName: string, { now, print }: LogOutput = ON_LAMBDA): Log {
  const write =
    (level: 'info' | 'error') =>
    (event: string, fields: Fields = {}) => {
      const time = new Date(now()).toISOString();
      const trace = currentTrace();
      const line = { time, level, function: functionName, event, trace, ...fields };
      print(JSON.stringify(line, asLogged));
    };
  return { info: write('info'), error: write('error') };
}

function asLogged(name: string, value: unknown): unknown {
  if (value !== undefined && isSecretName(name)) return HIDDEN;
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Error ? errorAsLogged(value) : value;
}

/** The standard members of an error. Members added by libraries are omitted. */
function errorAsLogged(error: Error) {
  const { name, message, stack, cause } = error;
  return {
    ...{ name, message, stack },
    ...defined({ cause }),
    ...(error instanceof AggregateError ? { errors: error.errors } : {}),
  };
}
