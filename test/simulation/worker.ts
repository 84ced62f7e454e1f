import { parentPort, workerData } from 'node:worker_threads';
import { liveThrough } from './seeds.ts';

/** A thread that lives through its share of the seeds. */
for await (const outcome of liveThrough(workerData)) parentPort?.postMessage(outcome);
