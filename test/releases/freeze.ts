import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as z from 'zod';
import { folderOf, frozenReleases, schemasOfToday } from './goldens.ts';
import { itemsOfToday } from './items-of-today.ts';
import { tags } from './tags.ts';

/*
 * Freezes the items and schemas of today's code as those of the version in package.json. The last
 * tagged release is kept as well, because upgrades and rollbacks lead from one to the other.
 */

const PACKAGE = join(import.meta.dirname, '..', '..', 'package.json');
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(PACKAGE, 'utf8')));

const released = tags();
if (released.includes(`v${version}`)) {
  process.stderr.write(`v${version} is already released: raise the version first\n`);
  process.exit(2);
}
const kept = new Set([version, released.at(-1)?.slice(1)]);
for (const { version: other } of frozenReleases()) {
  if (!kept.has(other)) rmSync(folderOf(other), { recursive: true });
}
mkdirSync(folderOf(version), { recursive: true });
const files = { 'items.json': await itemsOfToday(), 'schemas.json': schemasOfToday() };
for (const [name, content] of Object.entries(files)) {
  writeFileSync(join(folderOf(version), name), `${JSON.stringify(content, null, 2)}\n`);
}
execFileSync('npx', ['biome', 'check', '--write', folderOf(version)], { stdio: 'inherit' });
