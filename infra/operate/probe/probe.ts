import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import process, { env } from 'node:process';
import * as z from 'zod';
import { configuredProviders } from '#infra/command-line/configured-providers.ts';
import { createReader } from '#infra/command-line/create-reader.ts';
import { flag, option } from '#infra/command-line/options.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { PROVIDER_LIMITS } from '#shared/domain/polling/provider-limits.ts';
import { hideSecrets } from './hide-secrets.ts';
import { probeProvider } from './probe-provider.ts';
import { findingInJson, findingsInWords, reportDocument } from './report.ts';

const DIFFERENCES = 3;

const read = createReader({
  name: 'npm run probe --',
  description:
    'Calls each provider of prices once whose key is set, and compares its answers with the assumptions of floorwatch. The variables are those of npm start: OPENSEA_API_KEY, COINGECKO_API_KEY, ALCHEMY_API_KEY, ETHEREUM_NODE_URL, and UPSTREAM_URL with UPSTREAM_KEY. Only reads. Prints a table, and writes a report without keys and addresses that you can attach to a bug.',
  options: z.object({
    contract: option(
      'contract',
      'the collection to ask for, one that is sold daily',
      ContractKey.prefault('eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d'),
    ),
    report: option('file', 'where the report is written', z.string().prefault('probe-report.json')),
    json: flag('JSON lines: finding, report'),
  }),
  notes:
    'This command has never run against the real services from the repository of floorwatch: it is tested against fakes only. A difference may be a mistake in an assumption.',
  exitCodes: `0 all agree, ${DIFFERENCES} differences, 2 a mistake that you can mend, 1 failure`,
});

await runCommand(read, async ({ contract, report, json }, { write, writeError, line }) => {
  const providers = configuredProviders(env);
  if (providers.length === 0) {
    throw new UsageError(
      'no provider is configured: set OPENSEA_API_KEY, COINGECKO_API_KEY, ALCHEMY_API_KEY, ETHEREUM_NODE_URL, or UPSTREAM_URL and UPSTREAM_KEY',
    );
  }
  const secrets = providers.flatMap(({ provider, key, url }) => [
    key,
    ...(url === PROVIDER_LIMITS[provider].url ? [] : [url]),
  ]);
  const hidden = (text: string) => hideSecrets(text, secrets);
  const world = {
    http: createHttpClient({
      ...{ deadlineMs: 10_000, maxBodyBytes: 8 * 1024 * 1024, maxConnections: 2 },
    }),
    now: Date.now,
  };
  const { signal } = new AbortController();
  const probed = [];
  for (const provider of providers) {
    if (!json) writeError(`asking ${provider.provider}\n`);
    const { findings, exchanges } = await probeProvider(
      ...([provider, contractOf(contract), world, signal] as const),
    );
    probed.push({
      findings,
      exchanges: exchanges.map((exchange) => ({ ...exchange, subject: provider.provider })),
    });
  }
  const findings = probed.flatMap((each) => each.findings);
  const exchanges = probed.flatMap((each) => each.exchanges);
  const document = reportDocument(version(), Date.now(), findings, exchanges);
  await writeReport(report, `${hidden(JSON.stringify(document, undefined, 2))}\n`);
  if (json) {
    for (const finding of findings) write(`${hidden(JSON.stringify(findingInJson(finding)))}\n`);
    line({ event: 'report', file: report });
  } else {
    write(hidden(findingsInWords(findings)));
    write(`The report is in ${report}.\n`);
  }
  if (findings.some(({ agrees }) => !agrees)) process.exitCode = DIFFERENCES;
});

async function writeReport(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (cause) {
    throw new UsageError(`--report ${file}: the file cannot be written`, { cause });
  }
}

function version(): string {
  const manifest = new URL('../../../package.json', import.meta.url);
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, 'utf8')))
    .version;
}
