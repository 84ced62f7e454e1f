import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { env, stdin } from 'node:process';
import * as z from 'zod';
import { configuredProviders } from '#infra/command-line/configured-providers.ts';
import { flag, option, text } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { readSecret } from '#infra/operate/setup/secret-source.ts';
import { defineVerb } from '#infra/operate/verb.ts';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { KINDS, type Kind, type Written } from '#shared/channels/kinds.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { PROVIDER_LIMITS } from '#shared/domain/polling/provider-limits.ts';
import { hideSecrets } from './hide-secrets.ts';
import { probeChannel, type Skipped } from './probe-channel.ts';
import { type Probed, probeProvider } from './probe-provider.ts';
import { createProbeReport, type ProbeReport, reportInWords } from './report.ts';

const LIMITS = { deadlineMs: 10_000, maxBodyBytes: 8 * 1024 * 1024, maxConnections: 2 };
const WORLD = {
  http: createHttpClient(LIMITS),
  strangers: createHttpClient(LIMITS, { destinations: 'public' }),
  now: Date.now,
  origins: {},
  newChallenge: () => randomBytes(24).toString('base64url'),
};

const options = z.object({
  contract: option(
    'contract',
    'the collection to request; choose a collection that has sales every day',
    ContractKey.prefault('eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d'),
  ),
  channelsFrom: option(
    'source',
    'the source of the channels to probe: env:NAME, file:PATH, or - for the standard input. The channels have the same form as in a watchlist, such as [{"kind": "slack", "url": "…"}]. Teams and PagerDuty need --send; email and queues cannot be probed',
    text,
  ),
  send: flag('post a sample alert to each channel (default: nothing is posted)'),
  report: option(
    'file',
    'the file to write the report to',
    z.string().prefault('probe-report.json'),
  ),
});

type ProbeEvent =
  | { readonly event: 'asking'; readonly subject: string }
  | ({ readonly event: 'report'; readonly file: string } & ProbeReport);

export const verb = defineVerb<z.output<typeof options>, ProbeEvent>({
  name: 'probe',
  description:
    'Calls each operation of every price provider whose key is set, and compares the responses with the assumptions of floorwatch. The keys are read from the same variables as for npm start: OPENSEA_API_KEY, COINGECKO_API_KEY, ALCHEMY_API_KEY, ETHEREUM_NODE_URL, and UPSTREAM_URL with UPSTREAM_KEY. Without --send, the command only reads. Prints a table, and writes a report that you can attach to a bug report; it contains no keys or addresses.',
  options,
  notes:
    'This command was tested only against simulated services, never against the real services. A difference may therefore be an error in floorwatch.',
  found: 'found differences',
  inWords: (event) =>
    event.event === 'asking'
      ? { aside: `asking ${event.subject}\n` }
      : `${reportInWords(event)}The report is in ${event.file}.\n`,
  run: async ({ contract, report: file, send, channelsFrom }, report) => {
    const providers = configuredProviders(env);
    const channels = await readChannels(channelsFrom);
    if (providers.length === 0 && channels.length === 0) {
      throw new UsageError(
        'no provider is configured: set OPENSEA_API_KEY, COINGECKO_API_KEY, ALCHEMY_API_KEY, ETHEREUM_NODE_URL, or UPSTREAM_URL and UPSTREAM_KEY; or give --channels-from',
      );
    }
    if (send && channels.length === 0) throw new UsageError('--send needs --channels-from');
    const secrets = [
      ...providers.flatMap(({ provider, key, url }) => [
        key,
        ...(url === PROVIDER_LIMITS[provider].url ? [] : [url]),
      ]),
      ...channels.flatMap(secretsOf),
    ];
    const { signal } = new AbortController();
    const probed: (Probed | Skipped)[] = [];
    for (const provider of providers) {
      report({ event: 'asking', subject: provider.provider });
      probed.push(await probeProvider(provider, contractOf(contract), WORLD, signal));
    }
    for (const channel of channels) {
      report({ event: 'asking', subject: `a channel: ${channel.kind}` });
      probed.push(await probeChannel(channel, send, WORLD, signal));
    }
    const made = createProbeReport(version(), Date.now(), probed, (text) =>
      hideSecrets(text, secrets),
    );
    await writeReport(file, `${JSON.stringify(made, undefined, 2)}\n`);
    report({ event: 'report', file, ...made });
    return made.differences > 0 ? 'found' : 'done';
  },
});

/** The channels of a file. Errors never repeat a value, because it may be a secret. */
async function readChannels(given: string | undefined): Promise<readonly ChannelBody[]> {
  if (given === undefined) return [];
  const inputs = { environment: env, stdin: stdin.isTTY ? undefined : stdin };
  const content = await readSecret('--channels-from', given, inputs);
  const parsed = JsonText.pipe(z.array(ChannelBody)).safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`--channels-from: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const kept = parsed.data.find((channel) =>
    secretsOf(channel).some((secret) => secret.startsWith('kept:')),
  );
  if (kept !== undefined) {
    throw new UsageError(
      `--channels-from: the channel ${kept.id ?? kept.kind} contains "kept:…", the placeholder of a stored secret: give the secret itself`,
    );
  }
  return parsed.data;
}

/** The secrets of a channel, including the URL of a webhook. */
function secretsOf(channel: ChannelBody): readonly string[] {
  const of = <Name extends Kind>(kind: Name, written: Written[Name]) =>
    KINDS[kind].secretsOf(written).map(({ secret }) => secret);
  return [...of(channel.kind, channel), ...('url' in channel ? [channel.url] : [])];
}

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
