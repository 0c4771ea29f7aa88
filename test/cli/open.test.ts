import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { runCommand, testFolder } from '../support/cli.ts'
import { answerWith, result, scriptedInstance, uploaded } from '../support/scripted-instance.ts'

describe('--open and open', () => {
  const bytes = Buffer.from('%PDF-1.7 …')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const document = uploaded('doc_1', 'lease.pdf', { media_type: 'application/pdf', sha256, page_count: 9 })
  async function instanceWith(found: object) {
    return scriptedInstance({
      'POST /api/v1/search': answerWith([{ ...result(), ...found }]),
      'GET /api/v1/documents': { documents: [{ ...document, path: 'lease.pdf' }], next_cursor: null },
      'GET /api/v1/documents/doc_1': document,
      'GET /api/v1/documents/doc_1/content': (_: unknown, response: { end(body: Buffer): void }) => response.end(bytes),
    })
  }
  const onPage7 = { chunk: { ...result().chunk, page_start: 7, page_end: 8 } }
  const env = { DOCSEARCH_TOKEN: 'dsk_x' }
  const noViewer = () => Promise.reject(new Error('no PDF viewer is set up'))

  test('open a PDF at the page of the passage, and do not download it twice', async () => {
    const instance = await instanceWith(onPage7)
    const cache = testFolder()
    const open = (...args: string[]) =>
      runCommand([...args, '--server', instance.url], { env: { ...env, XDG_CACHE_HOME: cache } })
    const found = await open('search', 'rent', '--open', '1')
    expect(found).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/lease\.pdf:7\n$/) })
    expect(found.opened).toEqual([expect.stringMatching(/lease\.pdf#page=7$/)])
    expect((await open('open', 'lease.pdf', '--page', '3')).opened).toEqual([found.opened[0]!.replace('page=7', 'page=3')])
    expect(instance.requests.filter(({ path }) => path.endsWith('/content'))).toHaveLength(1)
    expect(await open('open', 'lease.pdf', '--page', '10')).toMatchObject({
      code: 2,
      opened: [],
      stderr: expect.stringContaining('lease.pdf has only 9 pages.'),
    })
  })

  test('open the page in the browser when no viewer can', async () => {
    const instance = await instanceWith(onPage7)
    const run = await runCommand(['search', 'rent', '--open', '1', '--server', instance.url], { env, openFile: noViewer })
    expect(run).toMatchObject({ code: 0, opened: [`${instance.url}/documents/doc_1?page=7`] })
    expect(run.stderr).toContain('no PDF viewer is set up')
  })

  test('never open an address of another server', async () => {
    const instance = await instanceWith({ ...onPage7, url: 'https://evil.example/documents/doc_1' })
    const run = await runCommand(['search', 'rent', '--open', '1', '--server', instance.url], { env, openFile: noViewer })
    expect(run.opened).toEqual([`${instance.url}/documents/doc_1?page=7`])
  })

  test('name the file and the address when nothing can be opened', async () => {
    const instance = await instanceWith(onPage7)
    const run = await runCommand(['open', 'lease.pdf', '--page', '2', '--server', instance.url], {
      env,
      openFile: noViewer,
      browser: () => Promise.reject(new Error('no browser')),
    })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('lease.pdf')
    expect(run.stderr).toContain(`${instance.url}/documents/doc_1?page=2`)
  })

  test('--browser opens the page in the browser', async () => {
    const instance = await instanceWith(onPage7)
    const run = await runCommand(['open', 'lease.pdf', '--page', '2', '--browser', '--server', instance.url], { env })
    expect(run).toMatchObject({ code: 0, stdout: `${instance.url}/documents/doc_1?page=2\n` })
    expect(run.opened).toEqual([`${instance.url}/documents/doc_1?page=2`])
  })
})
