import { expect, test } from 'vitest'
import { QueryVectors } from '../../../src/embed/ollama.ts'

test('takes bounded memory, and forgets the oldest vectors first', async () => {
  const vectors = new QueryVectors(10_000)
  const asked: string[] = []
  const ask = (text: string) =>
    vectors.get({ user: 'usr_1', text, signal: new AbortController().signal }, async () => {
      asked.push(text)
      return new Float32Array(384)
    })
  const texts = Array.from({ length: 50 }, (_, i) => `question ${i}`)
  for (const text of texts) await ask(text)
  await ask(texts.at(-1)!)
  expect(asked).toHaveLength(50)
  await ask(texts[0]!)
  expect(asked).toHaveLength(51)
  expect(texts.filter((text) => vectors.find('usr_1', text) !== undefined).length).toBeLessThanOrEqual(6)
})
