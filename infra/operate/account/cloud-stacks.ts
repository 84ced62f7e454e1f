import {
  type CloudFormationClient,
  CloudFormationServiceException,
  DeleteStackCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import * as z from 'zod';

/** A stack of CloudFormation. */
export type CloudStack = {
  readonly id: string;
  readonly status: string;
  readonly reason: string | undefined;
  /** Whether it may not be deleted. */
  readonly isProtected: boolean;
};

/** Something of a stack that is there, whatever became of the stack. */
export type CloudResource = { readonly type: string; readonly id: string };

export type CloudStacks = {
  /** The stack of that name or id; a deleted one is found by its id only. */
  readonly find: (nameOrId: string) => Promise<CloudStack | undefined>;
  /** Whether deleting it would leave its table. */
  readonly retainsTable: (name: string) => Promise<boolean>;
  readonly unprotect: (name: string) => Promise<void>;
  /** Has it deleted; that it is gone, `find` reports. */
  readonly delete: (name: string) => Promise<void>;
  /** What a stack that was deleted has left where it was. */
  readonly leftBy: (id: string) => Promise<readonly CloudResource[]>;
};

export function createCloudStacks(client: CloudFormationClient): CloudStacks {
  return {
    find: async (nameOrId) => {
      const command = new DescribeStacksCommand({ StackName: nameOrId });
      const { Stacks = [] } = await client.send(command).catch(noneWhereUnknown);
      const [stack] = Stacks;
      if (stack?.StackId === undefined) return undefined;
      return {
        id: stack.StackId,
        status: stack.StackStatus ?? 'UNKNOWN',
        reason: stack.StackStatusReason,
        isProtected: stack.EnableTerminationProtection ?? false,
      };
    },

    retainsTable: async (name) => {
      const { TemplateBody = '{}' } = await client.send(
        new GetTemplateCommand({ StackName: name }),
      );
      const { Resources } = Template.parse(JSON.parse(TemplateBody));
      return Object.values(Resources).some(
        ({ Type, DeletionPolicy }) => TABLES.has(Type) && DeletionPolicy === 'Retain',
      );
    },

    unprotect: async (name) => {
      const off = { StackName: name, EnableTerminationProtection: false };
      await client.send(new UpdateTerminationProtectionCommand(off));
    },

    delete: async (name) => {
      await client.send(new DeleteStackCommand({ StackName: name }));
    },

    leftBy: async (id) => {
      const left: CloudResource[] = [];
      for await (const page of paginateListStackResources({ client }, { StackName: id })) {
        for (const resource of page.StackResourceSummaries ?? []) {
          if (resource.ResourceStatus !== 'DELETE_SKIPPED') continue;
          const { ResourceType: type = '', PhysicalResourceId = '' } = resource;
          left.push({ type, id: PhysicalResourceId });
        }
      }
      return left;
    },
  };
}

const Resource = z.object({ Type: z.string(), DeletionPolicy: z.string().optional() });
const Template = z.object({ Resources: z.record(z.string(), Resource) });
const TABLES: ReadonlySet<string> = new Set(['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable']);

/** CloudFormation has no error of its own for a stack that is not there. */
function noneWhereUnknown(error: unknown): { readonly Stacks?: undefined } {
  const isUnknown =
    error instanceof CloudFormationServiceException &&
    error.name === 'ValidationError' &&
    error.message.includes('does not exist');
  if (isUnknown) return {};
  throw error;
}
