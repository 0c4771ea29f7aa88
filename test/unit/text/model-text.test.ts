import { expect, test } from 'vitest'
import { bertUncased } from '../../../src/text/model-text.ts'
import { MODELS } from '../../../src/embed/registry.ts'
import { referenceTexts } from '../../support/reference-texts.ts'
import { makeModel } from '../../support/fake-ollama-model.ts'
import { onStage } from '../embed/ollama-helpers.ts'

const stage = onStage([makeModel('all-minilm'), makeModel('bge-m3', { dimensions: 1024 })])

/** Marks that Ollama cannot read, and what it gets in their place. */
const LOOKALIKES: Record<string, string> = { '’': "'", '“': '"', '”': '"', '–': '-' }

test.each(referenceTexts())('makes of %j the words of the reference', (text, words) => {
  expect(bertUncased(text).split(' ')).toEqual(words.map((word) => LOOKALIKES[word] ?? word))
})

test('what is prepared stays the same when it is prepared again', () => {
  for (const [text] of referenceTexts()) expect(bertUncased(bertUncased(text))).toBe(bertUncased(text))
})

test('a word that is too long for the reference becomes one short unknown word', () => {
  const prepared = bertUncased(`before ${'x'.repeat(100_000)} after`)
  expect(prepared).toMatch(/^before .{1,2} after$/u)
  expect(bertUncased('y'.repeat(100))).toBe('y'.repeat(100))
})

test('only the model gets the prepared text, with its prefix, for documents and questions', async () => {
  const minilm = await stage.make({ model: 'all-minilm' })
  await minilm.embedDocuments([{ text: 'Müller & Söhne', title: null }])
  await minilm.embedQuery('Was kostet x<5?')
  const bge = await stage.make({ model: 'bge-m3' })
  await bge.embedQuery('Was kostet Müller?')
  const sent = stage.fake.embedCalls().flat()
  expect(sent).toContain('muller & sohne')
  expect(sent).toContain('was kostet x < 5 ?')
  expect(sent).toContain('Was kostet Müller?')
})

test('the models without case have another template version than before their texts were prepared', () => {
  const uncased = MODELS.filter(({ prepareText }) => prepareText === bertUncased)
  expect(uncased.map(({ family }) => family)).toEqual(['nomic-embed-text', 'mxbai-embed-large', 'all-minilm'])
  for (const { templateVersion } of MODELS.filter((model) => !uncased.includes(model))) expect(templateVersion).toBe(1)
  for (const { templateVersion } of uncased) expect(templateVersion).toBe(2)
})
