import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import { readModel, readModelFile, shippedModel } from '../../../src/embed/model/file.ts'
import { SHIPPED } from '../../../src/embed/model/shipped.ts'
import { createWordVectors } from '../../../src/embed/model/word-vectors.ts'
import { analyse } from '../../../src/text/analyse.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))
const MODEL = fileURLToPath(new URL(`../../../models/${SHIPPED.file}`, import.meta.url))

test('computes the same vectors as the training side for a thousand lines, to 1e-5', () => {
  const model = createWordVectors(readModel(shippedModel()))
  const lines = readFileSync(fixture('model-lines.txt'), 'utf8').trimEnd().split('\n')
  const bytes = readFileSync(fixture('model-vectors.f32'))
  const expected = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  expect(lines).toHaveLength(1000)
  expect(expected).toHaveLength(1000 * model.dimensions)
  let worst = 0
  for (const [i, line] of lines.entries()) {
    const vector = model.meaningOf(analyse(line).map((token) => model.find(token.known))) ?? new Float32Array(model.dimensions)
    for (let k = 0; k < model.dimensions; k++) worst = Math.max(worst, Math.abs(vector[k]! - expected[i * model.dimensions + k]!))
  }
  expect(worst).toBeLessThan(1e-5)
})

test('the file has its checksum, is small enough to ship, and is refused when one byte changes', () => {
  expect(readFileSync(MODEL).length).toBeLessThanOrEqual(10_000_000)
  const folder = mkdtempSync(join(tmpdir(), 'docsearch-model-'))
  try {
    const copy = join(folder, SHIPPED.file)
    copyFileSync(MODEL, copy)
    expect(readModelFile(copy, SHIPPED.sha256).byteLength).toBe(readFileSync(MODEL).length)
    const bytes = readFileSync(MODEL)
    bytes[5_000_000]! ^= 1
    writeFileSync(copy, bytes)
    expect(() => readModelFile(copy, SHIPPED.sha256)).toThrow(/is damaged.*Install docsearch again/)
    expect(() => readModelFile(join(folder, 'missing'), SHIPPED.sha256)).toThrow(/cannot be read.*Install docsearch again/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the file is read once, and the fingerprint of an index has its checksum', () => {
  expect(shippedModel()).toBe(shippedModel())
  expect(shippedModel()).toBeInstanceOf(SharedArrayBuffer)
  expect(createBuiltinEmbedder().fingerprint).toContain(SHIPPED.sha256.slice(0, 12))
})

describe('nearness', () => {
  const embedder = createBuiltinEmbedder()
  const embed = async (text: string) => (await embedder.embedDocuments([{ text, title: null }]))[0]!
  const near = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

  test.each([
    [
      'how do I get my money back',
      'Purchases are refunded within thirty days; the reimbursement is paid to the card that was used.',
    ],
    ['I want to quit my job', 'Employees may resign in writing; the notice period is four weeks.'],
    ['see a doctor', 'The physician examines patients in the surgery every morning.'],
  ])('%s', async (question, answer) => {
    const asked = await embedder.embedQuery(question)
    const others = await Promise.all(
      [
        'The cafeteria opens at seven and closes at four.',
        'Boil the water and add salt before the pasta.',
        'Trains leave the station every ten minutes.',
      ].map(embed),
    )
    const right = near(asked, await embed(answer))
    for (const other of others) expect(right).toBeGreaterThan(near(asked, other) + 0.05)
  })

  test('distinguishes names, numbers and other languages by their letters', async () => {
    const [invoice, other] = [
      await embed('Invoice 4711 of Xanthopoulos for repairs'),
      await embed('Invoice 5822 of Krzyzanowski for repairs'),
    ]
    expect(near(await embedder.embedQuery('Xanthopulos'), invoice)).toBeGreaterThan(
      near(await embedder.embedQuery('Xanthopulos'), other) + 0.1,
    )
    expect(near(await embedder.embedQuery('4711'), invoice)).toBeGreaterThan(near(await embedder.embedQuery('4711'), other) + 0.1)
    const german = await embedder.embedQuery('Kündigungsfrist der Wohnung')
    const [right, wrong] = [
      await embed('Die Kündigungsfristen für Wohnungen betragen drei Monate.'),
      await embed('Das Brot wird jeden Morgen frisch gebacken.'),
    ]
    expect(near(german, right)).toBeGreaterThan(near(german, wrong) + 0.2)
  })
})
