import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const run = promisify(execFile);

/** An emulator of AWS that deploys a template and runs its functions as processes. */
export type Ministack = {
  readonly endpoint: string;
  /** The variables by which AWS clients find the emulator, and no others. */
  readonly environment: Readonly<Record<string, string>> & { readonly AWS_REGION: string };
  readonly stop: () => Promise<void>;
};

/**
 * Installs the emulator once, into a virtual environment of its own. Returns its Python, or the
 * reason why it is missing: no Python, or no package registry. A package with another hash than
 * expected is an error. Packages run no code during the installation, and get no credentials from
 * the environment.
 */
export async function installMinistack(
  cache: string,
): Promise<{ readonly python: string } | { readonly missing: string }> {
  const wanted = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex');
  const folder = join(cache, `ministack-${wanted.slice(0, 8)}`);
  const python = join(folder, 'bin', 'python');
  const env = withoutCredentials();
  const isInstalled = () =>
    run(python, ['-c', 'import ministack.app'], { env: { ...env, HOME: folder } });
  try {
    if (existsSync(python)) await isInstalled();
    else throw new Error('not there yet');
    return { python };
  } catch {
    try {
      await mkdir(cache, { recursive: true });
      await run('python3', ['-m', 'venv', '--clear', folder], { env });
      const only = ['--require-hashes', '--no-deps', '--only-binary', ':all:'];
      const install = ['-m', 'pip', 'install', '--quiet', ...only, '-r', REQUIREMENTS];
      await run(python, install, { env, timeout: 180_000 });
      await isInstalled();
      return { python };
    } catch (error) {
      const missing = error instanceof Error ? error.message : String(error);
      if (missing.includes('DO NOT MATCH THE HASHES')) throw error;
      return { missing };
    }
  }
}

/** Only the environment variables that locate programs and registries, so no credentials. */
function withoutCredentials(): NodeJS.ProcessEnv {
  const isPlace = (name: string) =>
    /^(PATH|HOME|LANG|TMPDIR|SSL_CERT_\w+|PIP_\w+|\w+_proxy)$/i.test(name);
  // biome-ignore lint/style/noProcessEnv: the paths depend on the machine
  const places = Object.entries(process.env).filter(([name]) => isPlace(name));
  return Object.fromEntries(places);
}

/**
 * Starts the emulator with two corrections. The emulator refuses alarms on a formula (metric math),
 * so they become alarms on its first metric: no step of the deployment raises an alarm. Creating a
 * queue that already exists fails, as in CloudFormation; the emulator would replace it.
 */
const CORRECTED = `
import runpy
from ministack.services.cloudformation import provisioners

record = provisioners._cw_metric_alarm_record

def of_one_metric(name, props):
    stats = [each["MetricStat"] for each in props.get("Metrics") or [] if "MetricStat" in each]
    if stats:
        props = {**props, **stats[0]["Metric"], "Period": stats[0]["Period"], "Metrics": None}
    return record(name, props)

provisioners._cw_metric_alarm_record = of_one_metric

queues = provisioners._RESOURCE_HANDLERS["AWS::SQS::Queue"]
create = queues["create"]

def unless_it_exists(logical_id, props, stack_name):
    name, _ = provisioners._sqs_queue_name(props, stack_name, logical_id)
    if name in provisioners._sqs._queue_name_to_url:
        raise ValueError(f"Resource of type 'AWS::SQS::Queue' with identifier '{name}' already exists.")
    return create(logical_id, props, stack_name)

queues["create"] = unless_it_exists
runpy.run_module("ministack.app", run_name="__main__", alter_sys=True)
`;

/**
 * Starts the emulator on a free port of this machine. The output of the emulator is written to a
 * file.
 */
export async function startMinistack(python: string, logFile: string): Promise<Ministack> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    // Functions and commands use the first Node in the path, which must be ours.
    // biome-ignore lint/style/noProcessEnv: the paths depend on the machine
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
  };
  const child = spawn(python, ['-c', CORRECTED], {
    cwd: dirname(logFile),
    env: {
      PATH: environment.PATH,
      HOME: dirname(logFile),
      GATEWAY_PORT: `${port}`,
      BIND_HOST: '127.0.0.1',
      IOT_MTLS_ENABLED: '0',
      MINISTACK_REGION: environment.AWS_REGION,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  const log = createWriteStream(logFile);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  await untilHealthy(endpoint, child);
  return {
    endpoint,
    environment,
    stop: async () => {
      process.off('exit', kill);
      kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function untilHealthy(endpoint: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`ministack ended with ${child.exitCode}`);
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('ministack did not get ready');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
