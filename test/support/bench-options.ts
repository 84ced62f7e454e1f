import { argv, exit, stderr, stdout } from 'node:process';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * The options of a benchmark. Prints the usage for `--help`, and an error and the usage for an
 * unknown option.
 */
export function benchOptions<Options extends ParseArgsOptionsConfig>(
  command: string,
  options: Options,
) {
  const usage = Object.entries(options).map(([name, { type, default: value }]) =>
    type === 'boolean' ? `[--${name}]` : `[--${name} ${String(value ?? 'VALUE')}]`,
  );
  const help = `Usage: npm run ${command} -- ${usage.join(' ')}\n`;
  if (argv.includes('--help')) {
    stdout.write(help);
    exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n${help}`);
    exit(2);
  }
}
