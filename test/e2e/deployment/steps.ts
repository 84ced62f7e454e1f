import { stdout } from 'node:process';
import type * as z from 'zod';

let passed = 0;

/** The number of steps that have passed. */
export const stepsPassed = () => passed;

export async function step<Value>(promise: string, work: () => Promise<Value>): Promise<Value> {
  const began = performance.now();
  const value = await work();
  passed += 1;
  stdout.write(`ok ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${promise}\n`);
  return value;
}

export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
): Promise<Value> {
  const deadline = performance.now() + 240_000;
  while (performance.now() < deadline) {
    const value = await ask();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`${what}: not within four minutes`);
}

/** The first line of the output that matches the schema. */
export function lineOf<Schema extends z.ZodType>(
  schema: Schema,
  said: readonly unknown[],
): z.output<Schema> {
  for (const line of said) {
    const read = schema.safeParse(line);
    if (read.success) return read.data;
  }
  throw new Error(`not what was expected: ${JSON.stringify(said)}`);
}
