import { parentPort, workerData } from 'node:worker_threads';
import { liveThrough } from './seeds.ts';

/** Runs a share of the seeds in a worker thread. */
for await (const outcome of liveThrough(workerData)) parentPort?.postMessage(outcome);
