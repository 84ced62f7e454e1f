import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { promisify } from 'node:util';
import {
  type Browser,
  type BrowserContext,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import * as z from 'zod';

const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache');

/** The browser that `CHROMIUM` names, or the one from an npm package. */
export async function openBrowser(): Promise<Browser> {
  // biome-ignore lint/style/noProcessEnv: the available browser depends on the machine
  const executablePath = env.CHROMIUM ?? (await unpacked());
  // The package's own arguments draw with an emulated GPU, which costs half of all processor time.
  const args = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'];
  return await playwright.launch({ executablePath, args, headless: true });
}

/**
 * The browser of the package, unpacked once. Test files run concurrently, so the browser gets its
 * final name only when it is complete.
 */
async function unpacked(): Promise<string> {
  const { version } = Manifest.parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));
  const home = join(CACHE, `chromium-${version}`);
  const executable = join(home, 'chromium');
  if (existsSync(executable)) return executable;
  mkdirSync(CACHE, { recursive: true });
  const begun = mkdtempSync(`${home}-`);
  // The package unpacks into `TMPDIR`, so it runs in a process with another `TMPDIR`.
  await promisify(execFile)(execPath, ['--input-type=module', '--eval', UNPACK], {
    env: { ...env, TMPDIR: begun },
  });
  try {
    renameSync(begun, home);
  } catch (error) {
    // Another process has unpacked the browser first.
    rmSync(begun, { recursive: true, force: true });
    if (!existsSync(executable)) throw error;
  }
  return executable;
}

const require = createRequire(import.meta.url);
const MANIFEST = join(dirname(require.resolve('@sparticuz/chromium')), '..', 'package.json');
const Manifest = z.object({ version: z.string() });
const UNPACK = "await (await import('@sparticuz/chromium')).default.executablePath();";

type Screen = {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** Whether the screen is a touch screen. */
  readonly hasTouch?: boolean;
  /**
   * Whether the console may install its service worker, which then answers instead of the stack.
   */
  readonly isApp?: boolean;
};

/**
 * Milliseconds that an action may take. On a machine that also runs other checks, a page has taken
 * more than the usual 30 seconds.
 */
const TIMEOUT = 120_000;

/** A fresh visitor without stored data. `troubles` lists errors of the page. */
export async function openPage(
  browser: Browser,
  { width = 1200, height = 860, theme = 'light', hasTouch = false, isApp = false }: Screen = {},
): Promise<{
  readonly page: Page;
  readonly context: BrowserContext;
  readonly troubles: readonly string[];
}> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch,
    serviceWorkers: isApp ? 'allow' : 'block',
    // The default is the POSIX locale, which date formatters do not support.
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    // The stack waits three seconds for a picture and then returns 404, also on a machine that is
    // busy with other checks. The page then shows initials.
    const isLatePicture = url.endsWith('/picture') && message.text().includes('404');
    if (!isLatePicture) troubles.push(`${message.text()} (${url})`);
  });
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    if (origin !== new URL(page.url()).origin && !request.url().startsWith('data:')) {
      if (page.url() !== 'about:blank') troubles.push(`asked ${origin}`);
    }
  });
  return { page, context, troubles };
}
