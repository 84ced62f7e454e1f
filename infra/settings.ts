import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Settings } from './stages.ts';

/** Where a checkout keeps what its deployments say of themselves; no secret is among it. */
export const SETTINGS_FOLDER = '.floorwatch';

/** The settings of a stage; undefined where none were made. What is wrong in them is named. */
export function readSettings(folder: string, stage: string): Settings | undefined {
  const file = settingsFile(folder, stage);
  if (!existsSync(file)) return undefined;
  const read = Settings.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (read.success) return read.data;
  throw new Error(`${file}: ${z.prettifyError(read.error)}`);
}

function settingsFile(folder: string, stage: string): string {
  return join(folder, `${stage}.json`);
}
