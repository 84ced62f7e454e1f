import fc from 'fast-check';
import { runsOf } from './extent.ts';

/** For properties without a number of runs of their own. */
fc.configureGlobal(runsOf(100));
