import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { Ministack } from './ministack.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..', '..');
const CDK = join(ROOT, 'node_modules', '.bin', 'cdk');

const Outputs = z.record(z.string(), z.record(z.string(), z.string()));
const Mappings = z.object({
  EventSourceMappings: z.array(z.object({ UUID: z.string(), EventSourceArn: z.string() })),
});

/** What an operator does with a command line, done to the emulator. */
export function createCloud({ endpoint, environment }: Ministack, folder: string) {
  const env = { ...environment, HOME: folder, CI: 'true' };

  const command = async (file: string, args: readonly string[], cwd = ROOT): Promise<string> => {
    const { stdout } = await run(file, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  };

  /** A call that no client of ours is for; the emulator looks at no signature. */
  const call = async (service: string, method: string, path: string, body: string) => {
    const credential = `test/20260101/${environment.AWS_REGION}/${service}/aws4_request`;
    const answer = await fetch(`${endpoint}${path}`, {
      method,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
      },
      ...(body === '' ? {} : { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  return {
    /** Outside the project's folder: inside it, the project would be synthesized for it. */
    bootstrap: () => command(CDK, ['bootstrap', 'aws://000000000000/us-east-1'], folder),

    /** Deploys a stage with the settings in a folder; the outputs of its stack. */
    deploy: async (stage: string, settings: string) => {
      const outputs = join(folder, 'outputs.json');
      await command(CDK, [
        ...['deploy', '--require-approval', 'never', '--output', join(folder, 'cdk.out')],
        ...['-c', `stage=${stage}`, '-c', `settings=${settings}`, '--outputs-file', outputs],
      ]);
      const read = Outputs.parse(JSON.parse(readFileSync(outputs, 'utf8')));
      return read[`floorwatch-${stage}`] ?? {};
    },

    /** One of our own commands, with JSON lines as its answer. */
    operate: async (script: string, args: readonly string[]): Promise<readonly unknown[]> => {
      const said = await command(process.execPath, [
        join(ROOT, 'infra', 'operate', script),
        ...args,
        '--json',
      ]);
      return said
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line));
    },

    /** Lets a queue's messages be taken from it, or not. */
    feed: async (queueName: string, enabled: boolean) => {
      const listed = await call('lambda', 'GET', '/2015-03-31/event-source-mappings/', '');
      const { EventSourceMappings } = Mappings.parse(JSON.parse(listed.text));
      const found = EventSourceMappings.find(({ EventSourceArn }) =>
        EventSourceArn.endsWith(`:${queueName}`),
      );
      if (found === undefined) throw new Error(`nothing takes messages from ${queueName}`);
      const path = `/2015-03-31/event-source-mappings/${found.UUID}`;
      await call('lambda', 'PUT', path, JSON.stringify({ Enabled: enabled }));
    },

    /** Deletes a stack, and waits until it is gone; its last words if it stays. */
    deleteStack: async (name: string) => {
      const ask = (action: string) =>
        call(
          'cloudformation',
          'POST',
          '/',
          `Action=${action}&StackName=${name}&Version=2010-05-15`,
        );
      await ask('DeleteStack');
      for (let attempt = 0; attempt < 120; attempt += 1) {
        const { status, text } = await ask('DescribeStacks');
        if (status !== 200 || text.includes('<StackStatus>DELETE_COMPLETE<')) return;
        if (text.includes('DELETE_FAILED')) throw new Error(text);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      throw new Error(`${name} was not deleted`);
    },
  };
}
