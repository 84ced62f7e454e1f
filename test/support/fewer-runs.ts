import fc from 'fast-check';
import { runsOf } from './extent.ts';

/** Of properties that say no number themselves. */
fc.configureGlobal(runsOf(100));
