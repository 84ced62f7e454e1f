import { env } from 'node:process';
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type Page,
  chromium as playwright,
} from 'playwright-core';

/** A browser: the one that `CHROMIUM` names, or the one that a package brings along. */
export async function openBrowser(): Promise<Browser> {
  // biome-ignore lint/style/noProcessEnv: which browser there is is the machine's
  const executablePath = env.CHROMIUM ?? (await chromium.executablePath());
  // In a single process the browser ends with its first visitor.
  const args = chromium.args.filter((arg) => arg !== '--single-process');
  return await playwright.launch({ executablePath, args, headless: true });
}

type Screen = {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
};

/** A fresh visitor: nothing is stored, and what goes wrong on the page is kept. */
export async function openPage(
  browser: Browser,
  { width = 1200, height = 860, theme = 'light' }: Screen = {},
): Promise<{
  readonly page: Page;
  readonly context: BrowserContext;
  readonly troubles: readonly string[];
}> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    // Without one it has that of POSIX, which no formatter of dates knows.
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    if (origin !== new URL(page.url()).origin && !request.url().startsWith('data:')) {
      if (page.url() !== 'about:blank') troubles.push(`asked ${origin}`);
    }
  });
  return { page, context, troubles };
}
