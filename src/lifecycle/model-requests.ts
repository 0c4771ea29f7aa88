import { setTimeout as sleep } from 'node:timers/promises'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import { withoutLatest } from '../ollama/client.ts'
import type { Records } from '../records/records.ts'
import type { ModelRequest, ModelRequestRecords, Versions, HeldLease } from '../records/shared.ts'
import type { ChooseEmbedder, UseOutcome, Lifecycle } from './lifecycle.ts'
import { type ModelTest, testModel } from './model-test.ts'
import type { Logger } from '../core/logger.ts'

/** How long a change of model waits for the process that writes the index. */
const USE_MS = 20_000
const USE_LOOK_MS = 100
const NOT_ANSWERED =
  'No process has switched to this model yet. The process that writes the index will do so. If there is none, start one with --role worker or --role all.'
const REPLACED = 'A newer request for another model has replaced this one.'
const WITHDRAWN = 'This request was withdrawn in the meantime, because the model cannot be used or its index was removed.'
const ONLY_HERE =
  'The process that writes the index still gets the former vectors from its Ollama, so it builds no new index. Run the same version of Ollama for all processes.'

interface ModelRequestsOptions {
  records: Pick<Records, 'indexes'>
  versions: Versions
  modelRequests: ModelRequestRecords
  chooseEmbedder: ChooseEmbedder
  /** Says whether a process writes the index. */
  isWorking(): Promise<boolean>
  /** Reads the list of indexes again if it has changed. */
  catchUp(): Promise<void>
  /** Checks the vectors. Returns whether this process gets other vectors than those in the active index. */
  hasChanged(): Promise<boolean>
  signal: AbortSignal
}

/** Handles requests to use, test or remove a model in a process that does not write the index. The process that writes it makes the changes. */
export class ModelRequests {
  readonly #options: ModelRequestsOptions

  constructor(options: ModelRequestsOptions) {
    this.#options = options
  }

  /** Asks the process that writes the index to use the model, and waits a while for its answer. Throws `model_unusable`. */
  async use(name: string): Promise<UseOutcome> {
    const { versions, modelRequests, catchUp, hasChanged } = this.#options
    const embedder = withoutLatest(name)
    await this.#requireUsable(embedder)
    // The answer to a request that is repeated while the other process carries it out must still arrive.
    const isRepeated = !(await modelRequests.make(embedder))
    await versions.grow('models')
    const request = await this.#waitForAnswer(embedder)
    if (request === null) throw new DocsearchError('model_unusable', WITHDRAWN)
    if (request.embedder !== embedder) throw new DocsearchError('model_unusable', REPLACED)
    const { id, answer } = request
    if (answer === null) return { embedder, state: 'requested', notice: NOT_ANSWERED, isRepeated }
    if ('failure' in answer) {
      await modelRequests.withdraw(id)
      throw new DocsearchError('model_unusable', cannotUse(embedder, answer.failure))
    }
    await catchUp()
    const isOnlyHere = answer.state === 'in_use' && (await hasChanged())
    return { embedder, state: answer.state, notice: isOnlyHere ? ONLY_HERE : answer.notice, isRepeated }
  }

  /** Throws `model_unusable` if this process can't use the model. */
  async #requireUsable(name: string): Promise<void> {
    const { embedder, reason } = await this.#options.chooseEmbedder(null, name)
    if (embedder === null) throw new DocsearchError('model_unusable', reason)
    await embedder.close()
  }

  /** Returns the newest request once it has an answer or names another embedder, or when no answer is likely to come soon. */
  async #waitForAnswer(embedder: string): Promise<ModelRequest | null> {
    const { modelRequests, isWorking, signal } = this.#options
    for (let left = USE_MS; ; left -= USE_LOOK_MS) {
      const request = await modelRequests.newest()
      if (request?.embedder !== embedder || request.answer !== null || left <= 0 || !(await isWorking())) return request
      await sleep(USE_LOOK_MS, undefined, { signal })
    }
  }

  /** See `IndexReading`. */
  test(name: string, signal: AbortSignal): Promise<ModelTest> {
    return testNamed(this.#options.chooseEmbedder, name, signal)
  }

  /** The process that writes the index deletes the files. */
  async remove(name: string): Promise<void> {
    const { records, versions, modelRequests } = this.#options
    const wanted = withoutLatest(name)
    const all = await records.indexes.all()
    const active = all.find(({ state }) => state === 'active')
    const found = all.find((record) => record.embeddingModel === wanted && record !== active)
    if (found === undefined && active?.embeddingModel === wanted)
      throw new DocsearchError('model_in_use', `${wanted} is in use. Switch to another one first, with \`docsearch models use\`.`)
    const request = await modelRequests.newest()
    const isPending = request?.embedder === wanted && (request.answer === null || 'failure' in request.answer)
    // Otherwise, the other process would build the index again.
    if (isPending) await modelRequests.withdraw(request.id)
    else if (found === undefined) throw new DocsearchError('index_not_found', `There is no index of ${wanted}.`)
    if (found === undefined) return
    if (found.state === 'building' && active !== undefined) await records.indexes.choose(active.embeddingModel)
    await records.indexes.drop(found.id)
    await versions.grow('models')
  }
}

function cannotUse(embedder: string, reason: string): string {
  return `The process that writes the index cannot use ${embedder}. ${reason}`
}

interface RequestParts {
  lifecycle: Pick<Lifecycle, 'use'>
  requests: Pick<ModelRequestRecords, 'newest' | 'answer'>
  /** The lease of the process that writes the index. */
  held: Pick<HeldLease, 'isStillHeld'>
  log: Logger
}

/** Carries out a user's request to use a model, and answers it. Returns false if the model can't be used yet. */
export async function carryOutRequest({ lifecycle, requests, held, log }: RequestParts): Promise<boolean> {
  const request = await requests.newest()
  if (request === null || (request.answer !== null && !('failure' in request.answer))) return true
  try {
    const { state, notice } = await lifecycle.use(request.embedder)
    await requests.answer(request, { state, notice })
    return true
  } catch (error) {
    // An answer would end the request. The next writer may be able to use the model.
    if (!(await held.isStillHeld())) throw error
    log.error({ err: error, embedder: request.embedder }, 'the requested embedder cannot be used; trying again later')
    await requests.answer(request, { failure: isDocsearchError(error) ? error.message : 'Internal error. See its server log.' })
    return false
  }
}

/** Tests a model, which need not be in use. Throws `model_unusable`. */
export async function testNamed(chooseEmbedder: ChooseEmbedder, name: string, signal: AbortSignal): Promise<ModelTest> {
  const { embedder, reason } = await chooseEmbedder(null, withoutLatest(name))
  if (embedder === null) throw new DocsearchError('model_unusable', reason)
  try {
    return await testModel(embedder, signal)
  } finally {
    await embedder.close()
  }
}

/** Returns what to tell a user who chooses an embedder while the configuration names another one. Null if it does not. */
export function pinnedNotice(pinned: string | null, embedder: string): string | null {
  if (pinned === null || withoutLatest(pinned) === embedder) return null
  return `The configuration of this instance names the embedder ${pinned}, so the next start switches back to it. Remove that setting, or set it to ${embedder}.`
}
