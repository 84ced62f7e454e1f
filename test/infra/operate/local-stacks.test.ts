import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { announceStack, findLocalStacks } from '#infra/operate/local-stacks.ts';
import { startHttpServer } from '#test/support/http-server.ts';

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it('a local stack is found while it runs', async () => {
  const folder = join(await aFolder(), 'not', 'yet', 'there');
  await using server = await startHttpServer((response) => response.end('{}'));

  const takeBack = await announceStack(server.url, folder);
  expect(await findLocalStacks(folder)).toEqual([server.url]);

  await takeBack();
  expect(await findLocalStacks(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

it('the records of killed local stacks are skipped', async () => {
  const folder = await aFolder();
  await using other = await startHttpServer((response) => response.end('<html>'));
  await writeFile(join(folder, '1'), 'http://127.0.0.1:1');
  await writeFile(join(folder, '2'), other.url);
  await writeFile(join(folder, '3'), 'no address');

  expect(await findLocalStacks(folder)).toEqual([]);
});

it('no local stack is found if none was ever started', async () => {
  expect(await findLocalStacks('/nowhere/at/all')).toEqual([]);
});

it('a local stack starts even if it cannot write its record', async () => {
  const file = join(await aFolder(), 'file');
  await writeFile(file, '');

  const takeBack = await announceStack('http://127.0.0.1:1', join(file, 'stacks'));

  await expect(takeBack()).resolves.toBeUndefined();
});
