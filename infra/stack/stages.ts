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

/** Everything in which one deployment may differ from another. */
export const Stage = z.strictObject({
  /** No hyphen: run-time topics are `floorwatch-<name>-…`, and no such prefix may begin another. */
  name: z.string().regex(/^[a-z][a-z0-9]{0,15}$/, 'expected a short lower-case word'),
  /** Where it is deployed; left out, it goes where the credentials of the environment lead. */
  deployedTo: z
    .strictObject({
      account: z.string().regex(/^\d{12}$/, 'expected an account such as 123456789012'),
      region: z.string().regex(/^[a-z]{2,}(-[a-z]+)+-\d$/, 'expected a region such as eu-west-1'),
    })
    .optional(),
  /** The email addresses of the operators; SNS asks each to confirm once. */
  operatorEmails: z.array(z.email()).readonly(),
  /** Which alerts of the tenants operators get, beside those about channels and alarms. */
  operatorAlerts: OperatorAlerts,
  /** What AWS may bill the account in a month, in dollars, before operators get an email. */
  awsBudgetPerMonth: z.int().positive().optional(),
  /** The address that emails to channels come from, verified in SES; SNS sends them without one. */
  emailSender: z.email().optional(),
  /** The SecureString that holds the stack's own Slack webhook; left out when it has none. */
  slackWebhookParameter: ParameterName.optional(),
  /** Where chats are reached instead of at their services: the doubles of a local stack. */
  chatOrigins: ChatOrigins,
  /** The SecureStrings with the two halves of an RSA key: one opens secrets of channels, one seals. */
  channelKeyParameter: ParameterName,
  channelPublicKeyParameter: ParameterName,
  /** The SecureStrings with the two halves of the key pair for Web Push. */
  pushKeyParameter: ParameterName,
  pushPublicKeyParameter: ParameterName,
  /** The SecureString with the key that the addresses of charts are signed with. */
  linkKeyParameter: ParameterName,
  /** Where webhooks are asked: on the internet, or on the machine of a local stack alone. */
  webhookDestinations: z.enum(['public', 'loopback-only']),
  /** The ports that a webhook may have. */
  webhookPorts: z.array(z.int().min(1).max(65_535)).min(1).readonly(),
  upstreamProvider: MainProvider,
  upstreamUrl: z.url({ protocol: /^https?$/ }),
  /** The SecureString that holds the upstream's key; the key itself is in no template. */
  upstreamKeyParameter: ParameterName,
  /** When that key ends, of one that was made without an account. */
  upstreamKeyEndsAt: z.iso.datetime().optional(),
  /** The vendor's cost units that may be spent, and what each call costs in them. */
  upstreamBudgetPerHour: z.int().positive().optional(),
  upstreamBudgetPerDay: z.int().positive(),
  upstreamBudgetPerMonth: z.int().positive(),
  upstreamCosts: z.record(UpstreamCall, z.int().min(0)),
  upstreamCallsPerSecond: z.int().positive(),
  /**
   * The providers beside the first, in the order in which they are asked: each stands in where those
   * before it give no answer, and one of another origin gives a second opinion of a floor.
   */
  otherProviders: z.array(OtherProvider).max(4).readonly(),
  /** Percent of budgets and rate that polling and the v2.2 interface have each for itself. */
  upstreamShares: UpstreamShares,
  /** Where each operation of the v2.2 interface is answered from. */
  nftDataSources: NftDataSources,
  /** What a tenant may use of it in a minute: ten where the provider is asked, one for the rest. */
  nftDataUnitsPerMinute: z.int().positive(),
  /** What a tenant may use of ours in a minute: one for a read, ten for a change. */
  apiUnitsPerMinute: z.int().positive(),
  /** Pages of these origins may use the interface from a browser; `*` stands for all. */
  corsOrigins: z.array(CorsOrigin).readonly(),
  /** A name of one's own for the interface, and the certificate of ACM for it, of the stage's region. */
  domain: z
    .strictObject({
      name: z.hostname().lowercase('expected a name such as floors.example.com'),
      certificate: z
        .string()
        .regex(
          /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
          'expected the ARN of a certificate, arn:aws:acm:<region>:<account>:certificate/<id>',
        ),
    })
    .optional(),
  /**
   * The maximum of requests that one address may make in five minutes. A firewall (AWS WAF, billed by
   * the month) blocks an address that makes more. Undefined turns the firewall off.
   */
  firewallRequestsPerAddress: z.int().min(10).max(2_000_000_000).optional(),
  /**
   * Whether the functions that make and deliver alerts have concurrency reserved in the account.
   */
  reservesConcurrency: z.boolean(),
  pollCadenceMinutes: z.int().positive(),
  /** Days. */
  logRetention: z.literal([7, 90]),
  /** Whether X-Ray follows requests and messages through the functions; it is billed by trace. */
  tracing: z.boolean(),
  /** Whether there is a dashboard of all graphs; an account pays for each beyond the third. */
  hasDashboard: z.boolean(),
  /** Whether the table outlives its stack and neither can be deleted by accident. */
  retainsData: z.boolean(),
  /** An existing table that the stack uses in place of one of its own; it outlives the stack. */
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
  { path: ['otherProviders'], error: 'expected each provider once, and not the first again' },
)
  .refine(
    ({ awsBudgetPerMonth, operatorEmails: { length } }) =>
      awsBudgetPerMonth === undefined || (length > 0 && length <= 10),
    { path: ['awsBudgetPerMonth'], error: 'expected one to ten operators, who get its emails' },
  )
  .refine(
    ({ domain, deployedTo }) =>
      domain === undefined ||
      deployedTo === undefined ||
      domain.certificate.split(':')[3] === deployedTo.region,
    { path: ['domain', 'certificate'], error: "expected a certificate of the stage's region" },
  )
  .refine(({ name, tableName }) => tableName?.startsWith(tablePrefix(name)) ?? true, {
    path: ['tableName'],
    error: 'expected a table of this stage, floorwatch-<stage>-…',
  });

/**
 * What a deployment creates that protects data. It stays unprotected until the next deployment:
 * CloudFormation cannot roll back the creation of a protected table, and a stack that was rolled
 * back has to be deleted before it can be created again.
 */
export const Created = z.enum(['stack', 'table'], '-c creates=…: expected stack or table');
export type Created = z.output<typeof Created>;

/**
 * What the names of a stage's tables begin with: of those that its stacks make, and of restored ones.
 * No other stage has such tables, since names of stages have no hyphen.
 */
export function tablePrefix(stage: string): string {
  return `floorwatch-${stage}-`;
}

/** The queue to which the canary's messages come back. Its name does not begin like those of dead letters. */
export function canaryQueue(stage: string): string {
  return `canary-of-floorwatch-${stage}`;
}

/** What a stage is unless it says otherwise. */
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

/** What a deployment says of itself, in place of what a stage is usually. */
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
 * The stage of that name, with a deployment's own settings. A name that is not known is a stage only
 * where settings were made for it; it keeps its data.
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
