import { GetParameterCommand, GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { expect, it, onTestFinished } from 'vitest';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { createParameterServer } from '#test/support/parameter-server.ts';

const parameters = new Map([['/upstream/key', 'secret']]);

it('the SSM fake returns the parameters that exist, and names the others as invalid', async () => {
  const { read } = await aServer();

  const { Parameters, InvalidParameters } = await read(['/upstream/key', '/other']);

  expect(Parameters?.map(({ Name, Value }) => [Name, Value])).toEqual([
    ['/upstream/key', 'secret'],
  ]);
  expect(InvalidParameters).toEqual(['/other']);
});

it('the SSM fake throttles after 40 reads within a second, until these reads are a second old', async () => {
  const { read, clock } = await aServer();
  for (let reads = 0; reads < 40; reads += 1) await read(['/upstream/key']);

  clock.now += 999;
  await expect(read(['/upstream/key'])).rejects.toMatchObject({ name: 'ThrottlingException' });
  clock.now += 1;
  expect((await read(['/upstream/key'])).Parameters).toHaveLength(1);
});

it.each([
  ['no name', []],
  ['eleven names', Array.from({ length: 11 }, (_, index) => `/${index}`)],
  ['the same name twice', ['/upstream/key', '/upstream/key']],
])('the SSM fake rejects a read of %s', async (_what, names) => {
  const { read } = await aServer();

  await expect(read(names)).rejects.toMatchObject({ name: 'ValidationException' });
});

it('the SSM fake rejects every operation except GetParameters', async () => {
  const { ssm } = await aServer();

  await expect(
    ssm.send(new GetParameterCommand({ Name: '/upstream/key', WithDecryption: true })),
  ).rejects.toMatchObject({ name: 'UnknownOperationException' });
});

async function aServer() {
  const clock = { now: 0 };
  const server = createParameterServer(parameters, () => clock.now);
  const ssm = new SSMClient({
    region: 'us-east-1',
    endpoint: await listen(server),
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  onTestFinished(async () => {
    ssm.destroy();
    await closeServer(server);
  });
  const read = (Names: string[]) =>
    ssm.send(new GetParametersCommand({ Names, WithDecryption: true }));
  return { ssm, read, clock };
}
