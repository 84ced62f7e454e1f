import { fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import * as z from 'zod';
import type { ChatOrigins } from '#shared/channels/chat-origins.ts';
import type { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { NftDataSources } from '#shared/domain/nft-data/sources.ts';
import type { OtherProvider } from './market.ts';

/** The folder that holds `infra`, `functions` and `shared`. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/** In what the stack of one machine differs from the `dev` stage. */
export type LocalStage = {
  readonly upstreamProvider?: MainProvider;
  readonly upstreamUrl: string;
  readonly chatOrigins: ChatOrigins;
  readonly emailSender?: string;
  readonly slackWebhookParameter: string;
  readonly channelKeyParameter: string;
  readonly channelPublicKeyParameter: string;
  readonly linkKeyParameter: string;
  readonly webhookDestinations: 'loopback-only';
  readonly upstreamKeyParameter: string;
  readonly otherProviders?: readonly (Pick<OtherProvider, 'provider' | 'url'> &
    OtherProvider['limits'] & { readonly keyParameter: string })[];
  readonly operatorEmails: readonly string[];
  readonly operatorAlerts: OperatorAlerts;
  readonly upstreamCallsPerSecond?: number;
  readonly upstreamBudgetPerHour?: number;
  readonly upstreamBudgetPerDay?: number;
  readonly upstreamBudgetPerMonth?: number;
  readonly pollCadenceMinutes?: number;
  readonly nftDataSources?: NftDataSources;
  readonly apiUnitsPerMinute?: number;
};

/**
 * The template of the stack, synthesized in a process that takes CDK's memory away with it. What its
 * functions read beside their sources is in `outdir`.
 */
export async function synthesizeStack(stage: LocalStage, outdir: string): Promise<unknown> {
  const child = fork(
    new URL('./synthesized-stack.ts', import.meta.url),
    [JSON.stringify({ root: projectRoot, outdir, stage })],
    {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // CDK's own check of the template takes longer than all the rest; `cdk synth` does it.
      env: {
        ...env,
        CDK_VALIDATION: 'false',
        NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      },
    },
  );
  try {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the stack cannot be synthesized (${code})`)));
    const [template] = z.tuple([z.unknown()]).parse(await promise);
    return template;
  } finally {
    child.kill();
  }
}
