import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Copies the renderer of pictures and its font into a folder, under the names that the function
 * reads.
 */
export function writeRenderer(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const wasm = require.resolve('@resvg/resvg-wasm/index_bg.wasm');
  const font = require.resolve('@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf');
  copyFileSync(wasm, join(folder, 'renderer.wasm'));
  copyFileSync(font, join(folder, 'font.ttf'));
}
