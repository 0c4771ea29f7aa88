import { expect, test } from 'vitest'
import { DocsearchError } from '../../../src/core/errors.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { carryOutRequest } from '../../../src/lifecycle/model-requests.ts'
import type { ModelRequest } from '../../../src/records/shared.ts'
import { errorCode } from '../../support/codes.ts'

/** A request for a model, and the process that writes the index. */
function newRequest({ failure = null as Error | null, hasLease = true } = {}) {
  let request: ModelRequest = { id: 'one', embedder: 'ollama:m', answer: null }
  const used: string[] = []
  const run = () =>
    carryOutRequest({
      lifecycle: {
        async use(embedder) {
          if (failure) throw failure
          used.push(embedder)
          return { embedder, state: 'building', notice: null }
        },
      },
      requests: {
        newest: async () => request,
        answer: async (_, answer) => void (request = { ...request, answer }),
      },
      held: { isStillHeld: async () => hasLease },
      log: silentLogger,
    })
  return { run, used, answer: () => request.answer }
}

test('answers a request once', async () => {
  const { run, used, answer } = newRequest()
  expect([await run(), await run()]).toEqual([true, true])
  expect(used).toEqual(['ollama:m'])
  expect(answer()).toEqual({ state: 'building', notice: null })
})

test('says why the model cannot be used yet', async () => {
  const { run, answer } = newRequest({ failure: new DocsearchError('model_unusable', 'Ollama lacks it.') })
  expect(await run()).toBe(false)
  expect(answer()).toEqual({ failure: 'Ollama lacks it.' })
})

test('a process that has lost the lease leaves the request to the next one', async () => {
  const failure = new DocsearchError('writer_replaced', 'Another process writes this index now.')
  const { run, answer } = newRequest({ failure, hasLease: false })
  await expect(run()).rejects.toMatchObject({ code: errorCode('writer_replaced') })
  expect(answer()).toBeNull()
})
