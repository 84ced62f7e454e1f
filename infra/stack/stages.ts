import * as z from 'zod';
import { ChatOrigins } from '#shared/channels/chat-origins.ts';
import { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import { UpstreamCall } from '#shared/domain/market/operations.ts';
import { MainProvider, type Provider } from '#shared/domain/market/provider.ts';
import { NftDataSources } from '#shared/domain/nft-data/sources.ts';
import { CADENCE_MINUTES, PROVIDER_LIMITS } from '#shared/domain/polling/provider-limits.ts';
import { UpstreamShares } from '#shared/domain/polling/upstream-limits.ts';
import { OtherProvider } from '#shared/runtime/upstream-variables.ts';

const ParameterName = z.string().regex(/^(\/[\w.-]+)+$/, 'expected an SSM name such as /a/b');

const CorsOrigin = z
  .string()
  .regex(
    /^(\*|https?:\/\/[a-z0-9.-]+(:\d{1,5})?)$/,
    'expected an origin such as https://example.com',
  );

/**
 * Contains no hyphen, so that the prefix `floorwatch-<name>-` of run-time topics never matches
 * topics of another stage.
 */
export const StageName = z
  .string()
  .regex(
    /^[a-z][a-z0-9]{0,15}$/,
    'expected 1 to 16 lowercase letters and digits such as dev, starting with a letter',
  );

/** All settings that can differ between deployments. */
export const Stage = z.strictObject({
  name: StageName,
  /** Target account and region; if left out, those of the credentials in the environment. */
  deployedTo: z
    .strictObject({
      account: z.string().regex(/^\d{12}$/, 'expected an account ID such as 123456789012'),
      region: z.string().regex(/^[a-z]{2,}(-[a-z]+)+-\d$/, 'expected a region such as eu-west-1'),
    })
    .optional(),
  /** The email addresses of the operators; SNS asks each to confirm once. */
  operatorEmails: z.array(z.email()).readonly(),
  /**
   * The alerts of tenants that operators also get. Operators always get alarms, and alerts about
   * channels.
   */
  operatorAlerts: OperatorAlerts,
  /** The monthly AWS bill of the account, in dollars, at which operators get an email. */
  awsBudgetPerMonth: z.int().positive().optional(),
  /**
   * The sender address of emails to channels, verified in SES; without one, SNS sends the emails.
   */
  emailSender: z.email().optional(),
  /** The SecureString with the operators' Slack webhook; undefined if there is none. */
  slackWebhookParameter: ParameterName.optional(),
  /** The origins of chat services. A local stack replaces them with fakes. */
  chatOrigins: ChatOrigins,
  /**
   * The SecureStrings with the two halves of an RSA key: the private key decrypts secrets of
   * channels, the public key encrypts them.
   */
  channelKeyParameter: ParameterName,
  channelPublicKeyParameter: ParameterName,
  /** The SecureStrings with the two halves of the key pair for Web Push. */
  pushKeyParameter: ParameterName,
  pushPublicKeyParameter: ParameterName,
  /** The SecureString with the key that signs URLs in messages. */
  linkKeyParameter: ParameterName,
  /** The addresses that webhooks may have: public ones, or in a local stack only this machine. */
  webhookDestinations: z.enum(['public', 'loopback-only']),
  /** The ports that a webhook may have. */
  webhookPorts: z.array(z.int().min(1).max(65_535)).min(1).readonly(),
  upstreamProvider: MainProvider,
  upstreamUrl: z.url({ protocol: /^https?$/ }),
  /** The SecureString with the upstream's key; templates contain only its name. */
  upstreamKeyParameter: ParameterName,
  /** The expiry of that key, if it was created without an account. */
  upstreamKeyEndsAt: z.iso.datetime().optional(),
  /** The budgets in the provider's cost units, and the cost of each call in these units. */
  upstreamBudgetPerHour: z.int().positive().optional(),
  upstreamBudgetPerDay: z.int().positive(),
  upstreamBudgetPerMonth: z.int().positive(),
  upstreamCosts: z.record(UpstreamCall, z.int().min(0)),
  upstreamCallsPerSecond: z.int().positive(),
  /**
   * The other providers, in order of preference. A provider is a fallback while all providers
   * before it fail. If its data have another origin, it also confirms floors.
   */
  otherProviders: z.array(OtherProvider).max(4).readonly(),
  /** The shares of polling and of the v2.2 interface in budgets and rate, in percent. */
  upstreamShares: UpstreamShares,
  /** The source of each operation of the v2.2 interface. */
  nftDataSources: NftDataSources,
  /**
   * Units of the v2.2 interface per tenant and minute: ten for a response that needs the provider,
   * one for any other response.
   */
  nftDataUnitsPerMinute: z.int().positive(),
  /** Units of the HTTP API per tenant and minute: one for a read, ten for a change. */
  apiUnitsPerMinute: z.int().positive(),
  /** Browsers may use the API from pages of these origins; `*` allows all. */
  corsOrigins: z.array(CorsOrigin).readonly(),
  /** A custom domain name, with its ACM certificate in the stage's region. */
  domain: z
    .strictObject({
      name: z.hostname().lowercase('expected a lowercase domain name such as floors.example.com'),
      certificate: z
        .string()
        .regex(
          /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
          'expected the ARN of a certificate, arn:aws:acm:<region>:<account>:certificate/<id>',
        ),
    })
    .optional(),
  /**
   * The maximum number of requests from one IP address in five minutes. A firewall (AWS WAF, billed
   * by the month) blocks an IP address that sends more. Undefined turns the firewall off.
   */
  firewallRequestsPerAddress: z.int().min(10).max(2_000_000_000).optional(),
  /** Whether concurrency of the account is reserved for the functions on the path of alerts. */
  reservesConcurrency: z.boolean(),
  pollCadenceMinutes: z.int().positive(),
  /** Retention of logs, in days. */
  logRetention: z.literal([7, 90]),
  /** Whether X-Ray traces requests and messages through the functions; AWS bills each trace. */
  tracing: z.boolean(),
  /** Whether the stack has a dashboard; AWS bills each dashboard of an account beyond the third. */
  hasDashboard: z.boolean(),
  /** Whether the table outlives its stack and both have deletion protection. */
  retainsData: z.boolean(),
  /** An existing table that the stack uses instead of creating one; it outlives the stack. */
  tableName: z
    .string()
    .regex(/^[\w.-]{3,255}$/, 'expected the name of a table')
    .optional(),
});
export type Stage = z.output<typeof Stage>;

const CheckedStage = Stage.refine(
  ({ upstreamProvider, otherProviders }) => {
    const all = [upstreamProvider, ...otherProviders.map(({ provider }) => provider)];
    return new Set(all).size === all.length;
  },
  {
    path: ['otherProviders'],
    error: 'expected each provider at most once, and not the provider in upstreamProvider',
  },
)
  .refine(
    ({ awsBudgetPerMonth, operatorEmails: { length } }) =>
      awsBudgetPerMonth === undefined || (length > 0 && length <= 10),
    {
      path: ['awsBudgetPerMonth'],
      error: 'expected one to ten operatorEmails, because budget emails are sent to them',
    },
  )
  .refine(
    ({ domain, deployedTo }) =>
      domain === undefined ||
      deployedTo === undefined ||
      domain.certificate.split(':')[3] === deployedTo.region,
    { path: ['domain', 'certificate'], error: "expected a certificate in the stage's region" },
  )
  .refine(({ name, tableName }) => tableName?.startsWith(tablePrefix(name)) ?? true, {
    path: ['tableName'],
    error: 'expected a table of this stage, floorwatch-<stage>-…',
  });

/**
 * A resource with data that this deployment creates. It stays unprotected until the next
 * deployment: CloudFormation cannot roll back the creation of a protected table, and a stack that
 * was rolled back must be deleted before it can be created again.
 */
export const Created = z.enum(['stack', 'table'], '-c creates=…: expected stack or table');
export type Created = z.output<typeof Created>;

/**
 * The prefix of the tables of a stage, both created and restored. No other stage has the same
 * prefix, because stage names contain no hyphen.
 */
export function tablePrefix(stage: string): string {
  return `floorwatch-${stage}-`;
}

/**
 * The queue to which the canary's messages return. Its name does not share the prefix of
 * dead-letter queues.
 */
export function canaryQueue(stage: string): string {
  return `canary-of-floorwatch-${stage}`;
}

/** The default values of a stage. */
const usual = {
  operatorEmails: [],
  operatorAlerts: 'none',
  chatOrigins: {},
  webhookDestinations: 'public',
  webhookPorts: [443, 8443],
  upstreamProvider: 'nft-data',
  upstreamShares: { polling: 60, interface: 20 },
  nftDataSources: {
    traits: 'upstream-then-archive',
    floor: 'upstream-then-archive',
    lowest: 'upstream-then-archive',
  },
  nftDataUnitsPerMinute: 600,
  apiUnitsPerMinute: 1200,
  corsOrigins: [],
  reservesConcurrency: false,
  tracing: false,
  hasDashboard: false,
} as const satisfies Partial<Stage>;

const stages: ReadonlyMap<unknown, Pick<Stage, 'logRetention' | 'retainsData'>> = new Map([
  ['dev', { logRetention: 7, retainsData: false }],
  ['prod', { logRetention: 90, retainsData: true }],
]);

/** The settings of a deployment, which override the defaults of its stage. */
export const Settings = Stage.omit({ name: true, otherProviders: true })
  .partial()
  .extend({
    otherProviders: z
      .array(OtherProvider.partial().required({ provider: true }))
      .max(4)
      .readonly()
      .optional(),
  });
export type Settings = z.output<typeof Settings>;

/**
 * The known stage with a given name, with the settings of a deployment. Any other name is a stage
 * only if it has settings; such a stage retains its data.
 */
export function findStage(name: unknown, settings?: Settings): Stage {
  const known = stages.get(name) ?? (settings && stages.get('prod'));
  if (known === undefined) throw new UnknownStageError(name);
  const parameters = `/floorwatch/${String(name)}`;
  const keyParameterOf = (of: Provider) =>
    `${parameters}/${of === 'nft-data' ? 'upstream' : of}-key`;
  const provider = settings?.upstreamProvider ?? usual.upstreamProvider;
  const { url, budgetPerHour, budgetPerDay, budgetPerMonth, costs, callsPerSecond } =
    PROVIDER_LIMITS[provider];
  return CheckedStage.parse({
    ...usual,
    upstreamUrl: url,
    upstreamBudgetPerHour: budgetPerHour,
    upstreamBudgetPerDay: budgetPerDay,
    upstreamBudgetPerMonth: budgetPerMonth,
    upstreamCosts: costs,
    upstreamCallsPerSecond: callsPerSecond,
    pollCadenceMinutes: CADENCE_MINUTES[provider],
    ...known,
    channelKeyParameter: `${parameters}/channel-key`,
    channelPublicKeyParameter: `${parameters}/channel-public-key`,
    pushKeyParameter: `${parameters}/push-key`,
    pushPublicKeyParameter: `${parameters}/push-public-key`,
    linkKeyParameter: `${parameters}/link-key`,
    upstreamKeyParameter: keyParameterOf(provider),
    ...settings,
    otherProviders: (settings?.otherProviders ?? []).map((other) => ({
      ...PROVIDER_LIMITS[other.provider],
      keyParameter: keyParameterOf(other.provider),
      ...other,
    })),
    name,
  });
}

class UnknownStageError extends Error {
  readonly code = 'unknown_stage';

  constructor(name: unknown) {
    const known = [...stages.keys()].join(', ');
    super(`there is no stage ${JSON.stringify(name)}; known stages are ${known}`);
    this.name = 'UnknownStageError';
  }
}
