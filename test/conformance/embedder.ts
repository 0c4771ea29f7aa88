import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Embedder, EmbeddingInput } from '../../src/embed/embedder.ts'

export interface EmbedderUnderTest {
  embedder: Embedder
  /** Creates the same embedder a second time. */
  again(): Promise<Embedder>
  /** A text that the embedder cannot embed. */
  unembeddable: string
  close(): Promise<void>
}

const plain = (text: string): EmbeddingInput => ({ text, title: null })
const WORDS = ['maple', 'granite', 'orchid', 'velvet', 'harbour', 'lantern', 'copper', 'meadow', 'thunder', 'saffron']
const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

/** The promises of every embedder (src/embed/embedder.ts). */
export function embedderConformance(name: string, setUp: () => Promise<EmbedderUnderTest>): void {
  describe(`${name} keeps the promises of an embedder`, () => {
    let under: EmbedderUnderTest
    let embedder: Embedder
    beforeAll(async () => {
      under = await setUp()
      embedder = under.embedder
    })
    afterAll(async () => {
      await embedder.close()
      await under.close()
    })
    const embed = async (...texts: string[]): Promise<Float32Array[]> => {
      const vectors = await embedder.embedDocuments(texts.map(plain))
      return vectors.map((vector) => vector!)
    }

    test('gives vectors of length 1 with its number of dimensions, for documents and questions', async () => {
      const vectors = [
        ...(await embed('The notice period is three months.', '合同自签字之日起生效', '42')),
        await embedder.embedQuery('notice period'),
      ]
      for (const vector of vectors) {
        expect(vector).toBeInstanceOf(Float32Array)
        expect(vector).toHaveLength(embedder.dimensions)
        expect(dot(vector, vector)).toBeCloseTo(1, 4)
      }
    })

    test('keeps the order of the inputs, over more than one batch', async () => {
      const texts = Array.from({ length: 70 }, (_, i) => `${WORDS[i % 10]} ${WORDS[Math.floor(i / 10)]}${WORDS[i % 7]} invoice.`)
      const all = await embed(...texts)
      const [third, last] = [await embed(texts[3]!), await embed(texts[69]!)]
      expect(dot(all[3]!, third[0]!)).toBeCloseTo(1, 4)
      expect(dot(all[69]!, last[0]!)).toBeCloseTo(1, 4)
      expect(dot(all[3]!, last[0]!)).toBeLessThan(0.95)
    })

    test('gives the same text the same vector, whatever the other inputs are', async () => {
      const [alone] = await embed('Rent is due on the first of the month.')
      const [, among] = await embed('Something else entirely.', 'Rent is due on the first of the month.')
      expect(dot(alone!, among!)).toBeCloseTo(1, 5)
    })

    test('puts a question closer to the passage that answers it', async () => {
      const [right, wrong] = await embed('Warranty claims lapse after twenty-four months.', 'The cafeteria opens at seven.')
      const question = await embedder.embedQuery('warranty claims')
      expect(dot(question, right!)).toBeGreaterThan(dot(question, wrong!) + 0.05)
    })

    test('gives null for a text it cannot embed, and embeds the others', async () => {
      const texts = ['Good one.', under.unembeddable, 'Good two.', '', ' \n', 'Good three.']
      const vectors = await embedder.embedDocuments(texts.map(plain))
      expect(vectors.map((vector) => vector !== null)).toEqual([true, false, true, false, false, true])
    })

    test('accepts an empty list', async () => {
      expect(await embedder.embedDocuments([])).toEqual([])
    })

    test('embeds a text of maxTokens tokens, and a question of any length', async () => {
      let text = ''
      while (embedder.countTokens(`${text} contract`) <= embedder.maxTokens) text += ' contract'
      expect((await embedder.embedDocuments([{ text, title: 'A title '.repeat(100) }]))[0]).not.toBeNull()
      expect(await embedder.embedQuery('contract '.repeat(2_000))).toHaveLength(embedder.dimensions)
    })

    test('counts more tokens for more text, and none for none', () => {
      expect(embedder.countTokens('')).toBe(0)
      const short = embedder.countTokens('The tenant pays.')
      expect(short).toBeGreaterThan(0)
      expect(embedder.countTokens('The tenant pays. The tenant pays.')).toBeGreaterThan(short)
      expect(embedder.countTokens('合同自签字之日起生效')).toBeGreaterThan(4)
    })

    test('has the same fingerprint and name when it is created again', async () => {
      const other = await under.again()
      expect(other.fingerprint).toBe(embedder.fingerprint)
      expect(other.name).toBe(embedder.name)
      await other.close()
    })

    test('stops when aborted, with the reason of the signal', async () => {
      const reason = new Error('the caller gave up')
      const signal = AbortSignal.abort(reason)
      await expect(embedder.embedDocuments([plain('text')], signal)).rejects.toBe(reason)
      await expect(embedder.embedQuery('text', signal)).rejects.toBe(reason)
    })

    test('reports that it works', async () => {
      expect(await embedder.check()).toMatchObject({ ok: true, code: 'ok' })
    })
  })
}
