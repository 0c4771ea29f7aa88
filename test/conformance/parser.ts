import { readdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS, type Limits } from '../../src/config/config.ts'
import { isDocsearchError } from '../../src/core/errors.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { documentText, type Page } from '../../src/core/parsed.ts'
import { parseFile } from '../../src/parse/parse-file.ts'
import type { ParseSummary, PdfEngine } from '../../src/parse/parser.ts'
import { createParserPool, type ParserPool } from '../../src/parse/pool/pool.ts'
import { sniff } from '../../src/parse/sniff/sniff.ts'
import { damaged } from '../support/damage.ts'
import { parserPool } from '../support/parser-pool.ts'
import { pageFaults } from '../support/page-faults.ts'
import { withFile } from '../support/parse-file.ts'
import { errorCode } from '../support/codes.ts'

export interface ParserUnderTest {
  /** A valid file of the format. */
  bytes: Buffer
  /** The name of the uploaded file. */
  fileName: string
  mediaType: string
  pdfEngine?: PdfEngine
  /** What the parser must return for it. */
  expected: {
    engine: string
    /** For formats without a fixed encoding. */
    encoding?: string
    title: string | null
    pageCount: number
    /** Texts that its pages contain in this order. */
    texts: readonly string[]
    /** Kinds of blocks that its pages contain, among others. */
    kinds: readonly Page['blocks'][number]['kind'][]
  }
  /** Files that break a part of the format, in addition to those that break every format. */
  broken?: Readonly<Record<string, Buffer>>
  /** True if the parser reads the beginning of a file with too much text, and warns about the rest. */
  readsBeginning?: true
  /** True if only an OCR program finds the text, so that the pages are blank and a warning says so. */
  isPicture?: true
}

type Read = ParseSummary & { pages: Page[]; opened: number[] }

/** The failures that a parser may report. A crash, a hang and any other error are bugs of the parser. */
const DOCUMENTED = [
  'encrypted',
  errorCode('corrupt'),
  errorCode('unsupported_type'),
  errorCode('empty_file'),
  errorCode('too_many_pages'),
  errorCode('too_much_text'),
  errorCode('too_much_xml'),
  errorCode('too_many_entries'),
  // Of a picture: too many pixels.
  errorCode('too_large'),
]

/** Checks what every parser promises (src/parse/parser.ts, src/core/parsed.ts), in this process and in a parser process. */
export function parserConformance(name: string, setUp: () => Promise<ParserUnderTest>): void {
  describe(`${name}: conformance to the parser interface`, () => {
    let under: ParserUnderTest
    let pool: ParserPool
    beforeAll(async () => {
      under = await setUp()
      const { pdfEngine } = under
      if (pdfEngine === undefined) pool = parserPool
      else {
        pool = createParserPool({ workers: 1, limits: DEFAULT_LIMITS, pdfEngine, log: silentLogger })
        return () => pool.close()
      }
    })

    const readFrom = async (file: string, limits: Limits = DEFAULT_LIMITS): Promise<Read> => {
      const pages: Page[] = []
      const opened: number[] = []
      const summary = await parseFile(
        { file, mediaType: under.mediaType, name: under.fileName, limits, pdfEngine: under.pdfEngine ?? 'pdfium' },
        {
          open: (pageCount) => opened.push(pageCount),
          page(page) {
            expect(opened, 'open() comes before the first page').toHaveLength(1)
            pages.push(page)
          },
        },
      )
      return { ...summary, pages, opened }
    }
    const read = (bytes: Buffer, limits?: Limits): Promise<Read> => withFile(bytes, (file) => readFrom(file, limits))

    test('is chosen by the content of the file', async () => {
      await withFile(under.bytes, async (file) => {
        expect(await sniff(file, under.fileName)).toEqual({ mediaType: under.mediaType })
      })
    })

    test('returns pages from 1 on, blocks in order, and clean text', async () => {
      const { pages, pageCount, opened } = await read(under.bytes)
      expect(pageFaults(pages)).toEqual([])
      expect(pages).toHaveLength(under.expected.pageCount)
      expect(pageCount).toBe(under.expected.pageCount)
      expect(opened).toEqual([under.expected.pageCount])
    })

    test("reads the document's texts in order, as the right kinds of blocks", async () => {
      const { pages, title } = await read(under.bytes)
      const text = documentText(pages)
      const places = under.expected.texts.map((part) => text.indexOf(part))
      expect(under.expected.texts.filter((_part, i) => places[i] === -1)).toEqual([])
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      const kinds = new Set(pages.flatMap(({ blocks }) => blocks.map(({ kind }) => kind)))
      expect([...kinds]).toEqual(expect.arrayContaining([...under.expected.kinds]))
      expect(title).toBe(under.expected.title)
    })

    test('reports how it read the file', async () => {
      const { facts, warnings } = await read(under.bytes)
      expect(facts['engine']).toBe(under.expected.engine)
      expect(facts['encoding']).toBe(under.expected.encoding)
      if (under.expected.encoding !== undefined) expect(facts['confidence']).toSatisfy((value) => value > 0 && value <= 1)
      expect(facts['took_ms']).toSatisfy(Number.isInteger)
      expect(warnings.map(({ code }) => code)).toEqual(under.isPicture === true ? ['no_text'] : [])
    })

    test('returns the same for the same bytes, even if two files are read at the same time', async () => {
      const told = ({ facts: { took_ms: _time, ...facts }, ...rest }: Read): unknown => ({ ...rest, facts })
      const [first, second] = await Promise.all([read(under.bytes), read(under.bytes)])
      expect(told(second)).toEqual(told(first))
      expect(told(await read(under.bytes))).toEqual(told(first))
    })

    test('returns the same pages one by one in a parser process, which may not write', async () => {
      const here = await read(under.bytes)
      await withFile(under.bytes, async (file) => {
        const seen: Page[] = []
        const { pages, title, pageCount } = await pool.parse({
          owner: 'usr_1',
          file,
          mediaType: under.mediaType,
          name: under.fileName,
          onPage: (page) => seen.push(page),
        })
        expect({ pages, title, pageCount }).toEqual({ pages: here.pages, title: here.title, pageCount: here.pageCount })
        expect(seen).toEqual(pages)
      })
    })

    test('leaves the file unchanged and creates no other', async () => {
      await withFile(under.bytes, async (file) => {
        await readFrom(file)
        expect(under.bytes.equals(await readFile(file))).toBe(true)
        expect(await readdir(dirname(file))).toHaveLength(1)
      })
    })

    test('stops when the output throws', async () => {
      const enough = new Error('enough')
      let taken = 0
      const reading = withFile(under.bytes, (file) =>
        parseFile(
          {
            file,
            mediaType: under.mediaType,
            name: under.fileName,
            limits: DEFAULT_LIMITS,
            pdfEngine: under.pdfEngine ?? 'pdfium',
          },
          {
            open() {},
            page() {
              taken++
              throw enough
            },
          },
        ),
      )
      await expect(reading).rejects.toBe(enough)
      expect(taken).toBe(1)
    })

    test('refuses more text or pages than the limit', async () => {
      const reading = read(under.bytes, { ...DEFAULT_LIMITS, textBytes: 20 })
      if (under.readsBeginning === true) expect((await reading).warnings[0]).toMatchObject({ code: 'cells_skipped' })
      else if (under.isPicture === true) expect((await reading).pages).toHaveLength(under.expected.pageCount)
      else await expect(reading).rejects.toMatchObject({ code: errorCode('too_much_text') })
      await expect(read(under.bytes, { ...DEFAULT_LIMITS, pages: 0 })).rejects.toMatchObject({
        code: errorCode('too_many_pages'),
      })
    })

    test('ends with pages or a documented failure for any bytes', async () => {
      const ends: Record<string, string> = {}
      const cases = { ...damaged(under.bytes), ...under.broken }
      for (const [what, bytes] of Object.entries(cases)) {
        ends[what] = await withFile(bytes, (file) =>
          pool.parse({ owner: 'usr_1', file, mediaType: under.mediaType, name: under.fileName }).then(
            ({ pages }) => pageFaults(pages).join('; ') || 'sound',
            (error: unknown) => (isDocsearchError(error) ? error.code : String(error)),
          ),
        )
      }
      const promised = ['sound', ...DOCUMENTED]
      expect(Object.entries(ends).filter(([, end]) => !promised.includes(end))).toEqual([])
      // The process that read all these files can still read a valid one.
      await withFile(under.bytes, async (file) => {
        const { pages } = await pool.parse({ owner: 'usr_1', file, mediaType: under.mediaType, name: under.fileName })
        expect(pages).toHaveLength(under.expected.pageCount)
      })
    })
  })
}
