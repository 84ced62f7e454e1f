import * as z from 'zod';
import { isSlackUrl } from '#shared/channels/slack/kind.ts';
import { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import { MainProvider, Provider } from '#shared/domain/market/provider.ts';

/** The settings and secrets that an operator gives; missing members keep their present values. */
export type SetupAnswers = {
  readonly operatorEmails?: readonly string[] | undefined;
  readonly operatorAlerts?: OperatorAlerts | undefined;
  /** In dollars; `none` for no budget. */
  readonly awsBudget?: AwsBudget | undefined;
  /** The maximum of requests of one address in five minutes; `none` turns the firewall off. */
  readonly firewall?: FirewallRequests | undefined;
  /** The address that emails to channels come from; `none` has SNS send them. */
  readonly emailSender?: string | undefined;
  readonly upstreamProvider?: MainProvider | undefined;
  readonly upstreamUrl?: string | undefined;
  readonly upstreamKey?: string | undefined;
  /** The provider makes a key for a week, without an account. */
  readonly instantKey?: boolean;
  readonly upstreamBudgetPerDay?: number | undefined;
  readonly upstreamBudgetPerMonth?: number | undefined;
  /** The provider beside the first; `none` takes away the one that is there. */
  readonly secondProvider?: SecondProvider | undefined;
  readonly secondKey?: string | undefined;
  readonly slackWebhook?: string | undefined;
  /** An existing table of the stage; `new` has the stack make one. */
  readonly table?: string | undefined;
};

/** Each parses the text that a person types. */
export const Emails = z
  .string()
  .transform((text) => text.split(',').map((email) => email.trim()))
  .pipe(z.array(z.email('expected addresses such as ops@example.com')));
export const AlertsOfTenants = z
  .string()
  .pipe(z.enum(OperatorAlerts.options, `expected one of ${OperatorAlerts.options.join(', ')}`));
export const AwsBudget = z
  .string()
  .regex(/^(none|[1-9]\d{0,6})$/, 'expected whole dollars such as 20, or none')
  .transform((text): number | 'none' => (text === 'none' ? text : Number(text)));
export type AwsBudget = z.output<typeof AwsBudget>;
export const FirewallRequests = z
  .string()
  .regex(/^(none|[1-9]\d{1,8})$/, 'expected a whole number from 10 such as 10000, or none')
  .transform((text): number | 'none' => (text === 'none' ? text : Number(text)));
export type FirewallRequests = z.output<typeof FirewallRequests>;
/** More than a tenant can use in five minutes with all of its units. */
export const USUAL_FIREWALL_REQUESTS = 10_000;
/** A web ACL with one rule; each request is billed, also a blocked one. */
export const FIREWALL_PRICE = '$6 a month and $0.60 per million requests';
export const EmailSender = z
  .string()
  .pipe(
    z.union([
      z.literal('none'),
      z.email('expected an address such as alerts@example.com, or none'),
    ]),
  );
export const UpstreamProvider = z
  .string()
  .pipe(z.enum(MainProvider.options, `expected one of ${MainProvider.options.join(', ')}`));
const SECOND_PROVIDERS = [...Provider.options, 'none'] as const;
export const SecondProvider = z
  .string()
  .pipe(z.enum(SECOND_PROVIDERS, `expected one of ${SECOND_PROVIDERS.join(', ')}`));
type SecondProvider = z.output<typeof SecondProvider>;
export const UpstreamUrl = z
  .string()
  .pipe(z.url({ protocol: /^https?$/, error: 'expected a URL, https://…' }));
export const Budget = z
  .string()
  .regex(/^[1-9]\d{0,11}$/, 'expected a whole number such as 50000')
  .transform(Number);
export const UpstreamKey = z
  .string()
  .regex(/^[!-~]{1,4096}$/, 'expected a key of printable ASCII without spaces');
export const SlackWebhook = z
  .string()
  .refine(isSlackUrl, 'expected https://hooks.slack.com/services/T…/B…/…');
