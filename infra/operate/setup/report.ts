import { type EmailSending, sendingInWords } from '#infra/operate/account/email-sending.ts';
import { type Identity, identityInWords } from '#infra/operate/account/identify.ts';
import type { Stage } from '#infra/stack/stages.ts';
import type { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import type { PlannedSecret, SetupPlan } from './plan-setup.ts';
import type { PlannedTable } from './plan-table.ts';
import type { SetUpEvent, Step } from './set-up.ts';
import { FIREWALL_PRICE, USUAL_FIREWALL_REQUESTS } from './setup-answers.ts';

/** The events that setup reports, in addition to those of its steps. */
export type SetupEvent =
  | ({ readonly event: 'account' } & Identity)
  | ({ readonly event: 'plan'; readonly settingsFile: string } & SetupPlan)
  | SetUpEvent
  /** The end of a dry run. */
  | { readonly event: 'untouched' }
  /** The identity has no permission to write the list of the canary. */
  | { readonly event: 'canary_left' }
  | {
      readonly event: 'ready';
      readonly stage: Stage;
      readonly url: string;
      readonly tableName: string;
      /** The target of the CNAME, if the stage has its own domain name. */
      readonly domainTarget?: string | undefined;
      /** Null if a key already exists. */
      readonly firstKey: FirstKey | null;
    };

type FirstKey = { readonly key: string; readonly id: string; readonly tenant: string };

export function inWords(event: SetupEvent): string {
  switch (event.event) {
    case 'account':
      return identityInWords(event);
    case 'plan':
      return planInWords(event);
    case 'step':
      return `${STEPS[event.step]}\n`;
    case 'untouched':
      return 'Nothing was changed.\n';
    case 'canary_left':
      return '  NOT WRITTEN: these credentials cannot write to the table. Run npm run operate -- setup once with credentials that can.\n';
    case 'adopted':
      return adoptionInWords(event);
    case 'ready':
      return readyInWords(event);
  }
}

type Of<Name extends SetupEvent['event']> = Extract<SetupEvent, { event: Name }>;

function planInWords({
  stage,
  settings,
  settingsFile,
  secrets,
  stack,
  ...plan
}: Of<'plan'>): string {
  const operators = stage.operatorEmails.join(', ');
  const row = (what: string, reported: string) => `  ${what.padEnd(20)}${reported}\n`;
  const isLost = ({ kind, fate }: PlannedSecret) =>
    kind === 'channel key' && fate === 'is made' && stack === 'is changed';
  return [
    `The stage ${stage.name}:\n\n`,
    row('settings', `${settingsFile}: ${FATES[settings.fate]}`),
    row('operators', operators || 'none: add one with --email ADDRESS to get alarms by email'),
    row('sent to operators', WHAT_OPERATORS_GET[stage.operatorAlerts]),
    row(
      'AWS budget',
      stage.awsBudgetPerMonth === undefined
        ? 'none; with --aws-budget DOLLARS the operators get an email when the AWS bill approaches this amount'
        : `$${grouped(stage.awsBudgetPerMonth)} a month, for the whole account`,
    ),
    row('firewall', firewallInWords(stage.firewallRequestsPerAddress)),
    row('emails', emailsInWords(plan.emails)),
    row(
      'prices',
      `${stage.upstreamProvider} at ${stage.upstreamUrl}, every ${stage.pollCadenceMinutes} minutes`,
    ),
    ...stage.otherProviders.map(({ provider, url }) =>
      row('second provider', `${provider} at ${url}`),
    ),
    row(
      'budget',
      `${grouped(stage.upstreamBudgetPerDay)} units a day, ${grouped(stage.upstreamBudgetPerMonth)} a month`,
    ),
    ...secrets.map((secret) =>
      row(secret.kind, `${secret.parameter}: ${FATES[secret.fate]}${isLost(secret) ? LOST : ''}`),
    ),
    row('CDK', `its bucket and roles in this account and region: ${FATES[plan.bootstrap]}`),
    row('concurrency', concurrencyInWords(plan.concurrency)),
    row('stack', `floorwatch-${stage.name}: ${FATES[stack]}${stage.retainsData ? KEEPS : ''}`),
    plan.failedStack === undefined
      ? ''
      : row('', `the failed stack (${plan.failedStack.status}) will be deleted first`),
    ...tableInWords(plan.table).map((text) => row('table', text)),
    '\n',
  ].join('');
}

function adoptionInWords(adoption: Of<'adopted'>): string {
  const { table, carried, ended, renumbered, topics, unsent } = adoption;
  return [
    `  ${table}:\n`,
    `    contracts, watches and lists whose version numbers were advanced: ${renumbered}\n`,
    `    copied from the previous table (keys, budgets, usage, email addresses): ${carried}\n`,
    `    channels turned off, as in the previous table: ${ended}\n`,
    `    topics created at run time, which the next tick checks: ${topics}\n`,
    ...Object.entries(unsent).map(
      ([list, alerts]) =>
        `    NOT SENT: alerts of ${list} that are still waiting in the previous table: ${alerts}\n`,
    ),
  ].join('');
}

function readyInWords({ stage, url, domainTarget, firstKey }: Of<'ready'>): string {
  const { name, deployedTo, domain, operatorEmails } = stage;
  return [
    `\nfloorwatch-${name} is deployed. Its API URL: ${url}\n`,
    domain === undefined
      ? ''
      : `The API is reachable after you add a DNS record (CNAME) from ${domain.name} to ${domainTarget}.\n`,
    `The console, which requires an API key: ${new URL('app', url).href}\n`,
    ...(firstKey === null
      ? [
          `An API key already exists. To list the keys: AWS_REGION=${deployedTo?.region} npm run operate -- keys list --stage ${name}\n\n`,
          `  curl ${new URL('v1/health', url).href}\n`,
        ]
      : [
          `The first API key (id ${firstKey.id}) of the tenant ${firstKey.tenant}:\n\n  ${firstKey.key}\n\n`,
          'The key is not shown again: keep it in a safe place.\n\n',
          `  curl -H 'X-API-Key: ${firstKey.key}' ${new URL('v1/watchlists', url).href}\n`,
        ]),
    operatorEmails.length === 0
      ? ''
      : `\nTo get alarms, each operator (${operatorEmails.join(', ')}) must confirm two subscriptions with the links in the emails from SNS.\n`,
  ].join('');
}

function concurrencyInWords({ limit, enough }: SetupPlan['concurrency']): string {
  if (limit === undefined) return 'AWS did not return the limit on concurrent executions';
  if (limit >= enough) return `the account is limited to ${limit} concurrent executions`;
  return `the account is limited to ${limit} concurrent executions, but a market crash needs ${enough}: alerts would be delayed. Ask AWS for ${enough} (Service Quotas, AWS Lambda, Concurrent executions); the increase is free`;
}

function tableInWords({ existing, isAdopted, replaced }: PlannedTable): readonly string[] {
  return [
    ...(existing === undefined
      ? []
      : [`${existing}: ${isAdopted ? 'the stack will use this table' : 'unchanged'}`]),
    ...(replaced === undefined
      ? []
      : [
          `${replaced.name}: the stack will no longer use this table, and it will be ${replaced.isKept ? 'kept' : 'DELETED with its data'}`,
        ]),
  ];
}

function firewallInWords(requests: number | undefined): string {
  return requests === undefined
    ? `none; --firewall ${USUAL_FIREWALL_REQUESTS} stops one IP address from using up the rate that all callers share (${FIREWALL_PRICE})`
    : `blocks an address after ${grouped(requests)} requests in five minutes (${FIREWALL_PRICE})`;
}

function emailsInWords(emails: EmailSending | undefined): string {
  if (emails === undefined)
    return 'SNS sends emails to channels as plain text; --email-sender ADDRESS switches to SES';
  return `from ${emails.sender} to channels: ${sendingInWords(emails)}`;
}

const WHAT_OPERATORS_GET = {
  none: 'alarms, but no tenant alerts',
  critical: 'alarms, and critical tenant alerts',
  all: 'alarms, and all tenant alerts',
} as const satisfies Record<OperatorAlerts, string>;
const KEEPS = '; its table is kept if the stack is deleted';
const LOST =
  '. Channel secrets that were encrypted with the old key will be lost; restore the old key if you have it';
const FATES = {
  'is made': 'will be created',
  'is changed': 'will be updated',
  stays: 'unchanged',
} satisfies Record<PlannedSecret['fate'], string>;
const STEPS = {
  settings: 'Writing the settings',
  secrets: 'Storing the secrets',
  bootstrap: 'Preparing the account for CDK; this takes a minute or two',
  table: 'Preparing the table',
  deploy: 'Deploying; the first time this takes several minutes',
  protect: 'Protecting the stack and its table from deletion',
  canary: "Writing the canary's watchlist",
  key: 'Checking for an API key',
} satisfies Record<Step, string>;

const grouped = (units: number) => units.toLocaleString('en-US');
