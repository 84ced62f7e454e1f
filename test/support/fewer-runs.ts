import fc from 'fast-check';
import { runsOf } from './extent.ts';

/** The number of runs of all property tests that do not set one themselves. */
fc.configureGlobal(runsOf(100));
