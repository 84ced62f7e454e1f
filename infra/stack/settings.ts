import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { Settings } from './stages.ts';

/** The folder of a checkout that holds the settings of its deployments; they contain no secrets. */
export const SETTINGS_FOLDER = '.floorwatch';

/** The settings of a stage, or undefined if it has none. Invalid settings are rejected by name. */
export function readSettings(folder: string, stage: string): Settings | undefined {
  const file = settingsFile(folder, stage);
  if (!existsSync(file)) return undefined;
  const read = JsonText.pipe(Settings).safeParse(readFileSync(file, 'utf8'));
  if (read.success) return read.data;
  throw new Error(`${file}: ${z.prettifyError(read.error)}`);
}

/** Writes the settings of a stage atomically, so a reader never sees half a file. */
export function writeSettings(folder: string, stage: string, settings: Settings): void {
  const file = settingsFile(folder, stage);
  const written = `${file}.new`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(written, `${JSON.stringify(settings, undefined, 2)}\n`);
  renameSync(written, file);
}

export function removeSettings(folder: string, stage: string): void {
  rmSync(settingsFile(folder, stage), { force: true });
}

export function settingsFile(folder: string, stage: string): string {
  return join(folder, `${stage}.json`);
}
