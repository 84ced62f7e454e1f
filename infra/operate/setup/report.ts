import type { Printer } from '#infra/command-line/printer.ts';
import { type EmailSending, sendingInWords } from '#infra/operate/account/email-sending.ts';
import type { Identity } from '#infra/operate/account/identify.ts';
import type { Stage } from '#infra/stack/stages.ts';
import { apiKeyId } from '#shared/domain/access/api-key.ts';
import type { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import type { Adoption } from '#shared/stores/adopt-table.ts';
import type { SetupPlan } from './plan-setup.ts';
import type { PlannedTable } from './plan-table.ts';
import type { SetUp, Step } from './set-up.ts';
import { FIREWALL_PRICE, USUAL_FIREWALL_REQUESTS } from './setup-answers.ts';

/** The output of `npm run setup`. */
export type Report = {
  readonly account: (identity: Identity) => void;
  readonly plan: (plan: SetupPlan, settingsFile: string) => void;
  readonly step: (step: Step) => void;
  /** The end of a dry run. */
  readonly untouched: () => void;
  /** The identity may not write the list of the canary. */
  readonly canaryLeft: () => void;
  readonly adopted: (table: string, adoption: Adoption) => void;
  readonly ready: (stage: Stage, setUp: SetUp) => void;
};

/** JSON lines, for programs. */
export function reportInJson({ line }: Printer): Report {
  return {
    account: (identity) => line({ event: 'account', ...identity }),
    plan: ({ stage, settings, ...plan }, settingsFile) =>
      line({ event: 'plan', stage: stage.name, settingsFile, settings: settings.fate, ...plan }),
    step: (step) => line({ event: 'step', step }),
    untouched: () => line({ event: 'untouched' }),
    canaryLeft: () => line({ event: 'canary_left' }),
    adopted: (table, adoption) => line({ event: 'adopted', table, ...adoption }),
    ready: ({ name: stage }, { url, tableName, firstKey }) =>
      line({ event: 'ready', stage, url, tableName, key: firstKey?.key ?? null }),
  };
}

/** Plain text, for people. */
export function reportInWords({ write }: Printer): Report {
  const row = (what: string, reported: string) => write(`  ${what.padEnd(20)}${reported}\n`);
  return {
    account: ({ account, region, arn }) =>
      write(`You are ${arn}, in ${region} of the account ${account}.\n\n`),

    plan: (
      { stage, emails, settings, secrets, bootstrap, stack, failedStack, concurrency, table },
      settingsFile,
    ) => {
      const operators = stage.operatorEmails.join(', ');
      write(`The stage ${stage.name}:\n\n`);
      row('settings', `${settingsFile} ${settings.fate}`);
      row('operators', operators || 'none: add one with --email ADDRESS to get alarms by email');
      row('they get', `alarms, and ${WHAT_OPERATORS_GET[stage.operatorAlerts]} of the tenants`);
      row(
        'AWS budget',
        stage.awsBudgetPerMonth === undefined
          ? 'none: with --aws-budget DOLLARS they get an email before the account costs more'
          : `$${grouped(stage.awsBudgetPerMonth)} a month, of the whole account`,
      );
      row('firewall', firewallInWords(stage.firewallRequestsPerAddress));
      row('emails', emailsInWords(emails));
      row(
        'prices',
        `${stage.upstreamProvider} at ${stage.upstreamUrl}, every ${stage.pollCadenceMinutes} minutes`,
      );
      for (const { provider, url } of stage.otherProviders) {
        row('second opinions', `${provider} at ${url}`);
      }
      row(
        'budget',
        `${grouped(stage.upstreamBudgetPerDay)} units a day, ${grouped(stage.upstreamBudgetPerMonth)} a month`,
      );
      for (const { kind, parameter, fate } of secrets) {
        const isLost = kind === 'channel key' && fate === 'is made' && stack === 'is changed';
        row(kind, `${parameter} ${fate}${isLost ? LOST : ''}`);
      }
      row('CDK', `its bucket and roles in this account and region: ${BOOTSTRAP[bootstrap]}`);
      row('concurrency', concurrencyInWords(concurrency));
      row('stack', `floorwatch-${stage.name} ${stack}${stage.retainsData ? KEEPS : ''}`);
      if (failedStack !== undefined) {
        row('', `the failed one (${failedStack.status}) is deleted first`);
      }
      for (const said of tableInWords(table)) row('table', said);
      write('\n');
    },

    step: (step) => write(`${STEPS[step]}\n`),

    untouched: () => write('Nothing was changed.\n'),

    canaryLeft: () =>
      write(
        '  NOT WRITTEN: you may not write to the table; run npm run setup once as somebody who may.\n',
      ),

    adopted: (table, { carried, ended, renumbered, topics, unsent }) => {
      write(`  ${table}: ${renumbered} contracts, watches and lists go on with new numbers,\n`);
      write(`  ${carried} keys and budgets and ${ended} ended channels are as they are now,\n`);
      write(`  ${topics} topics of lists are looked after\n`);
      for (const [list, alerts] of Object.entries(unsent)) {
        write(`  NOT SENT: alerts of ${list} that wait in the table before: ${alerts}\n`);
      }
    },

    ready: ({ name, deployedTo, domain, operatorEmails }, { url, domainTarget, firstKey }) => {
      write(`\nfloorwatch-${name} is deployed. Its interface: ${url}\n`);
      if (domain !== undefined) {
        write(`It answers there once ${domain.name} leads to ${domainTarget} (DNS, a CNAME).\n`);
      }
      write(`People open its console with a key: ${new URL('app', url).href}\n`);
      if (firstKey === undefined) {
        const list = `AWS_REGION=${deployedTo?.region} npm run keys -- list --stage ${name}`;
        write(`An API key exists already; list keys with: ${list}\n\n`);
        write(`  curl ${new URL('v1/health', url).href}\n`);
      } else {
        const { key, record } = firstKey;
        write(
          `The first key, ${apiKeyId(record)}, of the tenant ${record.tenant}:\n\n  ${key}\n\n`,
        );
        write('It is not shown again: keep it in a safe place.\n\n');
        write(`  curl -H 'X-API-Key: ${key}' ${new URL('v1/watchlists', url).href}\n`);
      }
      if (operatorEmails.length > 0) {
        const operators = operatorEmails.join(', ');
        write(`\nOperators confirm the email of SNS once, to get alarms: ${operators}\n`);
      }
    },
  };
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
