import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chunkDocument } from '../../src/chunk/chunk.ts'
import { DEFAULT_LIMITS } from '../../src/config/config.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { documentText, type Page } from '../../src/core/parsed.ts'
import { createParserPool } from '../../src/parse/pool/pool.ts'
import { sniff } from '../../src/parse/sniff/sniff.ts'
import { DATA_DIR } from '../support/data.ts'
import { errorCode } from '../support/codes.ts'

/** The documents that are refused, and their codes. */
const REFUSED: Record<string, string> = {
  'pdf/pypdf__r6-user-password.pdf': 'encrypted',
  'pdf/pdfplumber__empty.pdf': errorCode('empty_file'),
  'pdf/pdf.js__poppler-742-0-fuzzed.pdf': errorCode('corrupt'),
  'docx/poi__bug53475-password-is-pass.docx': 'encrypted',
  'docx/poi__stress025.docx': errorCode('unsupported_type'),
}

/** Counts words, and characters of scripts without blanks. */
function tokens(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  const pattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+/gu
  for (const token of text.normalize('NFKC').toLowerCase().match(pattern) ?? []) counts.set(token, (counts.get(token) ?? 0) + 1)
  return counts
}

function recall(reference: string, text: string): number {
  const found = tokens(text)
  let all = 0
  let hits = 0
  for (const [token, count] of tokens(reference)) {
    all += count
    hits += Math.min(count, found.get(token) ?? 0)
  }
  return all === 0 ? 1 : hits / all
}

// Skipped without the test data (DOCSEARCH_TEST_DATA).
test.skipIf(DATA_DIR === null)(
  'reads or refuses each real document with its code, and finds most words of the references',
  async () => {
    const folder = join(DATA_DIR!, 'documents')
    const manifest = readFileSync(join(folder, 'manifest.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; reference?: string })
    const pool = createParserPool({ workers: 2, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', log: silentLogger })
    const refused: Record<string, string> = {}
    const recalls: number[] = []
    try {
      for (const { file, reference } of manifest) {
        const path = join(folder, file)
        let pages: Page[] = []
        try {
          const { mediaType } = await sniff(path, file)
          await pool.preflight({ owner: 'usr_1', file: path, mediaType, name: file })
          pages = (await pool.parse({ owner: 'usr_1', file: path, mediaType, name: file })).pages
        } catch (error) {
          refused[file] = (error as { code: string }).code
          continue
        }
        const text = documentText(pages)
        for (const page of pages) {
          expect(page.text.isWellFormed(), file).toBe(true)
          expect(/[\f\0]/.test(page.text), file).toBe(false)
        }
        for (const chunk of chunkDocument(pages, { maxTokens: 400, countTokens: (passage) => passage.split(/\s+/).length })) {
          expect(chunk.text, file).toBe(text.slice(chunk.charStart, chunk.charEnd))
        }
        if (reference !== undefined) recalls.push(recall(readFileSync(join(folder, reference), 'utf8'), text))
      }
    } finally {
      await pool.close()
    }
    expect(refused).toEqual(REFUSED)
    expect(recalls.length).toBeGreaterThan(40)
    expect(recalls.reduce((sum, value) => sum + value, 0) / recalls.length).toBeGreaterThan(0.88)
    // Half of the documents lose hardly a word. The others are scans, forms and rotated pages.
    expect(recalls.filter((value) => value > 0.97).length).toBeGreaterThan(recalls.length * 0.6)
  },
)
