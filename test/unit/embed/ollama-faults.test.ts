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
  'one text the model has only NaN for is set aside, the batch goes on (older server: %s)',
  async (old) => {
    stage.fake.poison('cursed', old)
    const embedder = await stage.make()
    const texts = Array.from({ length: 20 }, (_, i) => (i === 13 ? 'a cursed passage' : `passage number ${i}`))
    expect(present(await embedder.embedDocuments(inputs(...texts)))).toEqual(texts.map((_, i) => i !== 13))
  },
)

test('a model that has NaN for everything is not taken for twenty bad texts', async () => {
  stage.fake.poison('')
  const embedder = await stage.make()
  await expect(embedder.embedDocuments(inputs('one', 'two'))).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  expect(await embedder.check()).toMatchObject({ ok: false, code: errorCode('embedder_unavailable') })
})

test('one text that is too long is set aside, the batch goes on', async () => {
  const embedder = await stage.make()
  const long = 'a '.repeat(3_000)
  expect(countFakeTokens(long)).toBeGreaterThan(2048)
  expect(present(await embedder.embedDocuments(inputs('one', long, 'three')))).toEqual([true, false, true])
})

test('a vector with a hole in it never gets in', async () => {
  onEmbed({ kind: 'nan_values' })
  const embedder = await stage.make()
  expect(present(await embedder.embedDocuments(inputs('one', 'two')))).toEqual([false, true])
})

test.each<[string, Partial<Fault>]>([
  ['overloaded', { status: 503, error: 'server busy, please try again.  maximum pending requests exceeded' }],
  ['limited', { status: 429, error: 'too many requests' }],
  ['broken inside', { status: 500, error: 'llama runner process has terminated: signal: killed' }],
  ['cut off', { kind: 'reset' }],
])('a server that is %s is asked again', async (_, fault) => {
  onEmbed({ ...fault, times: 2 })
  const embedder = await stage.make()
  expect(present(await embedder.embedDocuments(inputs('one')))).toEqual([true])
})

test('a server that stays overloaded gives a clear error with a time to wait, and is used again when it is back', async () => {
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
  ['too few vectors', { kind: 'wrong_count' }, /1 vectors to 2 texts/],
  ['vectors of another length', { kind: 'wrong_dimensions' }, /767 dimensions where the index has 768/],
  ['no JSON', { body: '<html>Welcome</html>' }, /not JSON/],
  ['other JSON', { body: '{"result": "fine"}' }, /not what Ollama answers/],
  [
    'a redirect',
    { status: 302, body: '', headers: { location: 'http://127.0.0.1:9/api/embed' } },
    /redirect \(302\), which docsearch does not follow/,
  ],
  ['a refusal', { status: 400, error: 'this model does not support embeddings' }, /does not support embeddings/],
])('a server that answers with %s is not believed, and health says what it answered', async (_, fault, message) => {
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

test('a server that is away: a clear error, and back to work when it returns', async () => {
  const embedder = await stage.make()
  await stage.fake.stop()
  await expect(embedder.embedDocuments(inputs('one'))).rejects.toMatchObject({
    code: errorCode('embedder_unavailable'),
    message: expect.stringMatching(/cannot be reached: nothing listens there/),
  })
  await expect(embedder.embedQuery('one')).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  expect(await embedder.check()).toMatchObject({ ok: false, code: errorCode('embedder_unavailable') })
  await stage.fake.restart()
  expect(present(await embedder.embedDocuments(inputs('one')))).toEqual([true])
  expect(await embedder.check()).toMatchObject({ ok: true })
})

test('a server that never answers is given up after the time that was set', async () => {
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

test('aborting ends a call that is under way, with the reason of the signal', async () => {
  const embedder = await stage.make()
  await embedder.embedDocuments(inputs('warm'))
  const abort = new AbortController()
  const { work, release } = await startedOn(embedder, abort.signal)
  const reason = new Error('the document was deleted')
  abort.abort(reason)
  await expect(work).rejects.toBe(reason)
  release()
})

test('closing ends a call that is under way', async () => {
  const embedder = await stage.make()
  await embedder.embedDocuments(inputs('warm'))
  const { work, release } = await startedOn(embedder)
  const refused = expect(work).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  await embedder.close()
  await refused
  release()
})
