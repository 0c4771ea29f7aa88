import { execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { constants, getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { DEFAULT_LIMITS, type Limits } from '../../../../src/config/config.ts'
import { FORMATS } from '../../../../src/core/formats.ts'
import { silentLogger } from '../../../../src/core/logger.ts'
import type { Page } from '../../../../src/core/parsed.ts'
import { createParserPool, type ParserPool } from '../../../../src/parse/pool/pool.ts'
import { endlessPdf as loopingPdf, swellingDocx } from '../../../support/hard-files.ts'
import { blanksPdf, endlessPdf, manyPagesPdf } from '../../../support/make-bombs.ts'
import { makePdf } from '../../../support/make-documents.ts'
import { withFile } from '../../../support/parse-file.ts'
import { childrenOf, commandOf, isRunning, statOf } from '../../../support/processes.ts'
import { until } from '../../../support/until.ts'
import { errorCode } from '../../../support/codes.ts'

const PDF = 'application/pdf'
const MiB = 1024 ** 2
const pools: ParserPool[] = []
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

function newPool(limits: Partial<Limits> = {}, workers = 1): ParserPool {
  const pool = createParserPool({ workers, limits: { ...DEFAULT_LIMITS, ...limits }, pdfEngine: 'pdfium', log: silentLogger })
  pools.push(pool)
  return pool
}

/** The pool's parser processes, without the guard of the paused ones. */
function parsers(of = process.pid): number[] {
  return childrenOf(of).filter((pid) => commandOf(pid).includes('parse/worker/main'))
}

const guards = (): number[] => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('kill -CONT'))

const isPaused = (pid: number): boolean => statOf(pid)?.state === 'T'

const good = (): Promise<Buffer> => makePdf([[{ text: 'First page.' }], [{ text: 'Second page.' }]])

async function expectAlive(pool: ParserPool, onPage?: () => void): Promise<void> {
  await withFile(await good(), async (file) => {
    const request = { owner: 'usr_1', file, mediaType: PDF, name: 'good.pdf', ...(onPage === undefined ? {} : { onPage }) }
    expect((await pool.parse(request)).pages).toHaveLength(2)
  })
}

test('delivers each page when it is read, in order, and reuses the process', async () => {
  const pool = newPool()
  await withFile(await good(), async (file) => {
    const seen: [Page, number][] = []
    const parsed = await pool.parse({
      owner: 'usr_1',
      file,
      mediaType: PDF,
      name: 'a.pdf',
      onPage: (page, count) => seen.push([page, count]),
    })
    expect(parsed.pages.map((page) => page.text)).toEqual(['First page.', 'Second page.'])
    expect(seen).toEqual(parsed.pages.map((page) => [page, 2]))
    const before = parsers()
    await expectAlive(pool)
    expect(parsers()).toEqual(before)
  })
})

test('reads many documents with no more processes than workers and an idle one', async () => {
  const pool = newPool({}, 2)
  await withFile(await good(), async (file) => {
    const parsed = await Promise.all(
      Array.from({ length: 12 }, () => pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf' })),
    )
    expect(parsed.map((document) => document.pages.length)).toEqual(Array.from({ length: 12 }, () => 2))
    expect(parsers().length).toBeLessThanOrEqual(3)
  })
})

test('stops an endless document and reads the next one', async () => {
  const pool = newPool({ parseStallMs: 2_000 })
  await withFile('<div>'.repeat(3_000_000), async (file) => {
    await expect(pool.parse({ owner: 'usr_1', file, mediaType: 'text/html', name: 'a.html' })).rejects.toMatchObject({
      code: errorCode('parse_timeout'),
      message: expect.stringContaining('2 s'),
    })
  })
  await expectAlive(pool)
})

test('stops a document at the limit of total time and reads the next one', async () => {
  const pool = newPool({ parseMs: 1_500, parseStallMs: 60_000 })
  await withFile(loopingPdf(), async (file) => {
    await expect(pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf' })).rejects.toMatchObject({
      code: errorCode('parse_timeout'),
      message: expect.stringMatching(/more than 1\.5 s.*limits\.parse_ms/),
    })
  })
  await expectAlive(pool)
})

test('stops a document at the limit of memory and reads the next one', async () => {
  const pool = newPool({ parseMemoryBytes: 300 * MiB })
  await withFile(blanksPdf(700), async (file) => {
    await expect(pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf' })).rejects.toMatchObject({
      code: errorCode('parse_memory'),
      message: expect.stringContaining('300 MiB'),
    })
  })
  await expectAlive(pool)
})

test('ends a process that still uses much memory after a document, so that the next document has enough', async () => {
  const pool = newPool({ parseMemoryBytes: 700 * MiB })
  const [first] = parsers()
  const parse = (bytes: Buffer, mediaType: string): Promise<unknown> =>
    withFile(bytes, (file) => pool.parse({ owner: 'usr_1', file, mediaType, name: 'a' }))
  // PDFium keeps the 500 MiB that it needs for this page.
  await parse(blanksPdf(250), PDF)
  // Needs 200 MiB.
  await parse(swellingDocx(45), FORMATS.docx.mediaType)
  await until('the first process to end', () => !isRunning(first!))
})

test('keeps a process for hundreds of documents, but not for ever', async () => {
  const pool = newPool()
  const [first] = parsers()
  await withFile('A line.', async (file) => {
    const parse = (): Promise<unknown> => pool.parse({ owner: 'usr_1', file, mediaType: 'text/plain', name: 'a.txt' })
    for (let i = 0; i < 500; i++) await parse()
    expect(isRunning(first!)).toBe(true)
    for (let i = 0; i < 500; i++) await parse()
    await until('the process to end', () => !isRunning(first!))
  })
})

test('refuses too many pages and too much text, and names the limit', async () => {
  const pool = newPool({ pages: 100, textBytes: 100 })
  await withFile(manyPagesPdf(101), async (file) => {
    await expect(pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf' })).rejects.toMatchObject({
      code: errorCode('too_many_pages'),
      message: expect.stringMatching(/101 .*100/),
    })
  })
  await withFile('word '.repeat(30), async (file) => {
    await expect(pool.parse({ owner: 'usr_1', file, mediaType: 'text/plain', name: 'a.txt' })).rejects.toMatchObject({
      code: errorCode('too_much_text'),
    })
  })
})

test('fails only the document whose process is killed', async () => {
  const pool = newPool()
  await withFile(endlessPdf(), async (file) => {
    const parsing = pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf' })
    const [pid] = await until('a parser', () => parsers().length > 0 && parsers())
    process.kill(pid!, 'SIGKILL')
    await expect(parsing).rejects.toMatchObject({ code: errorCode('parser_crashed') })
  })
  await expectAlive(pool)
})

test('keeps the pages of a document that is stopped in the middle, with a warning', async () => {
  const pool = newPool({ parseStallMs: 2_000 })
  await withFile(endlessPdf({ goodPages: 9 }), async (file) => {
    const parsed = await pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf' })
    expect(parsed.pages.map((page) => page.text)).toEqual(Array.from({ length: 9 }, (_, i) => `Good page ${i + 1}`))
    expect(parsed.pageCount).toBe(10)
    expect(parsed.warnings).toMatchObject([
      {
        code: expect.stringMatching(/^parse_(timeout|memory)$/),
        message: expect.stringContaining('first 9 of 10 pages'),
        page: 10,
      },
    ])
  })
})

test.each([
  { what: 'loops', paused: false },
  { what: 'is paused', paused: true },
])('no process outlives a killed daemon, even if its parser $what', async ({ paused }) => {
  if (paused && process.platform === 'win32') return
  await withFile(loopingPdf(), (file) =>
    withFile(Buffer.from('A line.'), async (text) => {
      const source = `
        import { createParserPool } from '${new URL('../../../../src/parse/pool/pool.ts', import.meta.url).href}'
        import { DEFAULT_LIMITS } from '${new URL('../../../../src/config/config.ts', import.meta.url).href}'
        import { silentLogger } from '${new URL('../../../../src/core/logger.ts', import.meta.url).href}'
        const pool = createParserPool({ workers: 1, limits: { ...DEFAULT_LIMITS, parseMs: 600_000, parseStallMs: 600_000 }, pdfEngine: 'pdfium', log: silentLogger })
        void pool.parse({ owner: 'usr_1', file: ${JSON.stringify(file)}, mediaType: '${PDF}', name: 'a.pdf' })
        while (${paused}) await pool.parse({ owner: 'usr_1', file: ${JSON.stringify(text)}, mediaType: 'text/plain', name: 'a.txt' })`
      const daemon = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], { stdio: 'ignore' })
      let children: number[]
      try {
        await until('its parser', () => parsers(daemon.pid).some((pid) => isPaused(pid) === paused))
        children = childrenOf(daemon.pid!)
      } finally {
        daemon.kill('SIGKILL')
      }
      await until('all that it started to end', () => !children.some(isRunning))
    }),
  )
})

test('an aborted document frees its slot, whether it waits or runs', async () => {
  const pool = newPool()
  await withFile(endlessPdf(), async (file) => {
    const first = new AbortController()
    const second = new AbortController()
    const running = pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf', signal: first.signal })
    const waiting = pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'b.pdf', signal: second.signal })
    second.abort(new Error('second'))
    await expect(waiting).rejects.toThrow('second')
    first.abort(new Error('first'))
    await expect(running).rejects.toThrow('first')
  })
  await expectAlive(pool)
})

test('preflight refuses only a PDF with a password', async () => {
  const pool = newPool()
  const check = (bytes: Buffer, mediaType = PDF): Promise<void> =>
    withFile(bytes, (file) => pool.preflight({ owner: 'usr_1', file, mediaType, name: 'a' }))
  await expect(check(await makePdf([[{ text: 'x' }]], { password: 'secret' }))).rejects.toMatchObject({
    code: errorCode('encrypted'),
  })
  await check(await makePdf([[{ text: 'x' }]], { ownerPassword: 'secret' }))
  await check(Buffer.from('%PDF-1.7 /Encrypt and nothing else'))
  await check(Buffer.from('/Encrypt'), 'text/plain')
  await check(await good())
})

test('closing ends every process and rejects its document', async () => {
  const pool = newPool()
  await withFile(endlessPdf(), async (file) => {
    const parsing = pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf' })
    const ended = expect(parsing).rejects.toMatchObject({ code: errorCode('parser_crashed') })
    const pids = await until('a parser', () => parsers().length > 0 && parsers())
    await pool.close()
    await ended
    expect(pids.filter(isRunning)).toEqual([])
    expect(guards()).toEqual([])
    await expect(pool.parse({ owner: 'usr_1', file, mediaType: PDF, name: 'a.pdf' })).rejects.toMatchObject({
      code: errorCode('parser_crashed'),
    })
  })
})

test.runIf(process.platform === 'linux')("a parser process doesn't see the daemon's environment", async () => {
  process.env['DOCSEARCH_SECRET_OF_THE_TEST'] = 'hidden'
  try {
    const pool = newPool()
    await expectAlive(pool)
    const environment = await readFile(`/proc/${parsers()[0]}/environ`, 'utf8')
    expect(environment).not.toContain('hidden')
  } finally {
    delete process.env['DOCSEARCH_SECRET_OF_THE_TEST']
  }
})

test('a parser process comes after the daemon when both want a processor', async () => {
  newPool()
  const [pid] = await until('a parser', () => parsers().length > 0 && parsers())
  expect(getPriority(pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL)
})

test('closing resolves in a process with nothing else to do, in whatever order Node reports the exits', () => {
  const preload = new URL('../../../support/late-exit.mjs', import.meta.url).href
  const script = new URL('../../../support/close-pool.ts', import.meta.url)
  expect(execFileSync(process.execPath, ['--import', preload, fileURLToPath(script)], { encoding: 'utf8' })).toBe('closed\n')
})

test('an endless document does not hold up the others, even with one worker', async () => {
  const pool = newPool()
  // A guard that starts later would hold up the daemon.
  const guard = process.platform === 'win32' ? [] : await until('one guard', () => guards().length === 1 && guards())
  await withFile(loopingPdf(), async (endless) => {
    const stop = new AbortController()
    const never = pool.parse({ owner: 'usr_1', file: endless, mediaType: PDF, name: 'endless.pdf', signal: stop.signal })
    never.catch(() => {})
    for (let i = 0; i < 3; i++) await expectAlive(pool)
    await until('it to pause for the others', async () => {
      let wasPaused = process.platform === 'win32'
      await expectAlive(pool, () => {
        wasPaused ||= parsers().some(isPaused)
      })
      return wasPaused
    })
    await until('it to resume', () => !parsers().some(isPaused))
    expect(guards()).toEqual(guard)
    stop.abort(new Error('enough'))
    await expect(never).rejects.toThrow('enough')
    // The slot that it gave away is free again.
    await expectAlive(pool)
    await until('its process to be gone', () => parsers().length <= 2)
  })
})
