import type axe from 'axe-core'

/** A view in a browser that Playwright or Puppeteer drives. */
export interface View {
  evaluate<R>(work: () => R | Promise<R>): Promise<R>
}

/** Returns the violations that axe-core finds on the page. */
export async function violations(view: View): Promise<string[]> {
  return await view.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
      preload: false,
    })
    return found.violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target, any }) => `${impact} ${id}: ${target.join(' ')} ${any[0]?.message ?? ''}`),
    )
  })
}

/** Returns the elements that make the page scroll sideways. */
export async function overflowing(view: View): Promise<string[]> {
  return await view.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const wide = [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > clientWidth)
    return wide.map((element) => `${element.tagName}.${element.className} ${element.getBoundingClientRect().right}`)
  })
}

/** Runs in the browser. Returns the sum of the layout shifts since the view was opened. */
export async function layoutShift(): Promise<number> {
  return await new Promise((resolve) => {
    let sum = 0
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number }[]) sum += entry.value
    })
    observer.observe({ type: 'layout-shift', buffered: true })
    // Entries that are buffered arrive before the second frame.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
  })
}
