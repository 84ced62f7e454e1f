import { expect, it } from 'vitest';
import { remembered } from '#shared/use-cases/remembered.ts';

const SECONDS = 1000;

function counting() {
  let time = 0;
  let reads = 0;
  let isDown = false;
  const read = async () => {
    if (isDown) throw new Error('down');
    reads += 1;
    return reads;
  };
  return {
    read: remembered(read, 10 * SECONDS, () => time),
    pass: (seconds: number) => {
      time += seconds * SECONDS;
    },
    goDown: () => {
      isDown = true;
    },
    comeBack: () => {
      isDown = false;
    },
  };
}

it('returns a cached value until it is ten seconds old', async () => {
  const { read, pass } = counting();

  const reported = [await read()];
  pass(9);
  reported.push(await read());
  pass(1);
  reported.push(await read());

  expect(reported).toEqual([1, 1, 2]);
});

it('passes the failure of a cached read to its caller without caching it', async () => {
  const { read, goDown, comeBack } = counting();
  goDown();

  await expect(read()).rejects.toThrow('down');
  comeBack();

  expect(await read()).toBe(1);
});
