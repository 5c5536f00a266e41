import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The violations that axe finds on a page, one line each. `rules`: their ids; by default all. A colour scheme changes
 * colours only, so that `color-contrast` is enough for the second one.
 */
export async function violationsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Half a megabyte to compile, which stays until the page is left.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: {
          resultTypes: string[]
          runOnly?: readonly string[]
        }): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const found = await axe.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) })
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
  }, rules)
}
