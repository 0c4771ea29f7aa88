import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { visitAs } from '../support/open-browser.ts'
import { until } from '../support/until.ts'

const HOSTILE = [
  '<img src=x onerror=alert(1)>.txt',
  '\u202Etxt.exe.txt',
  `${'n'.repeat(251)}.txt`,
  'line\nbreak.txt',
  'a "quote".txt',
]

describe.skipIf(browserPath === undefined)(`uploading in a browser (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  let files: string
  beforeAll(async () => {
    app = await startTestApp({ limits: { fileBytes: 200_000, requestFiles: 5 } })
    browser = await launchBrowser()
    files = await mkdtemp(join(tmpdir(), 'docsearch-web-upload-'))
    await mkdir(join(files, 'harbour', 'notes', '.git'), { recursive: true })
    await writeFile(join(files, 'harbour', 'heron.txt'), 'The heron stands in the harbour.')
    await writeFile(join(files, 'harbour', 'notes', 'lantern.txt'), 'The lantern burns at night.')
    await writeFile(join(files, 'harbour', 'notes', '.git', 'hidden.txt'), 'Nobody means this file.')
    await writeFile(join(files, 'damaged.pdf'), '%PDF-1.4\nThis is not the rest of a PDF.')
    await writeFile(join(files, 'program.exe'), 'MZ\0\0\0\u0001binary')
    await writeFile(join(files, 'large.txt'), 'x'.repeat(300_000))
    await mkdir(join(files, 'hostile'))
    for (const name of HOSTILE) await writeFile(join(files, 'hostile', name), `Words in ${name.length} characters about badgers.`)
    await mkdir(join(files, 'many'))
    for (let n = 0; n < 60; n++) await writeFile(join(files, 'many', `${n}.txt`), `Number ${n} of the many files.`)
    return async () => {
      await browser.close()
      await app.close()
      await rm(files, { recursive: true })
    }
  })

  const row = (page: Page, name: string) => page.locator('.file').filter({ hasText: name })

  async function paths(project: string): Promise<string[]> {
    const { body } = await app.alice.get<{ documents: { path: string }[] }>(`/api/v1/documents?limit=100&project=${project}`)
    return body.documents.map(({ path }) => path).toSorted()
  }

  /** Drops files and folders of this computer on the view, as the browser does it for a user. */
  async function drop(page: Page, names: string[]): Promise<void> {
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files: names.map((name) => join(files, name)), dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: 200, y: 300, data })
  }

  test('without scripts: files, a new project, and a view that leads to the documents', async () => {
    await visitAs({ app, browser, javaScriptEnabled: false }, '/', async (page) => {
      // The empty instance has one thing to do.
      await page.getByRole('link', { name: 'Upload documents' }).click()
      await page
        .getByLabel('Files', { exact: true })
        .setInputFiles([join(files, 'harbour/heron.txt'), join(files, 'damaged.pdf')])
      await page.getByLabel('Or a new project').fill('Plain')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByRole('heading', { name: 'Your upload' }).waitFor()
      await page.waitForLoadState()
      await until('both files to be done', async () => {
        if ((await page.getByText(/in progress/).count()) === 0) return true
        const loaded = page.waitForEvent('load')
        await page.getByRole('link', { name: 'Reload to see the progress' }).click()
        await loaded
        return false
      })
      expect(await row(page, 'heron.txt').textContent()).toContain('Ready')
      expect(await row(page, 'damaged.pdf').textContent()).toMatch(/Failed.*damaged.*upload the new file/)
      await page.getByRole('link', { name: 'heron.txt' }).click()
      await page.getByRole('heading', { name: 'heron.txt' }).waitFor()
    })
    expect(await paths('Plain')).toEqual(['damaged.pdf', 'heron.txt'])
  })

  test('without scripts: a folder keeps its paths too', async () => {
    await visitAs({ app, browser, javaScriptEnabled: false }, '/upload', async (page) => {
      await page.getByLabel('Folder').setInputFiles(join(files, 'harbour'))
      await page.getByLabel('Or a new project').fill('Plain folder')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByRole('heading', { name: 'Your upload' }).waitFor()
    })
    expect(await paths('Plain folder')).toEqual(expect.arrayContaining(['harbour/heron.txt', 'harbour/notes/lantern.txt']))
  })

  test('without scripts: more files than fit into a request are refused with advice, and nothing is stored', async () => {
    await visitAs({ app, browser, javaScriptEnabled: false }, '/upload', async (page, said) => {
      await page.getByLabel('Folder').setInputFiles(join(files, 'many'))
      await page.getByLabel('Or a new project').fill('Refused')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByRole('alert').getByText('Choose at most 5 files at a time').waitFor()
      // The browser mentions the status.
      expect(said.splice(0)).toEqual([expect.stringContaining('413')])
    })
    expect((await app.alice.get('/api/v1/documents?project=Refused')).status).toBe(404)
  })

  test('a row for each file goes from sending to ready, or says why it failed, without a reload', async () => {
    await visitAs({ app, browser }, '/upload', async (page) => {
      await page
        .getByLabel('Files', { exact: true })
        .setInputFiles(['harbour/heron.txt', 'damaged.pdf', 'program.exe', 'large.txt'].map((name) => join(files, name)))
      await page.getByLabel('Or a new project').fill('Rows')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await row(page, 'heron.txt').getByText('Ready').waitFor()
      await row(page, 'damaged.pdf').getByText('Failed').waitFor()
      expect(await row(page, 'damaged.pdf').textContent()).toMatch(/upload the new file/)
      expect(await row(page, 'program.exe').textContent()).toMatch(/Not accepted.*docsearch reads only/)
      expect(await row(page, 'large.txt').textContent()).toMatch(/larger than the limit/)
      await page.getByRole('status').getByText('1 of 4 ready, 3 failed').waitFor()
      expect(new URL(page.url()).pathname).toBe('/upload')
      expect(await row(page, 'heron.txt').getByRole('link').getAttribute('href')).toMatch(/^\/documents\/doc_/)
    })
    expect(await paths('Rows')).toEqual(['damaged.pdf', 'heron.txt'])
  })

  test('a folder keeps its paths, and hidden files stay where they are', async () => {
    await visitAs({ app, browser }, '/upload', async (page) => {
      await page.getByLabel('Folder').setInputFiles(join(files, 'harbour'))
      await page.getByLabel('Or a new project').fill('Folder')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByText('2 of 2 ready').first().waitFor()
    })
    expect(await paths('Folder')).toEqual(['harbour/heron.txt', 'harbour/notes/lantern.txt'])
  })

  test('files and folders can be dropped, many at a time', async () => {
    await visitAs({ app, browser }, '/upload', async (page) => {
      await page.getByLabel('Or a new project').fill('Dropped')
      await drop(page, ['many', 'harbour', 'program.exe'])
      await page.getByText('62 of 63 ready, 1 failed').first().waitFor()
      expect(await page.locator('.file').first().textContent()).toContain('program.exe')
      await page.getByRole('link', { name: 'Search your documents' }).waitFor()
    })
    expect(await paths('Dropped')).toHaveLength(62)
    expect(await paths('Dropped')).toEqual(expect.arrayContaining(['many/59.txt', 'harbour/notes/lantern.txt']))
  })

  test('files dropped on the documents or on a project lead to the upload', async () => {
    const { body } = await app.alice.post<{ id: string }>('/api/v1/projects', { name: 'Target' })
    await visitAs({ app, browser }, `/projects/${body.id}`, async (page) => {
      await drop(page, ['harbour'])
      await page.getByText('2 of 2 ready').first().waitFor()
      expect(new URL(page.url()).pathname).toBe('/upload')
      await page.goBack()
      await page.getByRole('heading', { name: 'Target' }).waitFor()
      await page.goto(`${app.url}/documents`)
      await drop(page, ['harbour/heron.txt'])
      await page.getByText('1 of 1 ready').first().waitFor()
    })
    expect(await paths('Target')).toEqual(['harbour/heron.txt', 'harbour/notes/lantern.txt'])
  })

  test('hostile names are text, and change neither the width nor the view', async () => {
    await visitAs({ app, browser, viewport: { width: 360, height: 740 } }, '/upload', async (page) => {
      await page.getByLabel('Or a new project').fill('Hostile')
      await drop(page, ['hostile'])
      await page.getByText('5 of 5 ready').first().waitFor()
      expect(await page.locator('main img').count()).toBe(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    })
    expect(await paths('Hostile')).toEqual([...HOSTILE].map((name) => `hostile/${name.replace('\n', ' ')}`).toSorted())
  })

  test('a request that the instance puts off, or that the network loses, is sent again', async () => {
    await visitAs({ app, browser }, '/upload', async (page, said) => {
      const answers = [
        (route: import('playwright-core').Route) => route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, body: '{}' }),
        (route: import('playwright-core').Route) => route.abort('connectionreset'),
      ]
      await page.route('**/upload', async (route) => {
        const answer = route.request().method() === 'POST' ? answers.shift() : undefined
        await (answer === undefined ? route.continue() : answer(route))
      })
      await page.getByLabel('Or a new project').fill('Again')
      await drop(page, ['harbour'])
      await page.getByText('2 of 2 ready').first().waitFor()
      expect(answers).toEqual([])
      // The browser itself mentions both.
      expect(said.splice(0)).toHaveLength(2)
    })
    expect(await paths('Again')).toEqual(['harbour/heron.txt', 'harbour/notes/lantern.txt'])
  })

  test('leaving while files are sent asks first, and a logout keeps the files for another try', async () => {
    await visitAs({ app, browser }, '/upload', async (page, said) => {
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      await page.route('**/upload', async (route) => {
        if (route.request().method() === 'POST') await held
        await route.continue()
      })
      await drop(page, ['harbour'])
      await row(page, 'heron.txt').getByText('Sending').waitFor()
      const asked = page.waitForEvent('dialog')
      await page.locator('h1').click()
      await page.close({ runBeforeUnload: true })
      const dialog = await asked
      expect(dialog.type()).toBe('beforeunload')
      await dialog.dismiss()
      const cookies = await page.context().cookies()
      await page.context().clearCookies()
      release()
      await row(page, 'heron.txt').getByText('Not sent').waitFor()
      await page.context().addCookies(cookies)
      await page.getByRole('button', { name: 'Send the remaining files again' }).click()
      await page.getByText('2 of 2 ready').first().waitFor()
      // The browser mentions the refused request.
      expect(said.splice(0)).toEqual([expect.stringContaining('401')])
    })
  })
})
