import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The violations of WCAG 2.2 AA that axe finds on the current page, one per line. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    // Elements that stick to the top of the window cover the elements scrolled below them.
    window.scrollTo(0, 0);
    const { axe: onPage } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await onPage.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  });
}
