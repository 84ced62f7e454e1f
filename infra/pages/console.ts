import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { HTML, MANIFEST, type Page, PLAIN, PNG, SCRIPT, STYLES } from './write-site.ts';

const SOURCE = join(import.meta.dirname, '..', '..', 'functions', 'serve-pages', 'console');

/**
 * The console, built from its sources. File names contain hashes, so browsers cache the files; only
 * the page that references them is requested each time.
 */
export function consolePages(): readonly Page[] {
  built ??= build();
  return built;
}

/**
 * Cached, because a build takes a quarter of a second and a process may synthesize several stages.
 */
let built: readonly Page[] | undefined;

function build(): readonly Page[] {
  const { outputFiles, metafile } = buildSync({
    entryPoints: { console: join(SOURCE, 'main.tsx') },
    outdir: SOURCE,
    absWorkingDir: SOURCE,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', target: 'es2022' },
    ...{ metafile: true, write: false, legalComments: 'none', logLevel: 'warning' },
  });
  const { outputs } = metafile;
  const entry = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'main.tsx');
  const script = basename(entry?.[0] ?? '');
  const styles = basename(entry?.[1].cssBundle ?? '');
  // Without preloads a browser would request these files only after it has read the script.
  const preloads = partsOf(outputs, entry?.[0] ?? '').map(
    (part) => `<link rel="modulepreload" href="app/${basename(part)}">`,
  );
  const files = outputFiles.map(({ path, text }) => {
    const name = basename(path);
    const type = extname(name) === '.css' ? STYLES : SCRIPT;
    return { path: `app/${name}`, name, type, text, caching: FOR_EVER };
  });
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replace('{{script}}', script)
    .replace('{{styles}}', styles)
    .replace('{{preloads}}', preloads.join(''));
  return [
    { path: 'app', name: 'index.html', type: HTML, text: page, caching: 'no-cache' },
    ...files,
    serviceWorker([page, ...files.map(({ name }) => name)]),
    manifest(),
    ...icons(),
    ...NOTICES.map(notice),
  ];
}

/**
 * The service worker, which caches the page and these files. It is served below `/app/`, but may
 * control `/app` itself.
 */
function serviceWorker([page, ...files]: readonly string[]): Page {
  const version = createHash('sha256')
    .update(JSON.stringify([page, files]))
    .digest('hex');
  const { outputFiles } = buildSync({
    entryPoints: [join(SOURCE, '..', 'service-worker', 'service-worker.ts')],
    define: { FILES: JSON.stringify(files), VERSION: JSON.stringify(version.slice(0, 16)) },
    ...{ bundle: true, minify: true, format: 'iife', target: 'es2022', write: false },
  });
  const name = 'service-worker.js';
  const text = outputFiles.map((file) => file.text).join('');
  const headers = { 'Service-Worker-Allowed': '../app' };
  return { path: `app/${name}`, name, type: SCRIPT, text, caching: 'no-cache', headers };
}

function manifest(): Page {
  const name = 'manifest.webmanifest';
  const text = readFileSync(join(SOURCE, 'manifest.json'), 'utf8');
  return { path: `app/${name}`, name, type: MANIFEST, text, caching: A_DAY };
}

function icons(): readonly Page[] {
  const folder = join(SOURCE, 'icons');
  return readdirSync(folder).map((name) => {
    const text = readFileSync(join(folder, name), 'base64');
    return { path: `app/${name}`, name, type: PNG, text, isBinary: true, caching: A_DAY };
  });
}

const A_DAY = 'public, max-age=86400';

type Outputs = Metafile['outputs'];

/** The files that a script imports. */
function partsOf(outputs: Outputs, script: string): readonly string[] {
  const parts = (outputs[script]?.imports ?? []).flatMap(({ path, kind }) =>
    kind === 'import-statement' ? [path, ...partsOf(outputs, path)] : [],
  );
  return [...new Set(parts)];
}

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Packages in the console, with their licence files. */
const NOTICES = [
  ['lean-qr', 'LICENSE'],
  ['lightweight-charts', 'LICENSE'],
  ['preact', 'LICENSE'],
  ['@preact/signals', 'LICENSE'],
  ['@preact/signals-core', 'LICENSE'],
] as const;

function notice([module, file]: (typeof NOTICES)[number]): Page {
  const name = `${module.replace(/^@|\//g, '')}-${file}.txt`;
  const folder = dirname(findPackageJSON(module, import.meta.url) ?? '');
  const text = readFileSync(join(folder, file), 'utf8');
  return { path: `app/${name}`, name, type: PLAIN, text, caching: 'public, max-age=300' };
}
