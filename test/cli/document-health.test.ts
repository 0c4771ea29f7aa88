import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textWidth } from '../../src/cli/view/width.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import { json, problem, scriptedInstance, uploaded } from '../support/scripted-instance.ts'
import type { Received, Script } from '../support/scripted-instance.ts'
import { errorCode, warningCode } from '../support/codes.ts'

const SCAN = { code: warningCode('no_text'), message: 'The document has no text and needs OCR.' }
const env = { DOCSEARCH_TOKEN: 'dsk_x' }

async function run(args: string[], script: Script, terminal?: number) {
  const instance = await scriptedInstance(script)
  const options = terminal === undefined ? { env } : { env, terminal }
  return { instance, ...(await runCommand([...args, '--server', instance.url], options)) }
}

test('upload --wait ends with a table of failures and warnings', async () => {
  const folder = testFolder()
  for (const name of ['broken.pdf', 'good.txt', 'scan.pdf']) writeFileSync(join(folder, name), name)
  const { code, stderr } = await run(['upload', folder], {
    'POST /api/v1/upload': (_: Received, response: ServerResponse) =>
      json(response, 200, {
        documents: [
          uploaded('doc_b', 'broken.pdf', {
            status: 'failed',
            error: { code: errorCode('corrupt'), message: 'The PDF is damaged.' },
          }),
          uploaded('doc_g', 'good.txt', { status: 'ready' }),
          uploaded('doc_s', 'scan.pdf', { status: 'ready', warnings: [SCAN] }),
        ],
        rejected: [],
      }),
  })
  expect(code).toBe(3)
  expect(stderr).toContain('3 documents, 3 created, 2 ready, 1 failed, 1 with warnings.')
  expect(stderr).toContain(
    'broken.pdf\tcorrupt\tThe PDF is damaged.\nscan.pdf\tno_text\tThe document has no text and needs OCR.\n',
  )
  expect(stderr).not.toContain('good.txt')
})

const LONG =
  'The document has no text and needs OCR, because its pages are pictures (a scan) or empty. Run it through a program for that.'
const NAMES = [
  'reference/a-report-with-a-very-long-name__version-12-final.pdf',
  '契約書/二〇二六年度の長い名前の契約書・第二版・最終版・本当に最終版.pdf',
]

/** Expects that every line fits, no word of `reasons` is broken, and names keep their ends. */
function expectReadable(shown: string, width: number, reasons: string): void {
  for (const line of shown.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(width)
  expect(shown.split(/\s+/)).toEqual(expect.arrayContaining(reasons.split(' ')))
  expect(shown).toContain('final.pdf')
  expect(shown).toContain('最終版.pdf')
}

test('a terminal of 80 columns shows problems in a table with the reasons below each path', async () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'a.pdf'), 'a')
  const documents = [
    uploaded('doc_01h00000000000000000000001', NAMES[0]!, {
      status: 'failed',
      error: { code: errorCode('corrupt'), message: LONG },
    }),
    uploaded('doc_01h00000000000000000000002', NAMES[1]!, {
      status: 'ready',
      warnings: [{ code: warningCode('no_text'), message: LONG }],
    }),
  ]
  const script = {
    'POST /api/v1/upload': (_: Received, response: ServerResponse) => json(response, 200, { documents, rejected: [] }),
    'GET /api/v1/documents': { documents, next_cursor: null },
  }
  const upload = await run(['upload', folder, '--project', 'p', '--no-color'], script, 80)
  const table = upload.stderr.slice(upload.stderr.indexOf('PROBLEM'))
  expect(table).toMatch(/^PROBLEM +PATH\ncorrupt +reference.*\n {4}The document.*\n {4}/)
  expectReadable(table, 80, LONG)
  expectReadable(upload.stdout, 80, 'OUTCOME')
  expectReadable((await run(['documents', 'list', '--no-color'], script, 80)).stdout, 80, LONG)
})

test('documents list --warnings lists documents with warnings and their messages', async () => {
  const { instance, stdout } = await run(['documents', 'list', '--warnings'], {
    'GET /api/v1/documents': {
      documents: [uploaded('doc_s', 'scan.pdf', { status: 'ready', warnings: [SCAN] })],
      next_cursor: null,
    },
  })
  expect(instance.requests[0]?.path).toContain('warnings=true')
  expect(stdout).toContain('scan.pdf\t-\t1\tThe document has no text and needs OCR.')
})

test('documents show says how the document was parsed and what a search may miss', async () => {
  const { stdout } = await run(['documents', 'show', 'doc_01h00000000000000000000000'], {
    'GET /api/v1/documents/doc_01h00000000000000000000000': uploaded('doc_01h00000000000000000000000', 'a.txt', {
      status: 'ready',
      page_count: 4,
      chunk_count: 9,
      warnings: [{ code: warningCode('pages_without_text'), message: '1 of 4 page has no text (3)', page: 3 }],
      health: { pages: 4, pages_with_text: 3, pages_without_text: 1, chunks_skipped: 2 },
      parse: { engine: 'text', encoding: 'koi8-r', confidence: 0.66, took_ms: 12, ocr: { pages: 2, took_ms: 900 } },
    }),
  })
  for (const line of [
    'warning\tpages_without_text, page 3: 1 of 4 page has no text (3)',
    'pages\t4',
    'with text\t3',
    'without text\t1',
    'parsed by\ttext in 12 ms',
    'encoding\tkoi8-r (66 % certain)',
    'OCR\t2 pages in 900 ms',
    'keyword only\t2 passages',
  ])
    expect(stdout.split('\n')).toContain(line)
})

test('documents retry reprocesses failed documents, in a named project if given, and waits for the rate limit', async () => {
  let limited = 0
  const { instance, code, stdout } = await run(['documents', 'retry', '--project', 'contracts'], {
    'GET /api/v1/documents': {
      documents: [uploaded('doc_01h00000000000000000000001', 'a'), uploaded('doc_01h00000000000000000000002', 'b')],
      next_cursor: null,
    },
    'POST /api/v1/documents/doc_01h00000000000000000000001/reprocess': (_: Received, response: ServerResponse) =>
      limited++ === 0
        ? problem(response, 429, errorCode('rate_limited'), 'Too many.', {}, { 'Retry-After': '0' })
        : json(response, 202, uploaded('doc_01h00000000000000000000001', 'a')),
    'POST /api/v1/documents/doc_01h00000000000000000000002/reprocess': uploaded('doc_01h00000000000000000000002', 'b'),
  })
  expect(instance.requests[0]?.path).toMatch(/status=failed.*project=contracts|project=contracts.*status=failed/)
  expect([code, stdout]).toEqual([0, 'doc_01h00000000000000000000001\tqueued\ndoc_01h00000000000000000000002\tqueued\n'])
})

test('documents retry --warnings reprocesses documents with warnings, such as scans after OCR was configured', async () => {
  const { instance, code, stdout } = await run(['documents', 'retry', '--warnings'], {
    'GET /api/v1/documents': { documents: [uploaded('doc_01h00000000000000000000001', 'a')], next_cursor: null },
    'POST /api/v1/documents/doc_01h00000000000000000000001/reprocess': uploaded('doc_01h00000000000000000000001', 'a'),
  })
  expect(instance.requests[0]?.path).toContain('warnings=true')
  expect(instance.requests[0]?.path).not.toContain('status=')
  expect([code, stdout]).toEqual([0, 'doc_01h00000000000000000000001\tqueued\n'])
})

test('documents retry exits with 1 when no document has failed', async () => {
  const { code, stderr } = await run(['documents', 'retry'], { 'GET /api/v1/documents': { documents: [], next_cursor: null } })
  expect([code, stderr]).toEqual([1, 'No failed documents.\n'])
})
