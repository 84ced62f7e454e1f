import * as z from 'zod';
import type { StackTable } from '#infra/operate/account/cloud-stacks.ts';

/** The input of a deployment, as `cdk deploy` sends it. */
export type Assembly = { readonly template: Template; readonly terminationProtection: boolean };

const TableResource = z.looseObject({
  Type: z.literal('AWS::DynamoDB::Table'),
  DeletionPolicy: z.string().default('Delete'),
  Properties: z.looseObject({ DeletionProtectionEnabled: z.boolean().default(false) }),
});
type TableResource = z.output<typeof TableResource>;

/** A template, reduced to its tables, because the fake ignores other resources. */
export const Template = z
  .object({ Resources: z.record(z.string(), z.unknown()) })
  .transform(({ Resources }) => {
    const tables = Object.entries(Resources).flatMap(([id, resource]) => {
      const table = TableResource.safeParse(resource);
      return table.success ? [[id, table.data] as const] : [];
    });
    return new Map(tables);
  });
export type Template = z.output<typeof Template>;

type FakeStack = {
  status: string;
  isProtected: boolean;
  template: Template;
  /** The name of each table by its logical id. */
  names: Map<string, string>;
};

/**
 * A fake of CloudFormation with one stack, and of the tables in its account. Termination
 * protection, deletion protection and deletion policies work as AWS documents them. `deploy` makes
 * the calls of `cdk deploy` in its order (toolkit-lib, deploy-stack.ts).
 */
export function createFakeCloudFormation(stackName: string) {
  const cloud = {
    stack: undefined as FakeStack | undefined,
    tables: new Map<string, { isProtected: boolean }>(),
    /** The error with which the next deployment fails after it has created its tables. */
    fails: undefined as string | undefined,
  };
  let created = 0;

  const createTable = (id: string, { Properties }: TableResource) => {
    created += 1;
    const name = `${stackName}-${id}-${created}`;
    if (cloud.tables.has(name)) throw new Error(`${name} already exists`);
    cloud.tables.set(name, { isProtected: Properties.DeletionProtectionEnabled });
    return name;
  };
  const deleteTable = (name: string) => {
    if (cloud.tables.get(name)?.isProtected) {
      throw new Error('Resource cannot be deleted as it is currently protected against deletion');
    }
    cloud.tables.delete(name);
  };
  const isDeletable = (name: string) => {
    try {
      deleteTable(name);
      return true;
    } catch {
      return false;
    }
  };

  /** As in CloudFormation, an update changes only properties that differ between the templates. */
  const update = (names: ReadonlyMap<string, string>, before: Template, after: Template) => {
    for (const [id, name] of names) {
      const [old, now] = [before, after].map(
        (template) => template.get(id)?.Properties.DeletionProtectionEnabled,
      );
      if (now !== undefined && old !== now) cloud.tables.set(name, { isProtected: now });
    }
  };

  const deleteStack = () => {
    if (cloud.stack === undefined) return;
    const { isProtected, template, names } = cloud.stack;
    if (isProtected) {
      throw new Error(
        `Stack [${stackName}] cannot be deleted while TerminationProtection is enabled`,
      );
    }
    for (const [id, name] of names) {
      if (template.get(id)?.DeletionPolicy === 'Delete') deleteTable(name);
    }
    cloud.stack = undefined;
  };

  const deploy = ({ template, terminationProtection }: Assembly) => {
    if (/^ROLLBACK_/.test(cloud.stack?.status ?? '')) deleteStack();
    const isNew = cloud.stack === undefined;
    const stack: FakeStack = cloud.stack ?? {
      ...{ status: 'REVIEW_IN_PROGRESS', isProtected: false, template: new Map() },
      names: new Map(),
    };
    const { template: before } = stack;
    cloud.stack = stack;
    // `cdk deploy` sets this before it executes the change set.
    stack.isProtected = terminationProtection;
    update(stack.names, before, template);
    const added = [...template].filter(([id]) => !stack.names.has(id));
    for (const [id, table] of added) stack.names.set(id, createTable(id, table));

    if (cloud.fails !== undefined) {
      update(stack.names, template, before);
      const left = added.filter(([id, { DeletionPolicy }]) => {
        const name = stack.names.get(id) ?? '';
        stack.names.delete(id);
        return DeletionPolicy !== 'Retain' && !isDeletable(name);
      });
      // The clean-up after a failed update skips resources that it cannot delete.
      const outcome = isNew && left.length > 0 ? 'ROLLBACK_FAILED' : 'ROLLBACK_COMPLETE';
      stack.status = isNew ? outcome : `UPDATE_${outcome}`;
      throw new Error(cloud.fails);
    }

    const removed = [...stack.names].filter(([id]) => !template.has(id));
    for (const [id, name] of removed) {
      if (before.get(id)?.DeletionPolicy === 'Delete') deleteTable(name);
      stack.names.delete(id);
    }
    stack.status = isNew ? 'CREATE_COMPLETE' : 'UPDATE_COMPLETE';
    stack.template = template;
  };

  return Object.assign(cloud, {
    deploy,
    /** The table that the stack created, once its deployment has succeeded. */
    ownTable: (): StackTable | undefined => {
      const { stack } = cloud;
      const [own] = stack?.names ?? [];
      if (own === undefined || !/^(CREATE|UPDATE)/.test(stack?.status ?? '')) return undefined;
      const isRetained = stack?.template.get(own[0])?.DeletionPolicy !== 'Delete';
      return { name: own[1], isOwn: true, isRetained };
    },
  });
}
