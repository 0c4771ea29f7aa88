import { expect, test } from 'vitest'
import { copyWithoutWordVectors } from './hashed-features.ts'
import { type Instance, startInstance } from './instance.ts'
import { bootstrapInterval } from './metrics.ts'
import { reportOfGain } from './model-gain.ts'

const compared = (gain: number, questions = 50) => {
  const hashed = Array.from({ length: questions }, (_, i) => i / (2 * questions))
  return { set: `set with ${gain}`, hashed, model: hashed.map((figure) => figure + gain) }
}

test('shows the gain of each set and the mean of the sets, however many questions they have', () => {
  const { lines, problems } = reportOfGain([compared(0.02, 10), compared(0, 90)])
  expect(lines).toContain('| set with 0.02 | 10 | .2250 | .2450 | .0200 | .0200 to .0200 |')
  expect(lines).toContain('| mean |  | .2361 | .2461 | .0100 | .0100 to .0100 |')
  expect(problems).toEqual([])
})

test('a small mean gain is a problem, and so is a set that loses', () => {
  expect(reportOfGain([compared(0.009), compared(0.006)]).problems).toEqual(['the model brings .0075, less than .0080'])
  expect(reportOfGain([compared(0.05), compared(-0.004)]).problems).toEqual([
    'the model costs .0040 on set with -0.004, more than .0030',
  ])
  expect(reportOfGain([compared(0.05), compared(-0.002)]).problems).toEqual([])
})

test('the interval is as wide as the normal distribution says, and always the same', () => {
  // Half of the differences are 0 and half are 1, so the mean of 400 has a standard error of .025.
  const differences = Array.from({ length: 400 }, (_, i) => i % 2)
  const [low, high] = bootstrapInterval([differences])
  expect(low).toBeCloseTo(0.5 - 1.96 * 0.025, 2)
  expect(high).toBeCloseTo(0.5 + 1.96 * 0.025, 2)
  expect(bootstrapInterval([differences])).toEqual([low, high])
  // A second set without differences halves the mean and its error.
  const [, ofTwo] = bootstrapInterval([differences, [0, 0]])
  expect(ofTwo).toBeCloseTo(0.25 + 1.96 * 0.0125, 2)
})

test('without the vectors of words, only meaning is missing: misspelled words are corrected as before', async () => {
  await using copy = await copyWithoutWordVectors()
  const texts = [
    'The physician examined the patient and prescribed a drug.',
    'The committee approved the budget for the new bridge.',
    'Her car needed petrol after the long drive.',
    'The teacher gave the pupils their marks.',
  ]
  const files = texts.map((content, i) => ({ name: `${i}.txt`, content }))
  const ask = async (instance: Instance) => {
    await instance.load('texts', files)
    const first = async (mode: 'vector' | 'keyword', query: string) =>
      (await instance.search({ query, mode, project: 'texts' })).results[0]?.document.name ?? null
    return {
      byMeaning: [
        await first('vector', 'doctor medicine'),
        await first('vector', 'council money'),
        await first('vector', 'automobile fuel'),
        await first('vector', 'school exam grades'),
      ],
      byPieceOfWord: await first('vector', 'prescribing'),
      byWord: await first('keyword', 'physician'),
      byMisspelledWord: await first('keyword', 'phisician'),
      // The model knows the word, so it is not corrected.
      byOtherWord: await first('keyword', 'physicist'),
    }
  }
  const [ordinary, hashed] = [await startInstance(), await startInstance(undefined, {}, copy.bin)]
  try {
    const found = await ask(ordinary)
    expect(found).toEqual({
      byMeaning: ['0.txt', '1.txt', '2.txt', '3.txt'],
      byPieceOfWord: '0.txt',
      byWord: '0.txt',
      byMisspelledWord: '0.txt',
      byOtherWord: null,
    })
    const { byMeaning, ...others } = await ask(hashed)
    expect(byMeaning).not.toEqual(found.byMeaning)
    expect(found).toMatchObject(others)
  } finally {
    for (const instance of [ordinary, hashed]) await instance.dispose()
  }
})
