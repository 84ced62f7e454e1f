import { Stack, Token, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

type Wildcard = {
  readonly service: string;
  /** The part of the ARN after the account. */
  readonly resource: string;
  readonly reason: string;
};

/**
 * Acknowledges the cdk-nag finding that a role may act on all resources that match an ARN pattern.
 */
export function acknowledgeWildcard(
  grantee: IConstruct,
  { service, resource, reason }: Wildcard,
): void {
  const { partition, region, account } = Stack.of(grantee);
  // cdk-nag prints placeholders for the parts of an ARN that are unknown before the deployment.
  const found = [
    ...['arn', knownOr('<AWS::Partition>', partition), service],
    ...[knownOr('<AWS::Region>', region), knownOr('<AWS::AccountId>', account), resource],
  ].join(':');
  Validations.of(grantee).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::${found}]`,
    reason,
  });
}

function knownOr(name: string, value: string): string {
  return Token.isUnresolved(value) ? name : value;
}
