import { expect, test } from 'vitest'
import { withoutSecrets } from '../../../src/config/without-secrets.ts'

test.each([
  ['https://user:secret@example.com/rerank', 'https://example.com/rerank'],
  ['https://user:sec@ret@example.com/rerank', 'https://example.com/rerank'],
  ['https://:secret@example.com', 'https://example.com'],
  ['https://example.com/@name', 'https://example.com/@name'],
  ['https://example.com?mail=a@b', 'https://example.com?mail=a@b'],
])('the address %s has no password in a backup', (address, expected) => {
  expect(JSON.parse(withoutSecrets(JSON.stringify({ reranker: address }))!)).toEqual({ reranker: expected })
})
