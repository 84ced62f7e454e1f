import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MUTANTS } from './planted-bugs.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

it.each(MUTANTS)(
  'the code contains the lines that the mutant replaces: $name',
  ({ also = [], file, from, to }) => {
    for (const place of [{ file, from, to }, ...also]) {
      const code = readFileSync(join(ROOT, place.file), 'utf8');

      expect(code.split(place.from).length).toBeGreaterThan(1);
      expect(place.to).not.toBe(place.from);
    }
  },
);
