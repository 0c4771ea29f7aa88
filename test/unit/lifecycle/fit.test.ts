import { expect, test } from 'vitest'
import { fitOf } from '../../../src/lifecycle/active-index.ts'
import { fingerprintOf, formatFingerprint } from '../../../src/lifecycle/fingerprint.ts'
import type { IndexRecord } from '../../../src/records/records.ts'

const record = (embeddingModel: string, fingerprint: string): IndexRecord => ({
  id: 'gen_1',
  embeddingModel,
  fingerprint,
  dimensions: 4,
  state: 'active',
  createdAt: new Date(0),
})
const madeBy = (embeddingModel: string, fingerprint: string) =>
  record(embeddingModel, formatFingerprint(fingerprintOf({ fingerprint })))

test.each([
  ['the embedder that made the index fits', madeBy('builtin', 'a'), 'builtin', 'a', false, 'fits'],
  ['another embedder does not fit', madeBy('builtin', 'a'), 'ollama:m', 'm', true, 'outdated'],
  ['another version of the built-in embedder does not fit', madeBy('builtin', 'a'), 'builtin', 'b', false, 'outdated'],
  ['an external model with other weights has changed', madeBy('ollama:m', 'm@1'), 'ollama:m', 'm@2', true, 'changed'],
  [
    'an index of another layout does not fit its own embedder',
    record('ollama:m', 'pages 0 | m@1'),
    'ollama:m',
    'm@1',
    true,
    'outdated',
  ],
] as const)('%s', (_, index, name, fingerprint, isExternal, fit) => {
  expect(fitOf(index, { name, fingerprint, isExternal })).toBe(fit)
})
