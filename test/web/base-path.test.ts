import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser, messagesOf } from '../support/browser.ts'
import { makePdf } from '../support/make-documents.ts'
import { startPathProxy, type PathProxy } from '../support/path-proxy.ts'
import { PASSWORD } from '../support/web-client.ts'

describe.skipIf(browserPath === undefined)(`an instance below a path of its host (${browserWord})`, () => {
  let app: TestApp
  let proxy: PathProxy
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    proxy = await startPathProxy('/docs', { strips: false })
    app = await startTestApp({ publicUrl: proxy.url })
    proxy.to = app.url
    browser = await launchBrowser()
    folder = await mkdtemp(join(tmpdir(), 'docsearch-base-path-'))
    await writeFile(join(folder, 'heron.txt'), 'The heron stands in the harbour.')
    await writeFile(join(folder, 'lease.pdf'), await makePdf([[{ text: 'The notice period of the lease is three months.' }]]))
    const { records, accounts } = app.backend
    await accounts.setPassword((await records.users.findByEmail('alice@example.org'))!.id, PASSWORD)
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await proxy?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  test('login, upload with progress, search while typing, the page of a PDF, recent searches and logout', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const said = messagesOf(page)
    await page.goto(`${proxy.url}/`)
    await page.getByLabel('Email').fill('alice@example.org')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()

    await page.getByRole('link', { name: 'Upload', exact: true }).click()
    await page.getByLabel('Files', { exact: true }).setInputFiles([join(folder, 'heron.txt'), join(folder, 'lease.pdf')])
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByText('2 of 2 ready').first().waitFor()
    await page.getByRole('link', { name: 'heron.txt' }).first().click()
    await page.getByText('stands in the harbour').first().waitFor()

    await page.getByRole('link', { name: 'docsearch' }).first().click()
    await page.getByLabel('Search for').pressSequentially('heron')
    await page.locator('.result').first().waitFor()
    expect(page.url()).toBe(`${proxy.url}/?q=heron`)
    await page.locator('.result a').first().click()
    await page.waitForURL(`${proxy.url}/documents/**`)
    await page.goto(`${proxy.url}/`)
    await page.getByRole('heading', { name: 'Recent searches' }).waitFor()
    await page.getByRole('link', { name: 'heron', exact: true }).click()
    await page.locator('.result').first().waitFor()

    await page.goto(`${proxy.url}/documents`)
    await page.getByRole('link', { name: 'lease.pdf' }).first().click()
    const image = page.locator('image, img[src*="/pages/"]').first()
    await image.waitFor()
    const address = (await image.getAttribute('href')) ?? (await image.getAttribute('src')) ?? ''
    expect(address).toMatch(/^\/docs\/documents\/.*\/pages\/1\.png/)
    expect((await page.request.get(new URL(address, page.url()).href)).status()).toBe(200)

    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('logged out').first().waitFor()
    expect(new URL(page.url()).pathname).toBe('/docs/logged-out')
    expect([said, proxy.missed.filter((path) => path !== '/favicon.ico')]).toEqual([[], []])
    await context.close()
  })
})
