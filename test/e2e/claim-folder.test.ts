import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimFolder } from '#infra/local/claim-folder.ts';

describe('claiming a folder', () => {
  it('makes it with all that it lies in, and leaves nothing behind when given up', async () => {
    const folder = join(await aFolder(), 'of', 'mine');

    const giveUp = await claimFolder(folder);
    const held = await readFile(join(folder, 'lock'), 'utf8');
    await giveUp();

    expect(held).toBe(`${process.pid}\n`);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is refused while another process holds it, and leaves that one its lock', async () => {
    const folder = await aFolder();
    await writeFile(join(folder, 'lock'), `${process.ppid}\n`);

    await expect(claimFolder(folder)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`--keep ${folder} is in use by process ${process.ppid};`),
    });
    expect(await readFile(join(folder, 'lock'), 'utf8')).toBe(`${process.ppid}\n`);
  });

  it.each([
    { name: 'a process that is gone', holder: () => `${spawnSync('true').pid}\n` },
    { name: 'a process before this one with the same number', holder: () => `${process.pid}\n` },
    { name: 'no process', holder: () => '' },
  ])('takes over the lock of $name', async ({ holder }) => {
    const folder = await aFolder();
    await writeFile(join(folder, 'lock'), holder());

    await claimFolder(folder);

    expect(await readFile(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`);
  });

  it('is refused where a file is in the way', async () => {
    const file = join(await aFolder(), 'file');
    await writeFile(file, '');

    for (const folder of [file, join(file, 'below')]) {
      await expect(claimFolder(folder)).rejects.toThrow(`--keep ${folder} cannot be used: ENOTDIR`);
    }
  });

  it.runIf(existsSync('/proc/self'))('is refused where no folder can be made', async () => {
    await expect(claimFolder('/proc/x/y')).rejects.toThrow(/^--keep \/proc\/x\/y cannot be used: /);
  });
});

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
