import * as z from 'zod';
import { isSlackUrl } from '#shared/channels/slack/kind.ts';
import { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import { MainProvider, Provider } from '#shared/domain/market/provider.ts';

/** More than a tenant can use in five minutes with all of its units. */
export const USUAL_FIREWALL_REQUESTS = 10_000;
/** A web ACL with one rule; each request is billed, also a blocked one. */
export const FIREWALL_PRICE = '$6 a month and $0.60 per million requests';

const oneOf = <Name extends string>(names: readonly Name[]) =>
  z.string().pipe(z.enum(names, `expected one of ${names.join(', ')}`));
const budget = z
  .string()
  .regex(/^[1-9]\d{0,11}$/, 'expected a whole number such as 50000')
  .transform(Number);
const key = z.string().regex(/^[!-~]{1,4096}$/, 'expected a key of printable ASCII without spaces');

/** The settings and secrets that an operator gives: each schema parses the text that a person types. */
export const ANSWERS = {
  operatorEmails: z
    .string()
    .transform((text) => text.split(',').map((email) => email.trim()))
    .pipe(z.array(z.email('expected addresses such as ops@example.com'))),
  operatorAlerts: oneOf(OperatorAlerts.options),
  /** In dollars; `none` for no budget. */
  awsBudget: z
    .string()
    .regex(/^(none|[1-9]\d{0,6})$/, 'expected whole dollars such as 20, or none')
    .transform((text): number | 'none' => (text === 'none' ? text : Number(text))),
  /** The maximum of requests of one address in five minutes; `none` turns the firewall off. */
  firewall: z
    .string()
    .regex(/^(none|[1-9]\d{1,8})$/, 'expected a whole number from 10 such as 10000, or none')
    .transform((text): number | 'none' => (text === 'none' ? text : Number(text))),
  /** The address that emails to channels come from; `none` has SNS send them. */
  emailSender: z
    .string()
    .pipe(
      z.union([
        z.literal('none'),
        z.email('expected an address such as alerts@example.com, or none'),
      ]),
    ),
  upstreamProvider: oneOf(MainProvider.options),
  upstreamUrl: z.string().pipe(z.url({ protocol: /^https?$/, error: 'expected a URL, https://…' })),
  upstreamKey: key,
  upstreamBudgetPerDay: budget,
  upstreamBudgetPerMonth: budget,
  /** The provider beside the first; `none` takes away the one that is there. */
  secondProvider: oneOf([...Provider.options, 'none']),
  secondKey: key,
  slackWebhook: z.string().refine(isSlackUrl, 'expected https://hooks.slack.com/services/T…/B…/…'),
  /** An existing table of the stage; `new` has the stack make one. */
  table: z.string(),
};

/** Missing members keep their present values. */
export type SetupAnswers = {
  readonly [Name in keyof typeof ANSWERS]?: z.output<(typeof ANSWERS)[Name]> | undefined;
} & {
  /** The provider makes a key for a week, without an account. */
  readonly instantKey?: boolean;
};
