import { Command, CommanderError, Option } from 'commander';
import * as z from 'zod';
import { helpTexts } from './options.ts';
import { UsageError } from './usage-error.ts';

type CommandLine<Options> = {
  /** The command as users type it, such as `npm start --`. */
  readonly name: string;
  readonly description: string;
  readonly options: z.ZodType<Options> & (z.ZodObject | Subcommands | z.ZodIntersection);
  /** The last paragraph of the help. */
  readonly notes?: string;
  readonly exitCodes?: string;
};

export type Subcommands = z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/**
 * Reads arguments. For `--help` it prints the help and returns undefined. Throws a UsageError for a
 * mistake.
 */
export type Reader<Options> = (args: readonly string[]) => Options | undefined;

/** A reader of a command line. Options that all subcommands share may precede the subcommand. */
export function createReader<Options>({
  name,
  description,
  options,
  notes,
  exitCodes = '0 success, 1 failure, 2 invalid input or settings',
}: CommandLine<Options>): Reader<Options> {
  return (args) => {
    const ends = [...(notes === undefined ? [] : [notes]), `Exit codes: ${exitCodes}.`];
    const parser = new Command(name)
      .description(description)
      .helpOption('--help', 'show this help')
      .helpCommand(false)
      .configureHelp({ showGlobalOptions: true })
      .addHelpText('after', `\n${ends.join('\n\n')}`)
      .configureOutput({ writeErr: () => {} })
      .exitOverride();
    addForms(parser, formsIn(options));
    return parse(parser, args) ? check(parser, options) : undefined;
  };
}

/** The options of a command, or of one of its subcommands. */
type Form = {
  readonly subcommand: { readonly value?: string; readonly description: string } | undefined;
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
};

function formsIn(options: z.core.$ZodType): readonly Form[] {
  if (options instanceof z.ZodObject) {
    return [{ subcommand: helpTexts.get(options), shape: options.shape }];
  }
  if (options instanceof z.ZodDiscriminatedUnion) return options.options.flatMap(formsIn);
  if (!(options instanceof z.ZodIntersection)) throw new TypeError('options have no members');
  const { left, right } = options.def;
  return formsIn(left).flatMap(({ subcommand, shape }) =>
    formsIn(right).map((other) => ({ subcommand, shape: { ...shape, ...other.shape } })),
  );
}

type Members = readonly (readonly [name: string, schema: z.core.$ZodType])[];

function addForms(parser: Command, forms: readonly Form[]): void {
  // Arguments always follow the name of the subcommand, even if all subcommands have the same
  // arguments.
  const isShared = ([name, schema]: Members[number]) =>
    (forms.length === 1 || helpTexts.get(schema)?.isArgument !== true) &&
    forms.every(({ shape }) => shape[name] === schema);
  addOptions(parser, Object.entries(forms[0]?.shape ?? {}).filter(isShared));
  for (const { subcommand, shape } of forms) {
    if (subcommand?.value === undefined) continue;
    const own = Object.entries(shape).filter((member) => !isShared(member));
    addOptions(parser.command(subcommand.value).description(subcommand.description), own);
  }
}

function addOptions(command: Command, members: Members): void {
  for (const [name, schema] of members) {
    const help = helpTexts.get(schema);
    if (help === undefined) continue;
    if (help.isArgument) command.argument(`<${name}>`, help.description);
    else command.addOption(toOption(name, schema, help));
  }
}

function toOption(
  name: string,
  schema: z.core.$ZodType,
  { value, description }: { readonly value?: string; readonly description: string },
): Option {
  const long = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === undefined) return new Option(long, description);
  const option = new Option(`${long} <${value}>`, description);
  const hasDefault = schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault;
  const byDefault = hasDefault ? schema.def.defaultValue : undefined;
  return option.default(byDefault, String(byDefault));
}

/** Parses the arguments. If they ask for the help, prints it and returns false. */
function parse(parser: Command, args: readonly string[]): boolean {
  try {
    parser.parse(args, { from: 'user' });
    return true;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return false;
    throw new UsageError(inOneLine(error, parser), { cause: error });
  }
}

function inOneLine({ code, message }: CommanderError, { commands }: Command): string {
  const known = `expected one of ${commands.map((command) => command.name()).join(', ')}`;
  if (code === 'commander.help') return known;
  const [issue = '', guess = ''] = message.replace(/^error: /, '').split('\n');
  if (code === 'commander.unknownCommand') return `${issue}; ${known}`;
  return `${issue}${guess.replace(/^\(D(.*)\)$/, '; d$1')}`;
}

function check<Options>(parser: Command, options: z.ZodType<Options>): Options {
  const command = parser.commands.find((known) => known.name() === parser.args[0]) ?? parser;
  const values: Record<string, unknown> = {
    command: command.name(),
    ...command.optsWithGlobals(),
    ...Object.fromEntries(
      command.registeredArguments.map((known, index) => [known.name(), command.args[index]]),
    ),
  };
  const known = [...command.options, ...parser.options];
  for (const option of known) {
    const value = String(values[option.attributeName()]);
    // Without this check, `--queue --dry-run` would select a queue named `--dry-run`.
    if (option.required && /^-./.test(value)) {
      throw new UsageError(`${option.flags}: expected a value, found "${value}"`);
    }
  }
  const parsed = options.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  const found = String(values[name]);
  const option = known.find((known) => known.attributeName() === name);
  if (values[name] === undefined) throw new UsageError(`give ${option?.flags}`);
  const subject = option?.long ?? `<${name}>`;
  throw new UsageError(`${subject}: ${issue?.message}, found "${found}"`);
}
