import { type EmailSending, sendingInWords } from '#infra/operate/account/email-sending.ts';
import { type Identity, identityInWords } from '#infra/operate/account/identify.ts';
import type { Stage } from '#infra/stack/stages.ts';
import type { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import type { PlannedSecret, SetupPlan } from './plan-setup.ts';
import type { PlannedTable } from './plan-table.ts';
import type { SetUpEvent, Step } from './set-up.ts';
import { FIREWALL_PRICE, USUAL_FIREWALL_REQUESTS } from './setup-answers.ts';

/** What setup reports. */
export type SetupEvent =
  | ({ readonly event: 'account' } & Identity)
  | ({ readonly event: 'plan'; readonly settingsFile: string } & SetupPlan)
  | SetUpEvent
  /** The end of a dry run. */
  | { readonly event: 'untouched' }
  /** The identity may not write the list of the canary. */
  | { readonly event: 'canary_left' }
  | {
      readonly event: 'ready';
      readonly stage: Stage;
      readonly url: string;
      readonly tableName: string;
      /** The target of the CNAME, if the stage has a name of its own. */
      readonly domainTarget?: string | undefined;
      /** Null where a key exists already. */
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
      return '  NOT WRITTEN: you may not write to the table; run npm run operate -- setup once as somebody who may.\n';
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
    row('settings', `${settingsFile} ${settings.fate}`),
    row('operators', operators || 'none: add one with --email ADDRESS to get alarms by email'),
    row('they get', `alarms, and ${WHAT_OPERATORS_GET[stage.operatorAlerts]} of the tenants`),
    row(
      'AWS budget',
      stage.awsBudgetPerMonth === undefined
        ? 'none: with --aws-budget DOLLARS they get an email before the account costs more'
        : `$${grouped(stage.awsBudgetPerMonth)} a month, of the whole account`,
    ),
    row('firewall', firewallInWords(stage.firewallRequestsPerAddress)),
    row('emails', emailsInWords(plan.emails)),
    row(
      'prices',
      `${stage.upstreamProvider} at ${stage.upstreamUrl}, every ${stage.pollCadenceMinutes} minutes`,
    ),
    ...stage.otherProviders.map(({ provider, url }) =>
      row('second opinions', `${provider} at ${url}`),
    ),
    row(
      'budget',
      `${grouped(stage.upstreamBudgetPerDay)} units a day, ${grouped(stage.upstreamBudgetPerMonth)} a month`,
    ),
    ...secrets.map((secret) =>
      row(secret.kind, `${secret.parameter} ${secret.fate}${isLost(secret) ? LOST : ''}`),
    ),
    row('CDK', `its bucket and roles in this account and region: ${BOOTSTRAP[plan.bootstrap]}`),
    row('concurrency', concurrencyInWords(plan.concurrency)),
    row('stack', `floorwatch-${stage.name} ${stack}${stage.retainsData ? KEEPS : ''}`),
    plan.failedStack === undefined
      ? ''
      : row('', `the failed one (${plan.failedStack.status}) is deleted first`),
    ...tableInWords(plan.table).map((text) => row('table', text)),
    '\n',
  ].join('');
}

function adoptionInWords(adoption: Of<'adopted'>): string {
  const { table, carried, ended, renumbered, topics, unsent } = adoption;
  return [
    `  ${table}: ${renumbered} contracts, watches and lists go on with new numbers,\n`,
    `  ${carried} keys and budgets and ${ended} ended channels are as they are now,\n`,
    `  ${topics} topics of lists are looked after\n`,
    ...Object.entries(unsent).map(
      ([list, alerts]) =>
        `  NOT SENT: alerts of ${list} that wait in the table before: ${alerts}\n`,
    ),
  ].join('');
}

function readyInWords({ stage, url, domainTarget, firstKey }: Of<'ready'>): string {
  const { name, deployedTo, domain, operatorEmails } = stage;
  return [
    `\nfloorwatch-${name} is deployed. Its interface: ${url}\n`,
    domain === undefined
      ? ''
      : `It answers there once ${domain.name} leads to ${domainTarget} (DNS, a CNAME).\n`,
    `People open its console with a key: ${new URL('app', url).href}\n`,
    ...(firstKey === null
      ? [
          `An API key exists already; list keys with: AWS_REGION=${deployedTo?.region} npm run operate -- keys list --stage ${name}\n\n`,
          `  curl ${new URL('v1/health', url).href}\n`,
        ]
      : [
          `The first key, ${firstKey.id}, of the tenant ${firstKey.tenant}:\n\n  ${firstKey.key}\n\n`,
          'It is not shown again: keep it in a safe place.\n\n',
          `  curl -H 'X-API-Key: ${firstKey.key}' ${new URL('v1/watchlists', url).href}\n`,
        ]),
    operatorEmails.length === 0
      ? ''
      : `\nOperators confirm the email of SNS once, to get alarms: ${operatorEmails.join(', ')}\n`,
  ].join('');
}

function concurrencyInWords({ limit, enough }: SetupPlan['concurrency']): string {
  if (limit === undefined) return 'AWS does not say how many functions the account runs at once';
  if (limit >= enough) return `the account runs ${limit} functions at once`;
  return `the account runs ${limit} functions at once, and a crash of the market keeps ${enough} busy: alerts then wait for one another. Ask AWS for ${enough} (Service Quotas, AWS Lambda, Concurrent executions); it is free`;
}

function tableInWords({ existing, isAdopted, replaced }: PlannedTable): readonly string[] {
  return [
    ...(existing === undefined
      ? []
      : [`${existing} ${isAdopted ? 'is used from now on' : 'stays'}`]),
    ...(replaced === undefined
      ? []
      : [
          `${replaced.name} is used no more, and ${replaced.isKept ? 'stays' : 'DELETED with its data'}`,
        ]),
  ];
}

function firewallInWords(requests: number | undefined): string {
  return requests === undefined
    ? `none: with --firewall ${USUAL_FIREWALL_REQUESTS} one address cannot use up what all callers share (${FIREWALL_PRICE})`
    : `blocks an address after ${grouped(requests)} requests in five minutes (${FIREWALL_PRICE})`;
}

function emailsInWords(emails: EmailSending | undefined): string {
  if (emails === undefined) return 'to channels by SNS, as plain text (--email-sender)';
  return `to channels from ${emails.sender}: ${sendingInWords(emails)}`;
}

const WHAT_OPERATORS_GET = {
  none: 'no alerts',
  critical: 'critical alerts',
  all: 'all alerts',
} as const satisfies Record<OperatorAlerts, string>;
const KEEPS = '; its table outlives it';
const LOST =
  ': secrets of channels sealed under the old key do not open; restore the old key if you have it';
const BOOTSTRAP = { 'is made': 'made', 'is changed': 'upgraded', stays: 'up to date' };
const STEPS = {
  settings: 'Writing the settings',
  secrets: 'Storing the secrets',
  bootstrap: 'Preparing the account for CDK; this takes a minute or two',
  table: 'Preparing the table',
  deploy: 'Deploying; this takes some minutes the first time',
  protect: 'Protecting the stack and its table from deletion',
  canary: 'Writing the list of the canary',
  key: 'Looking for an API key',
} satisfies Record<Step, string>;

const grouped = (units: number) => units.toLocaleString('en-US');
