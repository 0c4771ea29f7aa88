import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOcr, type OcrOptions } from '../../../src/parse/ocr/ocr.ts'
import { makePdf } from '../../support/make-documents.ts'
import { greyPng } from '../../support/make-pictures.ts'
import { isRunning } from '../../support/processes.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/until.ts'
import { openBench } from './harness.ts'
import { warningCode } from '../../support/codes.ts'
import { visibleTo } from '../../support/visible.ts'

const SCAN = [[{ text: 'The first page is print.' }], [], []]
const RECOGNISED = [[{ text: 'Not what was printed.' }], [{ text: 'Handwriting on the second.' }], []]

/** A bench whose OCR program is this script. Its arguments are `{input}` and `{output}`. */
async function benchWith(script: string, options: Partial<OcrOptions> = {}) {
  const folder = await tempFolder()
  const program = join(folder, 'fake-ocr.mjs')
  await writeFile(program, `import * as fs from 'node:fs'\nconst [, , input, output] = process.argv\n${script}`)
  await writeFile(join(folder, 'recognised.pdf'), await makePdf(RECOGNISED))
  const work = join(folder, 'ocr')
  const ocr = await createOcr({
    command: [process.execPath, program, '{input}', '{output}'],
    folder: work,
    limitMs: 60_000,
    maxBytes: 1e6,
    ...options,
  })
  const bench = await openBench({ ocr })
  return { ...bench, own: folder, left: () => (existsSync(work) ? readdirSync(work) : []) }
}

test('takes pages without text from the PDF that the program writes, and keeps the other pages and the original', async () => {
  const bench = await benchWith(
    `fs.copyFileSync(new URL('recognised.pdf', import.meta.url), output); fs.writeFileSync(input, 'spoiled')`,
  )
  const scan = await makePdf(SCAN)
  const document = await bench.ingested('scan.pdf', scan)
  expect(document).toMatchObject({ status: 'ready', pageCount: 3, health: { pagesWithText: 2, pagesWithoutText: 1 } })
  expect(document.parse).toMatchObject({ engine: 'pdfium', ocr: { pages: 1, took_ms: expect.any(Number) } })
  expect(document.warnings).toMatchObject([{ code: warningCode('pages_without_text'), page: 3 }])
  const pages = await bench.records.documents.pages(await visibleTo(bench.records, bench.owner.id), document.id)
  expect(pages?.map(({ text }) => text)).toEqual(['The first page is print.', 'Handwriting on the second.', ''])
  expect(await bench.found('handwriting')).toEqual(['scan.pdf'])
  expect(await bench.blobs.withFile(document.sha256, (file) => readFile(file))).toEqual(scan)
  expect(bench.left()).toEqual([])
})

test('does not run the program when all pages have text', async () => {
  const bench = await benchWith(`process.exit(1)`)
  expect((await bench.ingested('print.pdf', await makePdf([SCAN[0]!]))).warnings).toEqual([])
})

test.each([
  [
    'ends with an error',
    `console.error('first line'); console.error('no language data'); process.exit(3)`,
    /ended with 3: no language data/,
  ],
  ['writes nothing', '', /wrote no file/],
  ['writes no PDF', `fs.writeFileSync(output, '%PDF-nonsense')`, /the PDF that the program wrote at \{output\} cannot be read/],
  ['writes too much', `fs.writeFileSync(output, Buffer.alloc(2e6))`, /more than 1000000 bytes, the limit/],
  ['writes without end', `for (;;) fs.appendFileSync(output, Buffer.alloc(1e6))`, /more than 1000000 bytes, the limit/],
  ['writes other pages', `fs.copyFileSync(new URL('short.pdf', import.meta.url), output)`, /1 pages, but the document has 3/],
])('a document gets a warning when the program %s', async (_what, script, why) => {
  const bench = await benchWith(script)
  await writeFile(join(bench.own, 'short.pdf'), await makePdf([[{ text: 'One page.' }]]))
  const document = await bench.ingested('scan.pdf', await makePdf(SCAN))
  expect(document.status).toBe('ready')
  expect(document.warnings).toMatchObject([
    {
      code: warningCode('pages_without_text'),
      message: '2 of 3 pages have no text (pages 2–3). They are empty, or pictures that need OCR.',
    },
    { code: warningCode('ocr_failed'), message: expect.stringMatching(why) },
  ])
  expect(await bench.found('print')).toEqual(['scan.pdf'])
  expect(bench.left()).toEqual([])
})

test('a document gets a warning when the program is not installed', async () => {
  const bench = await benchWith('', { command: ['/nonexistent/ocr', '{input}', '{output}'] })
  const { status, warnings } = await bench.ingested('scan.pdf', await makePdf(SCAN))
  expect([status, warnings.at(-1)?.message]).toEqual([
    'ready',
    expect.stringContaining('ocr could not be started: it is not installed, or not on the PATH of the daemon'),
  ])
})

test('with a program set, the warning of a scan says that it failed or found nothing, and not how to set one', async () => {
  const scan = await makePdf([[], []])
  const failed = (await (await benchWith('process.exit(1)')).ingested('scan.pdf', scan)).warnings
  const blank = (await (await benchWith('fs.copyFileSync(input, output)')).ingested('scan.pdf', scan)).warnings
  expect(failed.map(({ code }) => code)).toEqual(['no_text', 'ocr_failed'])
  expect(failed[0]?.message).toMatch(/no text and needs OCR/)
  expect(blank).toMatchObject([{ code: warningCode('no_text'), message: expect.stringMatching(/OCR found none/) }])
  expect([failed[0]?.message, blank[0]?.message].join()).not.toContain('parse.ocr_command')
})

/** Starts another process, writes the ids of both to a file, and never ends. */
const ENDLESS = `import { spawn } from 'node:child_process'
const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
fs.writeFileSync(new URL('pids', import.meta.url), process.pid + ' ' + helper.pid + ' ')
setInterval(() => {}, 1000)`

const pidsOf = (folder: string): Promise<number[]> =>
  until('the program to run', async () => {
    const told = existsSync(join(folder, 'pids')) ? await readFile(join(folder, 'pids'), 'utf8') : ''
    return told.endsWith(' ') && told.trim().split(' ').map(Number)
  })

test('kills a program that takes too long, with every process it started', async () => {
  const bench = await benchWith(ENDLESS, { limitMs: 3_000 })
  const document = await bench.ingested('scan.pdf', await makePdf(SCAN))
  expect(document.warnings.at(-1)).toMatchObject({
    code: warningCode('ocr_failed'),
    message: expect.stringContaining('more than 3 s'),
  })
  const pids = await pidsOf(bench.own)
  await until('both to be gone', () => !pids.some(isRunning))
  expect(bench.left()).toEqual([])
})

// Only Linux can find a process that has left its group.
test.runIf(process.platform === 'linux')("kills a process that left the program's group, and does not wait for it", async () => {
  const bench = await benchWith(`import { spawn } from 'node:child_process'
const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: ['ignore', 'ignore', 'inherit'] })
fs.writeFileSync(new URL('pids', import.meta.url), helper.pid + ' ')
fs.copyFileSync(new URL('recognised.pdf', import.meta.url), output)
process.exit()`)
  const document = await bench.ingested('scan.pdf', await makePdf(SCAN))
  expect(document.parse).toMatchObject({ ocr: { pages: 1 } })
  const pids = await pidsOf(bench.own)
  await until('it to be gone', () => !pids.some(isRunning))
  expect(bench.left()).toEqual([])
})

test('reads other documents while the program runs, and a stop kills it and queues the document again', async () => {
  const bench = await benchWith(ENDLESS)
  const { document } = await bench.upload('scan.pdf', await makePdf(SCAN))
  const pids = await pidsOf(bench.own)
  const others = await Promise.all(Array.from({ length: 5 }, (_, i) => bench.ingested(`${i}.txt`, `Text number ${i}.`)))
  expect(others.map(({ status }) => status)).toEqual(Array(5).fill('ready'))
  await bench.ingest.stop(2_000)
  await until('both to be gone', () => !pids.some(isRunning))
  expect((await bench.row(document.id)).status).toBe('queued')
  expect(bench.left()).toEqual([])
})

test('a picture reaches the program as a PDF, and its pages have the text that the program finds', async () => {
  const bench = await benchWith(
    `if (fs.readFileSync(input, 'latin1').startsWith('%PDF-')) fs.copyFileSync(new URL('recognised.pdf', import.meta.url), output)`,
  )
  await writeFile(join(bench.own, 'recognised.pdf'), await makePdf([[{ text: 'Handwriting on a photo.' }]]))
  const document = await bench.ingested('photo.png', greyPng(40, 30))
  expect(document).toMatchObject({ mediaType: 'image/png', status: 'ready', pageCount: 1, warnings: [] })
  expect(document.parse).toMatchObject({ engine: 'picture', ocr: { pages: 1 } })
  expect(await bench.found('handwriting')).toEqual(['photo.png'])
  expect(bench.left()).toEqual([])
})

test('an instance without a program refuses pictures, and says what to do', async () => {
  const bench = await openBench()
  const refused = bench.upload('photo.png', greyPng(40, 30))
  await expect(refused).rejects.toMatchObject({
    code: 'unsupported_type',
    message: expect.stringMatching(/picture \(PNG\).*no OCR program.*parse\.ocr_command.*ocrmypdf/),
  })
})

test('owners take turns', async () => {
  const folder = await tempFolder()
  const file = join(folder, 'scan.pdf')
  await writeFile(file, await makePdf(SCAN))
  const copy = `const [, input, output] = process.argv; require('node:fs').copyFileSync(input, output)`
  const command = [process.execPath, '-e', copy, '{input}', '{output}']
  const ocr = await createOcr({ command, folder: join(folder, 'ocr'), limitMs: 60_000, maxBytes: 1e6 })
  const ended: string[] = []
  const { signal } = new AbortController()
  const run = (owner: string, name: string) => ocr.run({ owner, file, signal }, async () => ended.push(name))
  await Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')])
  expect(ended).toEqual(['a1', 'b1', 'a2', 'a3'])
})
