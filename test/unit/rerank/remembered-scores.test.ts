import { expect, test } from 'vitest'
import { rememberScores } from '../../../src/rerank/choose.ts'
import type { RerankModel } from '../../../src/rerank/rerank-model.ts'

/** Scores a passage by its length, except for those that it refuses. Records what it is asked. */
function recording(refused: readonly string[] = []): RerankModel & { asked: string[] } {
  const asked: string[] = []
  return {
    name: 'recording',
    asked,
    async scorePassages({ passages }, onScore) {
      for (const [i, passage] of passages.entries()) {
        asked.push(passage)
        if (!refused.includes(passage)) onScore(i, passage.length / 100)
      }
    },
  }
}

async function score(
  model: RerankModel,
  passages: string[],
  { question = 'q', user = 'usr_1' } = {},
): Promise<(number | null)[]> {
  const scores: (number | null)[] = passages.map(() => null)
  const { signal } = new AbortController()
  await model.scorePassages({ question, passages, user, signal }, (i, found) => (scores[i] = found))
  return scores
}

test('asks the model only about passages without a score, and keeps their places', async () => {
  const model = recording()
  const remembering = rememberScores(model)
  await score(remembering, ['bb', 'dddd'])
  expect(await score(remembering, ['a', 'bb', 'ccc', 'dddd'])).toEqual([0.01, 0.02, 0.03, 0.04])
  expect(model.asked).toEqual(['bb', 'dddd', 'a', 'ccc'])
  await score(remembering, ['ccc', 'a'])
  expect(model.asked).toHaveLength(4)
})

test('remembers nothing across questions or users, also when their texts run together', async () => {
  const model = recording()
  const remembering = rememberScores(model)
  await score(remembering, ['bc'], { question: 'a' })
  await score(remembering, ['c'], { question: 'ab' })
  await score(remembering, ['bc'], { question: 'a', user: 'usr_2' })
  await score(remembering, ['bc'], { question: '1a', user: 'usr_' })
  expect(model.asked).toEqual(['bc', 'c', 'bc', 'bc'])
})

test('asks again about a passage that the model could not score', async () => {
  const model = recording(['b'])
  const remembering = rememberScores(model)
  await score(remembering, ['a', 'b'])
  expect(await score(remembering, ['a', 'b'])).toEqual([0.01, null])
  expect(model.asked).toEqual(['a', 'b', 'b'])
})

test('takes bounded memory', async () => {
  const model = recording()
  const remembering = rememberScores(model, 1_000)
  const passages = Array.from({ length: 50 }, (_, i) => `passage ${i}`)
  await score(remembering, passages)
  await score(remembering, passages.slice(-3))
  expect(model.asked).toHaveLength(50)
  await score(remembering, passages.slice(0, 3))
  expect(model.asked).toHaveLength(53)
})
