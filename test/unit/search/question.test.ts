import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import { askQuestion } from '../../../src/search/question.ts'

test.each([
  ['words of one letter', Array.from({ length: 2_000 }, (_, i) => 'bcdefgh'[i % 7]).join(' ')],
  ['Chinese characters', Array.from({ length: 4_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')],
])('uses a limited number of %s', async (_, query) => {
  const { words } = await askQuestion({
    query,
    expandable: [],
    synonyms: null,
    furtherTerms: [],
    mode: 'keyword',
    embedder: createBuiltinEmbedder(),
    user: 'usr_1',
    deadlineMs: 1_000,
    signal: undefined,
    log: silentLogger,
  })
  expect(words).toHaveLength(512)
})
