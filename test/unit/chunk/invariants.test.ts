import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkDocument } from '../../../src/chunk/chunk.ts'
import { type Block, documentText, type Page } from '../../../src/core/parsed.ts'

const kinds = ['heading', 'paragraph', 'list_item', 'table_row', 'code'] as const

/** Words of several scripts, with astral characters, combining marks and ends of sentences. */
const word = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('end.', 'What?', '日本語。', '😀😀😀', 'e\u0301', 'x'.repeat(60), '1,234', '👩‍👩‍👧'),
)
const blank = fc.constantFrom(' ', ' ', ' ', '\n', '  ', '\n\n', '\t')
const text = fc
  .array(fc.tuple(word, blank), { maxLength: 60 })
  .map((parts) => parts.flat().join('').replaceAll('\f', '').toWellFormed())

/** A page with blocks at random places, in order and without overlap. */
const page = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(400), fc.constantFrom(...kinds), fc.integer({ min: 1, max: 6 })), { maxLength: 8 }))
  .map(([content, marks]) => {
    const at = [...new Set(marks.map(([offset]) => Math.min(offset, content.length)))]
      .sort((a, b) => a - b)
      .filter((offset) => !isInsidePair(content, offset))
    const blocks: Block[] = []
    for (let i = 0; i + 1 < at.length; i++) {
      const [, kind, level] = marks[i]!
      blocks.push({ kind, start: at[i]!, end: at[i + 1]!, ...(kind === 'heading' ? { level } : {}) })
    }
    return { text: content, blocks }
  })
const pages = fc
  .array(page, { maxLength: 5 })
  .map((list): Page[] => list.map((content, index) => ({ number: index + 1, ...content })))

function isInsidePair(content: string, at: number): boolean {
  const code = content.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

const countTokens = (passage: string): number => Math.ceil(passage.length / 4)

test('for every document, passages are in order, exact, complete and within the limit', () => {
  fc.assert(
    fc.property(pages, fc.integer({ min: 3, max: 60 }), fc.integer({ min: 1, max: 60 }), (document, maxTokens, targetTokens) => {
      const whole = documentText(document)
      const chunks = chunkDocument(document, { maxTokens, targetTokens, countTokens })
      let at = 0
      let left = ''
      for (const [index, chunk] of chunks.entries()) {
        expect(chunk.index).toBe(index)
        expect(chunk.text).toBe(whole.slice(chunk.charStart, chunk.charEnd))
        expect(chunk.text.trim()).toBe(chunk.text)
        expect(chunk.text).not.toBe('')
        expect(chunk.text.isWellFormed()).toBe(true)
        expect(chunk.charStart).toBeGreaterThanOrEqual(at)
        expect(countTokens(chunk.text)).toBeLessThanOrEqual(maxTokens)
        // The page of an offset is the number of form feeds before it.
        expect(chunk.pageStart).toBe(whole.slice(0, chunk.charStart).split('\f').length)
        expect(chunk.pageEnd).toBe(whole.slice(0, chunk.charEnd - 1).split('\f').length)
        left += whole.slice(at, chunk.charStart)
        at = chunk.charEnd
      }
      expect((left + whole.slice(at)).trim()).toBe('')
    }),
    { numRuns: 400 },
  )
})
