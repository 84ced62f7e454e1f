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
  /** Whether termination protection is on. */
  readonly isProtected: boolean;
  readonly outputs: ReadonlyMap<string, string>;
};

/** The table that a stack uses. */
export type StackTable = {
  readonly name: string;
  /**
   * Whether the stack created the table. Then deleting the stack also deletes the table, unless the
   * table is retained.
   */
  readonly isOwn: boolean;
  readonly isRetained: boolean;
};

/** A resource of a stack. */
export type CloudResource = { readonly type: string; readonly id: string };

export type CloudStacks = {
  /** Finds a stack by name or id; a deleted stack is found only by id. */
  readonly find: (nameOrId: string) => Promise<CloudStack | undefined>;
  /** The table of a deployed stack; undefined if there is no stack, or it was never completed. */
  readonly table: (name: string) => Promise<StackTable | undefined>;
  readonly unprotect: (name: string) => Promise<void>;
  /** Starts the deletion; `find` reports its progress. */
  readonly delete: (name: string) => Promise<void>;
  /** The resources that the deletion of a stack skipped. */
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
        outputs: new Map(
          stack.Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
        ),
      };
    },

    table: async (StackName) => {
      const described = new DescribeStacksCommand({ StackName });
      const { Stacks = [] } = await client.send(described).catch(noneWhereUnknown);
      const outputs = Stacks[0]?.Outputs ?? [];
      const table = outputs.find(({ OutputKey }) => OutputKey === 'TableName')?.OutputValue;
      if (table === undefined) return undefined;
      const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }));
      const { Resources } = Template.parse(JSON.parse(TemplateBody));
      const own = Object.values(Resources).find(({ Type }) => TABLES.has(Type));
      return {
        name: table,
        isOwn: own !== undefined,
        isRetained: own === undefined || RETAINS.has(own.DeletionPolicy),
      };
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

/** The deletion policies that keep a resource when its stack is deleted. */
const RETAINS: ReadonlySet<string | undefined> = new Set(['Retain', 'RetainExceptOnCreate']);

/** CloudFormation has no error type for a missing stack, so the message is checked. */
function noneWhereUnknown(error: unknown): { readonly Stacks?: undefined } {
  const isUnknown =
    error instanceof CloudFormationServiceException &&
    error.name === 'ValidationError' &&
    error.message.includes('does not exist');
  if (isUnknown) return {};
  throw error;
}
