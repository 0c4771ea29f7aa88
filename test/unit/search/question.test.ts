import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import { parseQuery } from '../../../src/search/parse.ts'
import { askQuestion } from '../../../src/search/question.ts'
import { NOT_CORRECTED } from '../../../src/search/spelling.ts'
import { findRequest } from '../../support/find-request.ts'

test.each([
  ['words of one letter', Array.from({ length: 2_000 }, (_, i) => 'bcdefgh'[i % 7]).join(' ')],
  ['Chinese characters', Array.from({ length: 4_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')],
])('uses a limited number of %s', async (_, query) => {
  const typed = parseQuery(query)
  const { words } = await askQuestion(typed, NOT_CORRECTED, {
    query: { ...findRequest().query, query, mode: 'keyword' },
    typed,
    synonyms: null,
    embedder: createBuiltinEmbedder(),
    unrelatedSimilarity: null,
    parts: { deadlines: { embedMs: 1_000, rerankMs: 1_000 }, log: silentLogger },
    signal: undefined,
  })
  expect(words).toHaveLength(512)
})
