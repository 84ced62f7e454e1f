import * as z from 'zod';
import { earliest } from '#shared/domain/market/instant.ts';
import type { Stack } from '#test/support/template.ts';
import { hostFunction } from './hosted-function.ts';

export type HostedFunctions = {
  /** Invokes a function by its folder. */
  readonly invoke: (folder: string, event: unknown) => Promise<unknown>;
  /** The folder of a function, by its name or its ARN. */
  readonly folderOf: (reference: string) => string;
  /** Functions that were never invoked. */
  readonly idle: () => readonly string[];
  /** The virtual time at which the first waiting function continues. */
  readonly asleepUntil: () => number | undefined;
  readonly close: () => Promise<void>;
};

type HostOptions = {
  /** Environment variables in addition to those of the template. */
  readonly variables: Readonly<Record<string, string>>;
  readonly offset: BigInt64Array;
  readonly log: (line: string) => void;
};

const FunctionProperties = z.object({
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).default({ Variables: {} }),
  Timeout: z.number(),
});

/** Starts every function of the stack with the environment that the template gives it. */
export function hostFunctions(stack: Stack, { variables, ...options }: HostOptions) {
  const functions = stack.find('AWS::Lambda::Function', FunctionProperties).map((found) => {
    const folder = z.string().parse(found.metadata['floorwatch:folder']);
    const { Environment, Timeout } = found.properties;
    const hosted = hostFunction({
      ...{ folder, ...options, timeoutSeconds: Timeout },
      variables: { ...Environment.Variables, ...variables },
    });
    return { folder, references: [found.arn, found.ref], ...hosted };
  });
  const idle = new Set(functions.map(({ folder }) => folder));
  const findBy = (matches: (one: (typeof functions)[number]) => boolean, what: string) => {
    const found = functions.find(matches);
    if (found === undefined) throw new Error(`the stack has no function ${what}`);
    return found;
  };
  return {
    invoke: async (folder, event) => {
      idle.delete(folder);
      return await findBy((one) => one.folder === folder, folder).invoke(event);
    },
    folderOf: (reference) =>
      findBy(({ references }) => references.includes(reference), reference).folder,
    idle: () => [...idle],
    asleepUntil: () => earliest(functions.map(({ asleepUntil }) => asleepUntil())),
    close: async () => {
      await Promise.all(functions.map(({ close }) => close()));
    },
  } satisfies HostedFunctions;
}
