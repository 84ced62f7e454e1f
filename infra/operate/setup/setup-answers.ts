import * as z from 'zod';
import { isSlackUrl } from '#shared/channels/slack/kind.ts';
import { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import { MainProvider, Provider } from '#shared/domain/market/provider.ts';

/**
 * The suggested limit for requests in five minutes: more than a tenant can send with all its units.
 */
export const USUAL_FIREWALL_REQUESTS = 10_000;
/** A web ACL with one rule; AWS bills each request, including blocked ones. */
export const FIREWALL_PRICE = '$6 a month and $0.60 per million requests';

const oneOf = <Name extends string>(names: readonly Name[]) =>
  z.string().pipe(z.enum(names, `expected one of ${names.join(', ')}`));
const budget = z
  .string()
  .regex(/^[1-9]\d{0,11}$/, 'expected a whole number such as 50000')
  .transform(Number);
const key = z
  .string()
  .regex(/^[!-~]{1,4096}$/, 'expected a key of printable ASCII characters without spaces');

/** The settings and secrets that an operator can enter: each schema parses typed text. */
export const ANSWERS = {
  operatorEmails: z
    .string()
    .transform((text) => text.split(',').map((email) => email.trim()))
    .pipe(z.array(z.email('expected email addresses such as ops@example.com'))),
  operatorAlerts: oneOf(OperatorAlerts.options),
  /** In dollars; `none` for no budget. */
  awsBudget: z
    .string()
    .regex(/^(none|[1-9]\d{0,6})$/, 'expected a whole number of dollars such as 20, or none')
    .transform((text): number | 'none' => (text === 'none' ? text : Number(text))),
  /**
   * The maximum number of requests from one IP address in five minutes; `none` turns the firewall
   * off.
   */
  firewall: z
    .string()
    .regex(
      /^(none|[1-9]\d{1,8})$/,
      'expected a whole number of at least 10, such as 10000, or none',
    )
    .transform((text): number | 'none' => (text === 'none' ? text : Number(text))),
  /** The sender address of emails to channels; with `none` SNS sends them. */
  emailSender: z
    .string()
    .pipe(
      z.union([
        z.literal('none'),
        z.email('expected an email address such as alerts@example.com, or none'),
      ]),
    ),
  upstreamProvider: oneOf(MainProvider.options),
  upstreamUrl: z
    .string()
    .pipe(
      z.url({ protocol: /^https?$/, error: 'expected a URL that starts with https:// or http://' }),
    ),
  upstreamKey: key,
  upstreamBudgetPerDay: budget,
  upstreamBudgetPerMonth: budget,
  /** The fallback provider; `none` removes it. */
  secondProvider: oneOf([...Provider.options, 'none']),
  secondKey: key,
  slackWebhook: z.string().refine(isSlackUrl, 'expected https://hooks.slack.com/services/T…/B…/…'),
  /** An existing table of the stage; `new` lets the stack create one. */
  table: z.string(),
};

/** Missing members keep their current values. */
export type SetupAnswers = {
  readonly [Name in keyof typeof ANSWERS]?: z.output<(typeof ANSWERS)[Name]> | undefined;
} & {
  /** The provider creates a key for a week, without an account. */
  readonly instantKey?: boolean;
};
