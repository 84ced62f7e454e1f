import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { env } from 'node:process';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { traitsOf } from '#shared/domain/archive/token.ts';
import { startLocalStack } from '#test/support/local-stack.ts';
import { startOpenSea } from '#test/support/opensea/opensea-double.ts';

/**
 * `npm run client`: a published generator creates a client from the document of the local stack,
 * TypeScript checks a program that uses it, and the program runs against the stack. Afterwards the
 * published v2.2 SDK reads prices from a stack with OpenSea as its provider.
 */
const here = join(import.meta.dirname, 'client');
const generated = join(here, 'generated');

/** The errors of npm if no registry is reachable. */
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/;

process.exitCode = await run();

async function run(): Promise<number> {
  const installed = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: here,
    encoding: 'utf8',
  });
  if (installed.status !== 0 && UNREACHABLE.test(installed.stderr)) {
    process.stdout.write('SKIPPED: the generator cannot be installed, no registry is reachable\n');
    return 0;
  }
  if (installed.status !== 0) throw new Error(installed.stderr);

  await using stack = startLocalStack(['--for', '180s']);
  const { value } = await stack.events.next();
  if (value?.event !== 'ready') throw new Error('the stack did not get ready');
  const { url, apiKey } = value;
  mkdirSync(generated, { recursive: true });
  const document = await fetch(`${url}/v1/openapi.json`);
  writeFileSync(join(generated, 'openapi.json'), await document.text());
  const steps = [
    // Members with a default are optional in requests.
    tool(
      'openapi-typescript/bin/cli.js',
      'openapi.json',
      '-o',
      'schema.ts',
      '--default-non-nullable',
      'false',
    ),
    tool('typescript/bin/tsc', '-p', '..'),
    [join(here, 'walk.ts'), url, apiKey],
  ];
  // Reads the output continuously, so that the stack never blocks.
  void readOn(stack.events);
  for (const step of steps) if (!(await isDone(step))) return 1;
  return (await isAnswered()) ? 0 : 1;
}

/** Whether the published SDK can read the prices of OpenSea. */
async function isAnswered(): Promise<boolean> {
  const source = createSimulatedMarket(1, Date.now());
  await using openSea = await startOpenSea({ source, now: Date.now });
  const variables = { ...env, OPENSEA_URL: openSea.url };
  await using stack = startLocalStack(
    ['--live', 'moonlit-apes', '--for', '180s'],
    'shown',
    variables,
  );
  const collection = source.contracts().find(({ name }) => name === 'Moonlit Apes');
  if (collection === undefined) return false;
  const { contract } = collection;
  const [, address = ''] = contract.split(':');
  const [trait = []] = source.tokens(contract).flatMap((token) => [...traitsOf(token)]);
  // Earlier lines report the watched collections.
  for (let line = await stack.events.next(); line.done !== true; line = await stack.events.next()) {
    if (line.value.event !== 'ready') continue;
    void readOn(stack.events);
    const { url, apiKey } = line.value;
    return await isDone([join(here, 'published-sdk.ts'), url, apiKey, address, ...trait]);
  }
  return false;
}

async function readOn(lines: AsyncIterator<unknown>): Promise<void> {
  for (let line = await lines.next(); line.done !== true; ) line = await lines.next();
}

function tool(path: string, ...args: readonly string[]): readonly string[] {
  return [join(here, 'node_modules', path), ...args];
}

async function isDone(args: readonly string[]): Promise<boolean> {
  const options = { cwd: generated, stdio: 'inherit', timeout: 120_000 } as const;
  const [code] = await once(spawn(process.execPath, args, options), 'exit');
  return code === 0;
}
