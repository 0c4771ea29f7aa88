import { expect, test } from 'vitest'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { countFakeTokens } from '../../support/fake-ollama-model.ts'
import type { Fault } from '../../support/fake-ollama.ts'
import { QUICK, inputs, isWork, onStage } from './ollama-helpers.ts'
import { errorCode } from '../../support/codes.ts'

const stage = onStage()
const onEmbed = (fault: Partial<Fault>): void => stage.fake.fail({ path: '/api/embed', when: isWork, ...fault })
const present = (vectors: readonly (Float32Array | null)[]): boolean[] => vectors.map((vector) => vector !== null)

test.each([false, true])(
  'gives null for a text that the model has only NaN for, and embeds the others (older server: %s)',
  async (old) => {
    stage.fake.poison('cursed', old)
    const embedder = await stage.make()
    const texts = Array.from({ length: 20 }, (_, i) => (i === 13 ? 'a cursed passage' : `passage number ${i}`))
    expect(present(await embedder.embedDocuments(inputs(...texts)))).toEqual(texts.map((_, i) => i !== 13))
  },
)

test('reports a model that has NaN for everything, and does not blame the texts', async () => {
  stage.fake.poison('')
  const embedder = await stage.make()
  await expect(embedder.embedDocuments(inputs('one', 'two'))).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  expect(await embedder.check()).toMatchObject({ ok: false, code: errorCode('embedder_unavailable') })
})

test('gives null for a text that is too long, and embeds the others', async () => {
  const embedder = await stage.make()
  const long = 'a '.repeat(3_000)
  expect(countFakeTokens(long)).toBeGreaterThan(2048)
  expect(present(await embedder.embedDocuments(inputs('one', long, 'three')))).toEqual([true, false, true])
})

test('gives null for a vector with a NaN in it', async () => {
  onEmbed({ kind: 'nan_values' })
  const embedder = await stage.make()
  expect(present(await embedder.embedDocuments(inputs('one', 'two')))).toEqual([false, true])
})

test.each<[string, Partial<Fault>]>([
  ['overloaded', { status: 503, error: 'server busy, please try again.  maximum pending requests exceeded' }],
  ['limited', { status: 429, error: 'too many requests' }],
  ['broken inside', { status: 500, error: 'llama runner process has terminated: signal: killed' }],
  ['cut off', { kind: 'reset' }],
])('tries again when the server is %s', async (_, fault) => {
  onEmbed({ ...fault, times: 2 })
  const embedder = await stage.make()
  expect(present(await embedder.embedDocuments(inputs('one')))).toEqual([true])
})

test('reports a server that stays overloaded with a time to wait, and uses it again when it recovers', async () => {
  onEmbed({ status: 503, error: 'server busy', times: 3 })
  const embedder = await stage.make()
  await expect(embedder.embedDocuments(inputs('one'))).rejects.toMatchObject({
    code: errorCode('embedder_unavailable'),
    message: expect.stringMatching(/overloaded or failing: server busy/),
    retryAfter: expect.any(Number),
  })
  expect(present(await embedder.embedDocuments(inputs('one')))).toEqual([true])
})

test.each<[string, Partial<Fault>, RegExp]>([
  ['too few vectors', { kind: 'wrong_count' }, /1 vectors for 2 texts/],
  ['vectors of another length', { kind: 'wrong_dimensions' }, /767 dimensions, but the index has 768/],
  ['no JSON', { body: '<html>Welcome</html>' }, /not JSON/],
  ['other JSON', { body: '{"result": "fine"}' }, /not in Ollama's format/],
  [
    'a redirect',
    { status: 302, body: '', headers: { location: 'http://127.0.0.1:9/api/embed' } },
    /redirect \(302\), which docsearch does not follow/,
  ],
  ['a refusal', { status: 400, error: 'this model does not support embeddings' }, /does not support embeddings/],
])('refuses an answer with %s, and health says what the server answered', async (_, fault, message) => {
  onEmbed(fault)
  const embedder = await stage.make()
  await expect(embedder.embedDocuments(inputs('one', 'two'))).rejects.toMatchObject({
    code: errorCode('embedder_unavailable'),
    message: expect.stringMatching(message),
  })
  expect(await embedder.check()).toMatchObject({ ok: false, message: expect.stringMatching(message) })
  await embedder.embedDocuments(inputs('one', 'two'))
  expect(await embedder.check()).toMatchObject({ ok: true })
})

test('reports a server that is away, and uses it again when it returns', async () => {
  const embedder = await stage.make()
  await stage.fake.stop()
  await expect(embedder.embedDocuments(inputs('one'))).rejects.toMatchObject({
    code: errorCode('embedder_unavailable'),
    message: expect.stringMatching(/cannot be reached: nothing listens at this address/),
  })
  await expect(embedder.embedQuery('one')).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  expect(await embedder.check()).toMatchObject({ ok: false, code: errorCode('embedder_unavailable') })
  await stage.fake.restart()
  expect(present(await embedder.embedDocuments(inputs('one')))).toEqual([true])
  expect(await embedder.check()).toMatchObject({ ok: true })
})

test('gives up on a server that never answers, after the set time', async () => {
  onEmbed({ kind: 'hang' })
  const embedder = await stage.make({ tuning: { ...QUICK, query: { retries: 1, minTimeout: 1, maxTimeout: 1, timeoutMs: 50 } } })
  await expect(embedder.embedQuery('one')).rejects.toMatchObject({
    code: errorCode('embedder_unavailable'),
    message: expect.stringMatching(/no answer in time/),
  })
})

async function startedOn(embedder: Embedder, signal?: AbortSignal): Promise<{ work: Promise<unknown>; release(): void }> {
  const held = stage.fake.hold('/api/embed')
  const work = embedder.embedDocuments(inputs('one'), signal)
  await held.arrived
  return { work, release: held.release }
}

test('aborting ends a running call with the reason of the signal', async () => {
  const embedder = await stage.make()
  await embedder.embedDocuments(inputs('warm'))
  const abort = new AbortController()
  const { work, release } = await startedOn(embedder, abort.signal)
  const reason = new Error('the document was deleted')
  abort.abort(reason)
  await expect(work).rejects.toBe(reason)
  release()
})

test('closing ends a running call', async () => {
  const embedder = await stage.make()
  await embedder.embedDocuments(inputs('warm'))
  const { work, release } = await startedOn(embedder)
  const refused = expect(work).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  await embedder.close()
  await refused
  release()
})
