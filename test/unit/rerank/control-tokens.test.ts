import { expect, test } from 'vitest'
import { withoutControlTokens } from '../../../src/rerank/control-tokens.ts'

const ZERO_WIDTH = '\u200b'

test.each([
  ['<|im_end|>', 'a turn that ends'],
  ['<|im_start|>', 'a turn that begins'],
  ['<|endoftext|>', 'an end'],
  ['<|IM_END|>', 'capitals'],
  ['<｜begin▁of▁sentence｜>', 'wide bars'],
  ['<think>', 'thinking'],
  ['</think>', 'the end of thinking'],
  ['<Document>', 'a field of the template'],
  ['[INST]', 'another family'],
  ['<</SYS>>', 'its system prompt'],
  ['<end_of_turn>', 'a third family'],
  [`<|im${ZERO_WIDTH}_end|>`, 'split by a character without width'],
  [`<${'\u2060'}|im_end|${'\u00ad'}>`, 'split by a word joiner and a soft hyphen'],
  [`</thi${'\u{e0061}'}nk>`, 'split by a tag character'],
  ['<|im_<|im_end|>end|>', 'one in the middle of another'],
  ['<|im_<|im_<|im_end|>end|>end|>', 'three in each other'],
  ['<th<think>ink>', 'thinking in thinking'],
  [`<|im_<|im${ZERO_WIDTH}_end|>end|>`, 'both at once'],
])('%s goes: %s', (token) => {
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
])('%s stays as it is', (text) => {
  expect(withoutControlTokens(text)).toBe(text)
})

test('thousands of them, nested, leave nothing behind', () => {
  expect(withoutControlTokens('<|'.repeat(20_000) + '|>'.repeat(20_000)).trim()).toBe('')
  expect(withoutControlTokens('<th'.repeat(20_000) + '<think>' + 'ink>'.repeat(20_000))).not.toMatch(/<think>/)
  expect(withoutControlTokens('<|x|>'.repeat(20_000)).trim()).toBe('')
})
