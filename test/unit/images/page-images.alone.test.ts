import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { createPageImages } from '../../../src/images/page-images.ts'
import { createParserPool, type ParserPool } from '../../../src/parse/pool/pool.ts'
import { errorCode } from '../../support/codes.ts'
import { endlessPdf } from '../../support/hard-files.ts'
import { makePdf } from '../../support/make-documents.ts'
import { childrenOf, killNow } from '../../support/processes.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/until.ts'

type AskPage = ParserPool['askPage']

let pool: ParserPool | undefined
afterEach(async () => {
  await pool?.close()
  pool = undefined
})

const key = (page: number, width = 1000) => ({ sha256: 'a'.repeat(64), page, width })
const answer = { png: Buffer.from('an image').toString('base64') }
const failed = (reason: string) => ({ code: errorCode('page_image_failed'), details: { reason } })

/** Page images without a cache, of this file or of none. */
function imagesOf(askPage: AskPage, file = '', deadlineMs = 60_000) {
  return createPageImages({
    blobs: { withFile: (_, work) => work(file) },
    parserPool: { askPage },
    cache: { get: async () => null, put: async () => {} },
    deadlineMs,
  })
}

async function realImages(pdf: Buffer, limits: Partial<typeof DEFAULT_LIMITS> = {}) {
  const file = join(await tempFolder(), 'file.pdf')
  await writeFile(file, pdf)
  const own = createParserPool({ workers: 1, limits: { ...DEFAULT_LIMITS, ...limits }, pdfEngine: 'pdfium', log: silentLogger })
  pool = own
  let asked = 0
  const images = imagesOf((request) => ((asked += 1), own.askPage(request)), file)
  return { images, asked: () => asked }
}

test('a page that takes too long has no image, and is not tried again at once', async () => {
  const { images, asked } = await realImages(endlessPdf(), { parseStallMs: 1_000 })
  await expect(images.image('alice', key(1))).rejects.toMatchObject(failed('parse_timeout'))
  await expect(images.image('bob', key(1, 300))).rejects.toMatchObject(failed('parse_timeout'))
  expect(asked()).toBe(1)
})

test('a killed process costs one image', async () => {
  const { images } = await realImages(endlessPdf(), { parseStallMs: 60_000 })
  const refused = expect(images.image('alice', key(1))).rejects.toMatchObject(failed('parser_crashed'))
  await until('a parser process', async () => childrenOf(process.pid).length > 0)
  for (const pid of childrenOf(process.pid)) killNow(pid)
  await refused
  await pool!.close()
  const { images: others } = await realImages(await makePdf([[{ text: 'A page.' }]]))
  expect((await others.image('alice', key(1))).subarray(1, 4).toString()).toBe('PNG')
})

test('a page that the file does not have is not found', async () => {
  const { images } = await realImages(await makePdf([[{ text: 'A page.' }]]))
  await expect(images.image('alice', key(2))).rejects.toMatchObject({ code: errorCode('page_not_found') })
})

test('requests for the same image share the work', async () => {
  const waiting = Promise.withResolvers<typeof answer>()
  let asked = 0
  const images = imagesOf(() => ((asked += 1), waiting.promise))
  const both = [images.image('alice', key(1)), images.image('bob', key(1)), images.image('bob', key(2))]
  await until('the questions', async () => asked === 2)
  waiting.resolve(answer)
  expect((await Promise.all(both)).map(String)).toEqual(['an image', 'an image', 'an image'])
  expect(asked).toBe(2)
})

test('a user has a bounded number of images waiting, and takes no turn of others', async () => {
  const waiting = Promise.withResolvers<typeof answer>()
  const images = imagesOf(() => waiting.promise)
  const own = Array.from({ length: 24 }, (_, n) => images.image('alice', key(n + 1)))
  await expect(images.image('alice', key(99))).rejects.toMatchObject({ code: errorCode('rate_limited'), retryAfter: 5 })
  const other = images.image('bob', key(100))
  waiting.resolve(answer)
  await Promise.all([...own, other])
  expect(String(await images.image('alice', key(99)))).toBe('an image')
})

test('a page that waits too long for a process is unavailable, and its work ends', async () => {
  let signal: AbortSignal | undefined
  const images = imagesOf((request) => ((signal = request.signal), new Promise(() => {})), '', 50)
  await expect(images.image('alice', key(1))).rejects.toMatchObject({ code: errorCode('unavailable'), retryAfter: 5 })
  expect(signal?.aborted).toBe(true)
})
