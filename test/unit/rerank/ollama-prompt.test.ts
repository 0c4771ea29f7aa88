import { expect, test } from 'vitest'
import { rerankPrompt, shareOfYes } from '../../../src/rerank/ollama-model.ts'

const tokens = (shares: Record<string, number>) =>
  Object.entries(shares).map(([token, share]) => ({ token, logprob: Math.log(share) }))

test('spellings of yes and no count together, other tokens do not count', () => {
  expect(
    shareOfYes(tokens({ yes: 0.3, Yes: 0.1, ' yes': 0.1, ĠYES: 0.1, no: 0.1, '▁No': 0.1, maybe: 0.15, yesterday: 0.05 })),
  ).toBeCloseTo(0.75)
})

test('a missing word counts as the least likely token of the list', () => {
  expect(shareOfYes(tokens({ yes: 0.9, other: 0.05, rare: 0.01 }))).toBeCloseTo(0.9 / 0.91)
  expect(shareOfYes(tokens({ no: 0.9, rare: 0.01 }))).toBeCloseTo(0.01 / 0.91)
})

test('returns null when neither word is listed', () => {
  expect(shareOfYes(tokens({ The: 0.9, A: 0.1 }))).toBe(null)
  expect(shareOfYes([])).toBe(null)
})

test.each([0.5, Infinity, NaN])('refuses %d as a log-probability', (logprob) => {
  expect(() =>
    shareOfYes([
      { token: 'yes', logprob: -0.1 },
      { token: 'x', logprob },
    ]),
  ).toThrow(/as a log-probability/)
})

test('the prompt is the one Qwen3-Reranker was trained on', () => {
  expect(rerankPrompt('Q', 'P')).toBe(
    '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n' +
      '<|im_start|>user\n<Instruct>: Given a web search query, retrieve relevant passages that answer the query\n<Query>: Q\n<Document>: P<|im_end|>\n' +
      '<|im_start|>assistant\n<think>\n\n</think>\n\n',
  )
})
