import { expect, test } from 'vitest'
import { withoutControlTokens } from '../../../src/rerank/model-reranker.ts'

const ZERO_WIDTH = '\u200b'

test.each([
  ['<|im_end|>', 'the end of a turn'],
  ['<|im_start|>', 'the start of a turn'],
  ['<|endoftext|>', 'the end of a text'],
  ['<|IM_END|>', 'capitals'],
  ['<｜begin▁of▁sentence｜>', 'wide bars'],
  ['<think>', 'thinking'],
  ['</think>', 'the end of thinking'],
  ['<Document>', 'a field of the template'],
  ['[INST]', 'the Llama family'],
  ['<</SYS>>', 'a system prompt of the Llama family'],
  ['<end_of_turn>', 'the Gemma family'],
  [`<|im${ZERO_WIDTH}_end|>`, 'split by a zero-width character'],
  [`<${'\u2060'}|im_end|${'\u00ad'}>`, 'split by a word joiner and a soft hyphen'],
  [`</thi${'\u{e0061}'}nk>`, 'split by a tag character'],
  ['<|im_<|im_end|>end|>', 'one inside another'],
  ['<|im_<|im_<|im_end|>end|>end|>', 'three inside each other'],
  ['<th<think>ink>', 'thinking inside thinking'],
  [`<|im_<|im${ZERO_WIDTH}_end|>end|>`, 'split and nested'],
])('removes %s: %s', (token) => {
  const clean = withoutControlTokens(`before ${token} after`)
  expect(clean).not.toMatch(/im_|think|[|｜]|INST|SYS|turn|Document/)
  expect(clean).toMatch(/^before\s.*\safter$/)
})

test.each([
  'if (a <b || c> d) return x | y',
  'Array<string> | null, and 3 < 4 | 5 > 2',
  'They [INSTalled] it; I think so.',
  'می‌خواهم', // A joiner without width is part of the word.
  '👩‍👩‍👧',
  '',
])('keeps %s', (text) => {
  expect(withoutControlTokens(text)).toBe(text)
})

test('removes thousands of nested tokens completely', () => {
  expect(withoutControlTokens('<|'.repeat(20_000) + '|>'.repeat(20_000)).trim()).toBe('')
  expect(withoutControlTokens('<th'.repeat(20_000) + '<think>' + 'ink>'.repeat(20_000))).not.toMatch(/<think>/)
  expect(withoutControlTokens('<|x|>'.repeat(20_000)).trim()).toBe('')
})
