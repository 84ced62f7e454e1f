import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CloudFormationClient,
  GetTemplateCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import {
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { readRoutes } from '#test/support/routes.ts';
import { Template } from '#test/support/template.ts';
import type { createCloud } from './cloud.ts';
import { step } from './steps.ts';

const EventSource = z.object({
  BatchSize: z.number(),
  EventSourceArn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  FunctionName: z.object({ Ref: z.string() }),
  FunctionResponseTypes: z.array(z.string()).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
});

const Served = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
});

type Wiring = {
  readonly cloud: ReturnType<typeof createCloud>;
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  readonly stackName: string;
  readonly api: string;
  /** The base URL of the API. */
  readonly base: string;
  readonly key: string;
};

/** Checks how the deployed functions are connected: their routes, variables and event sources. */
export async function checkWiring(given: Wiring): Promise<void> {
  const { cloud, client, stackName, api, base, key } = given;
  const lambda = new LambdaClient(client);
  const stack = await readDeployed(new CloudFormationClient(client), stackName);
  const functions = stack.resourcesOf('AWS::Lambda::Function').map(({ id, Metadata }) => ({
    name: stack.nameOf(id),
    folder: String(Metadata['floorwatch:folder']),
  }));
  const routes = await readRoutes();

  await step('every route of the gateway invokes the function that has the route', async () => {
    const integrations = await cloud.integrationsOf(api);
    for (const { folder, method, path } of routes) {
      const { name } = functions.find((one) => one.folder === folder) ?? {};
      for (const one of method === 'GET' ? [method, 'HEAD'] : [method]) {
        const uri = integrations.get(`${one} ${path}`) ?? '';
        assert.ok(uri.endsWith(`:function:${name}/invocations`), `${one} ${path}: ${uri}`);
      }
    }
  });
  await step('every route is answered by its function, as the document says', async () => {
    const ask = async (method: string, path: string) => {
      const options = { method, headers: { 'x-api-key': key }, redirect: 'manual' as const };
      const answer = await fetch(`${base}${path}`, options);
      const text = await answer.text();
      // Only the gateway's own answers have this header; their bodies look like those of functions.
      const isOurs =
        !answer.headers.has('x-amzn-errortype') &&
        (answer.status < 500 || /"type":"urn:floorwatch:problem:(?!internal)/.test(text));
      return { status: String(answer.status), text, isOurs };
    };
    const { paths } = Served.parse(JSON.parse((await ask('GET', '/v1/openapi.json')).text));
    // Confirms that an answer from the gateway itself is recognized.
    assert.ok(!(await ask('GET', '/v1/none-such')).isOurs);
    for (const { name, method, path } of routes) {
      const { status, text, isOurs } = await ask(method, path.replaceAll(/\{\w+\}/g, 'none-such'));
      const documented = paths[path]?.[method.toLowerCase()]?.responses ?? {};
      assert.ok(isOurs && status in documented, `${name}: ${status} ${text}`);
    }
  });
  await step('every function accepts its environment variables', async () => {
    const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
    assert.ok(functions.length > 0);
    for (const { name, folder } of functions) {
      const schema = await environmentSchemaOf(folder);
      const found = Functions.find(({ FunctionName }) => FunctionName === name);
      const read = schema.safeParse(found?.Environment?.Variables);
      assert.ok(read.success, `${folder}: ${read.error?.message}`);
    }
  });
  await step('every consumed queue has its event source mapping, as in the template', async () => {
    const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
    const deployed = EventSourceMappings.map((one) => ({
      ...{ queue: afterLast(one.EventSourceArn), consumer: afterLast(one.FunctionArn) },
      ...{ batchSize: one.BatchSize, reports: one.FunctionResponseTypes ?? [] },
      ...{ concurrency: one.ScalingConfig?.MaximumConcurrency, state: one.State },
    }));
    const expected = stack
      .resourcesOf('AWS::Lambda::EventSourceMapping')
      .map(({ Properties }) => EventSource.parse(Properties))
      .map((one) => ({
        queue: afterLast(stack.nameOf(one.EventSourceArn['Fn::GetAtt'][0]), '/'),
        consumer: stack.nameOf(one.FunctionName.Ref),
        ...{ batchSize: one.BatchSize, reports: one.FunctionResponseTypes },
        ...{ concurrency: one.ScalingConfig?.MaximumConcurrency, state: 'Enabled' },
      }));
    const byQueue = (one: { readonly queue: string }, other: { readonly queue: string }) =>
      one.queue < other.queue ? -1 : 1;
    assert.deepEqual(deployed.toSorted(byQueue), expected.toSorted(byQueue));
  });
}

/** The template of a stack, and the physical names of its resources. */
async function readDeployed(client: CloudFormationClient, StackName: string) {
  const { TemplateBody = '' } = await client.send(new GetTemplateCommand({ StackName }));
  const { Resources } = Template.parse(JSON.parse(TemplateBody));
  const names = new Map<string | undefined, string>();
  let NextToken: string | undefined;
  do {
    const page = await client.send(
      new ListStackResourcesCommand({ StackName, ...(NextToken && { NextToken }) }),
    );
    for (const { LogicalResourceId, PhysicalResourceId = '' } of page.StackResourceSummaries ??
      []) {
      names.set(LogicalResourceId, PhysicalResourceId);
    }
    ({ NextToken } = page);
  } while (NextToken !== undefined);
  return {
    resourcesOf: (type: string) =>
      Object.entries(Resources)
        .filter(([, { Type }]) => Type === type)
        .map(([id, resource]) => ({ id, ...resource })),
    nameOf: (id: string): string => {
      const name = names.get(id);
      assert.ok(name, `the stack has no ${id}`);
      return name;
    },
  };
}

async function environmentSchemaOf(folder: string): Promise<z.ZodType> {
  const file = join(import.meta.dirname, '..', '..', '..', 'functions', folder, 'environment.ts');
  const module: object = await import(pathToFileURL(file).href);
  const [schema] = Object.values(module);
  assert.ok(schema instanceof z.ZodType, `${folder} has no schema of its environment`);
  return schema;
}

function afterLast(text = '', separator = ':'): string {
  return text.slice(text.lastIndexOf(separator) + 1);
}
