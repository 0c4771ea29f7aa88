import { expect } from 'vitest'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { TestApp } from './app.ts'
import { messagesOf } from './browser.ts'
import { PASSWORD } from './web-client.ts'

/**
 * Opens a path in a new browser window of a user who is logged in, and closes the window after `visit`. Expects that the browser has
 * no complaint, for example about a script that the policy forbids. `said` collects what the browser says, and a test may remove a
 * message that it expects.
 */
export async function visitAs(
  {
    app,
    browser,
    email = 'alice@example.org',
    ...options
  }: BrowserContextOptions & {
    app: TestApp
    browser: Browser
    email?: string
  },
  path: string,
  visit: (page: Page, said: string[]) => Promise<void>,
): Promise<void> {
  const { records, accounts } = app.backend
  const user = (await records.users.findByEmail(email))!
  if (!user.hasPassword) await accounts.setPassword(user.id, PASSWORD)
  const { token } = await accounts.startSession(user, { userAgent: 'test', address: '127.0.0.1' })
  const context = await browser.newContext(options)
  try {
    const { port } = new URL(app.url)
    await context.addCookies([{ name: `docsearch_${port}`, value: token, url: app.url, httpOnly: true, sameSite: 'Lax' }])
    const page = await context.newPage()
    const said = messagesOf(page)
    await page.goto(app.url + path)
    await visit(page, said)
    expect(said).toEqual([])
  } finally {
    await context.close()
  }
}
