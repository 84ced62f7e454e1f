import * as z from 'zod';
import type { AwsCall } from './aws-calls.ts';
import type { Stack } from './template.ts';

/** One action on one resource, allowed by a statement of a policy. */
export type Right = {
  readonly action: string;
  readonly resource: string;
  readonly condition: Condition;
};

const oneOrMore = z.union([z.array(z.string()), z.string().transform((only) => [only])]);
/** Values by operator, then by condition key. */
const Condition = z.record(z.string(), z.record(z.string(), oneOrMore));
type Condition = z.output<typeof Condition>;

const Policy = z.object({
  Roles: z.array(z.string()),
  PolicyDocument: z.object({
    Statement: z.array(
      z.strictObject({
        // The stack has no Deny statements, and this evaluation does not support them.
        Effect: z.literal('Allow'),
        Action: oneOrMore,
        Resource: oneOrMore,
        Condition: Condition.default({}),
      }),
    ),
  }),
});

export type RightsByFunction = ReadonlyMap<string, readonly Right[]>;

/** The rights that the template grants each function, by its folder. */
export function rightsByFunction(stack: Stack): RightsByFunction {
  const policies = policiesOf(stack);
  const functions = stack.find('AWS::Lambda::Function', z.object({ Role: z.string() }));
  return new Map(
    functions.map(({ metadata, properties: { Role } }) => [
      z.string().parse(metadata['floorwatch:folder']),
      policies
        .filter(({ roles }) => roles.some((role) => Role.endsWith(`:${role}`)))
        .flatMap(({ rights }) => rights),
    ]),
  );
}

/** All policies of the template, with a separate right for each action on each resource. */
export function policiesOf(stack: Stack) {
  return stack
    .find('AWS::IAM::Policy', Policy)
    .map(({ properties: { Roles, PolicyDocument } }) => ({
      roles: Roles,
      rights: PolicyDocument.Statement.flatMap(({ Action, Resource, Condition: condition }) =>
        Action.flatMap((action) =>
          Resource.map((resource): Right => ({ action, resource, condition })),
        ),
      ),
    }));
}

/** The calls for which the caller has no right. */
export function deniedOf(rights: RightsByFunction, calls: readonly AwsCall[]): readonly AwsCall[] {
  return calls.filter((call) => !rights.get(call.caller)?.some((right) => allows(right, call)));
}

/** The rights that a function has but none of its calls needs, as lines that name the function. */
export function unusedOf(rights: RightsByFunction, calls: readonly AwsCall[]): readonly string[] {
  return [...rights].flatMap(([caller, granted]) => {
    const own = calls.filter((call) => call.caller === caller);
    return granted
      .filter((right) => !own.some((call) => allows(right, call)))
      .map((right) => `${caller}: ${inWords(right)}`);
  });
}

/** Whether a right allows a call. */
function allows({ action, resource, condition }: Right, call: AwsCall): boolean {
  return (
    // IAM compares names of actions case-insensitively, and resources case-sensitively.
    isLike(action.toLowerCase(), call.action.toLowerCase()) &&
    isLike(resource, call.resource) &&
    Object.entries(condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, patterns]) =>
        holds(operator, patterns, valuesOf(key, call)),
      ),
    )
  );
}

function valuesOf(key: string, { leadingKeys, protocols, senders }: AwsCall): readonly string[] {
  if (key === 'dynamodb:LeadingKeys') return leadingKeys;
  if (key === 'sns:Protocol') return protocols;
  if (key === 'ses:FromAddress') return senders;
  throw new Error(`unknown condition key ${key}`);
}

function holds(operator: string, patterns: readonly string[], values: readonly string[]): boolean {
  if (operator === 'StringEquals') {
    return values.length > 0 && values.every((value) => patterns.includes(value));
  }
  if (operator !== 'ForAllValues:StringLike') {
    throw new Error(`unknown condition operator ${operator}`);
  }
  // As in AWS, a call without the condition key satisfies a `ForAllValues` condition.
  return values.every((value) => patterns.some((pattern) => isLike(pattern, value)));
}

/** Matches IAM's patterns: a star for any text, a question mark for one character. */
export function isLike(pattern: string, value: string): boolean {
  const expression = RegExp.escape(pattern).replaceAll('\\*', '.*').replaceAll('\\?', '.');
  return new RegExp(`^${expression}$`, 's').test(value);
}

/** `dynamodb:GetItem arn:…:table/… [TENANT#*]` */
function inWords({ action, resource, condition }: Right): string {
  const keys = Object.values(condition).flatMap((named) => Object.values(named).flat());
  return `${action} ${resource}${keys.length === 0 ? '' : ` [${keys.join()}]`}`;
}
