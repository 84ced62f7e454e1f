import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { regionOf, type Stack } from '#infra/operate/stack-option.ts';
import { createCloudStacks } from './cloud-stacks.ts';

/** The address of the interface of a deployed stage, of the outputs of its stack. */
export async function interfaceUrl(stack: Extract<Stack, { kind: 'deployed' }>): Promise<string> {
  const name = `floorwatch-${stack.stage}`;
  const found = await createCloudStacks(new CloudFormationClient(regionOf(stack))).find(name);
  const url = found?.outputs.get('ApiUrl');
  if (url !== undefined) return url;
  throw new UsageError(`${name} has no address in this account and region: is it deployed?`);
}
