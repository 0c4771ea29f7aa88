import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type ServedWork, ServingQueue } from './fake-ollama-queue.ts'
import { fakeLogprobs, fakeRelevance, readPrompt } from './fake-relevance.ts'
import { EMBEDDINGGEMMA, countFakeTokens, fakeVector, makeModel, withTag } from './fake-ollama-model.ts'
import type { FakeModel } from './fake-ollama-model.ts'
import { type FakePull, streamPull } from './fake-ollama-pull.ts'

/** A failure instead of an answer. It happens `times` times, once by default. `assertDone` fails when a planned fault did not happen. */
export interface Fault {
  /** `/api/embed`, `/api/generate`. */
  path: string
  times?: number
  /** Limits it to the requests for which this returns true. */
  when?: (body: Record<string, unknown>) => boolean
  /** An error of Ollama: `status` and the text of `{"error": …}`, or any `body`. */
  status?: number
  error?: string
  body?: string
  headers?: Record<string, string>
  /** Closes the connection, never answers, or changes the right answer. */
  kind?: 'reset' | 'hang' | 'wrong_dimensions' | 'wrong_count' | 'nan_values'
}

export interface FakeCall {
  path: string
  body: Record<string, unknown>
}

export interface FakeOllama {
  readonly url: string
  /** Every request, in order. */
  readonly calls: FakeCall[]
  /** The inputs of all embedding calls, one array for each call. */
  embedCalls(): string[][]
  /** How often a model was loaded: once at first, and again for every other `num_ctx`. */
  readonly loads: number
  fail(fault: Fault): void
  /** Holds the next call of this path (for which `when` returns true) until `release` is called. `arrived` resolves when the call is there. */
  hold(path: string, when?: Fault['when']): { arrived: Promise<void>; release(): void }
  /** Delays every answer of this path, in milliseconds. */
  delay(path: string, ms: number): void
  /** Sets how many tokens the fake computes per second, one text after another, in the order in which they came. Infinite by default. */
  speed(tokensPerSecond: number): void
  /** Stops computing: all calls to models wait until `thaw`. The server itself goes on answering, unless `all` is true. */
  freeze(options?: { all?: boolean }): void
  thaw(): void
  /** Limits how many calls wait for a model. Further ones are refused, as with OLLAMA_MAX_QUEUE. */
  limitQueue(calls: number): void
  /** What the models computed, in order. */
  readonly computed: readonly ServedWork[]
  /** Makes each batch with this word fail, as NaN does. `old` gives the message of older servers. */
  poison(word: string, old?: boolean): void
  setModels(models: FakeModel[]): void
  /** Puts other weights under the same name, as a pull does. */
  setDigest(model: string, digest: string): void
  /** Gives other vectors under the same name and digest, as after an update of Ollama. Undefined brings the first ones back. */
  drift(model: string, how?: string): void
  /** Sets how further downloads go. They add the model `makes`, or a default embedding model. */
  pulls(how: FakePull, makes?: FakeModel): void
  /** Number of downloads whose connection closed before their end. */
  readonly hungUp: number
  stop(): Promise<void>
  /** Starts again on the same port. */
  restart(): Promise<void>
  /** Throws when a planned fault did not happen. */
  assertDone(): void
  close(): Promise<void>
}

/** Starts a fake Ollama over real HTTP on port 0. It answers /api/version, tags, show, ps, embed, generate and pull like v0.33. */
export async function startFakeOllama(models: FakeModel[] = [EMBEDDINGGEMMA]): Promise<FakeOllama> {
  let installed = [...models]
  let server: Server | null = null
  let port = 0
  let loads = 0
  const loaded = new Map<string, unknown>()
  const calls: FakeCall[] = []
  const faults: (Fault & { left: number })[] = []
  const holds: { path: string; when: Fault['when']; arrive(): void; released: Promise<void> }[] = []
  const delays = new Map<string, number>()
  const poisons = new Map<string, boolean>()
  const drifts = new Map<string, string>()
  let pulling: { how: FakePull; makes: FakeModel | undefined } = { how: {}, makes: undefined }
  let hungUp = 0
  const serving = new ServingQueue()

  // The fake's vectors depend on the digest.
  const drifted = (model: FakeModel): FakeModel => ({ ...model, digest: model.digest + (drifts.get(model.name) ?? '') })

  async function start(): Promise<void> {
    server = createServer((request, response) => {
      answer(request, response).catch((error: unknown) => response.destroy(error as Error))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  async function stop(): Promise<void> {
    if (server === null) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    server = null
    await closed
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!
    const body = await readJson(request)
    calls.push({ path, body })
    const held = holds.findIndex((hold) => hold.path === path && (hold.when?.(body) ?? true))
    if (held >= 0) {
      const [hold] = holds.splice(held, 1)
      hold!.arrive()
      await hold!.released
    }
    const delay = delays.get(path)
    if (delay !== undefined) await pause(delay)
    const fault = faults.find((one) => one.path === path && one.left > 0 && (one.when?.(body) ?? true))
    if (fault !== undefined) fault.left--
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'reset') return void response.destroy()
    if (fault?.body !== undefined) return void response.writeHead(fault.status ?? 200, fault.headers).end(fault.body)
    if (fault?.status !== undefined) return fail(response, fault.status, fault.error ?? 'something went wrong', fault.headers)
    if (serving.isWholeServerFrozen) await serving.thawed()
    return route(request.method!, path, body, response, fault?.kind)
  }

  function route(
    method: string,
    path: string,
    body: Record<string, unknown>,
    response: ServerResponse,
    lie: Fault['kind'],
  ): void | Promise<void> {
    switch (`${method} ${path}`) {
      case 'GET /api/version':
        return send(response, { version: '0.33.0' })
      case 'GET /api/tags':
        return send(response, { models: installed.map(listed) })
      case 'GET /api/ps':
        return send(response, { models: installed.filter(({ name }) => loaded.has(name)).map(listed) })
      case 'POST /api/show': {
        const model = find(body, response)
        return model && send(response, shown(model))
      }
      case 'POST /api/embed': {
        const model = find(body, response, (name) => `model "${name}" not found, try pulling it first`)
        if (model === undefined) return
        const texts = [body['input']].flat().map(String)
        return inTurn(path, texts, response, () => embed(model, body, response, lie))
      }
      case 'POST /api/generate': {
        const model = find(body, response)
        if (model === undefined) return
        return inTurn(path, [String(body['prompt'])], response, () => generate(model, body, response))
      }
      case 'POST /api/pull':
        return void streamPull(response, pulling.how, () => hungUp++).then((whole) => {
          if (whole) installed = [...installed, pulling.makes ?? makeModel(String(body['model']))]
        })
      default:
        return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found')
    }
  }

  function find(
    body: Record<string, unknown>,
    response: ServerResponse,
    message = (name: string) => `model '${name}' not found`,
  ): FakeModel | undefined {
    const model = installed.find(({ name }) => name === withTag(String(body['model'])))
    if (model === undefined) fail(response, 404, message(String(body['model'])))
    return model
  }

  /** Computes when all earlier calls are done, unless the caller has hung up by then. */
  async function inTurn(path: string, texts: string[], response: ServerResponse, compute: () => void): Promise<void> {
    const outcome = await serving.turn(
      { path, texts, tokens: texts.reduce((sum, text) => sum + countFakeTokens(text), 0) },
      response,
    )
    if (outcome === 'full') return fail(response, 503, 'server busy, please try again.  maximum pending requests exceeded')
    if (outcome === 'ready') compute()
  }

  function load(model: FakeModel, body: Record<string, unknown>): void {
    const context = JSON.stringify(body['options'] ?? null)
    if (loaded.get(model.name) !== context) loads++
    loaded.set(model.name, context)
  }

  function generate(model: FakeModel, body: Record<string, unknown>, response: ServerResponse): void {
    if (!model.capabilities.includes('completion'))
      return fail(response, 400, `"${String(body['model'])}" does not support generate`)
    load(model, body)
    const { question, passage, begun } = readPrompt(String(body['prompt']))
    const said = begun.trim().toLowerCase()
    // Without `raw` it is a chat, whose first token means nothing.
    const yes =
      body['raw'] !== true
        ? 0.5
        : said === ''
          ? fakeRelevance(model.reading ?? 'reads', question, passage)
          : Number(said === 'yes') || 1e-9
    const top = fakeLogprobs(Math.min(yes, 1 - 1e-9), Number(body['top_logprobs'] ?? 0)).map((one) =>
      model.logprobs === 'positive' ? { ...one, logprob: -one.logprob } : one,
    )
    const [first = { token: 'no', logprob: -0.1 }] = top
    const changed = { null: null, text: 'high' } as Record<string, unknown>
    const told = { ...first, ...(model.logprobs && model.logprobs in changed && { logprob: changed[model.logprobs] }) }
    send(response, {
      model: model.name,
      response: first.token,
      done: true,
      ...(body['logprobs'] === true && model.logprobs !== 'none' && { logprobs: [{ ...told, top_logprobs: top }] }),
    })
  }

  function embed(model: FakeModel, body: Record<string, unknown>, response: ServerResponse, lie: Fault['kind']): void {
    const input = body['input']
    const inputs = input === '' ? [] : (Array.isArray(input) ? input : [input]).map(String)
    load(model, body)
    if (!model.capabilities.includes('embedding')) return fail(response, 400, 'this model does not support embeddings')
    if (typeof body['keep_alive'] === 'string')
      return fail(response, 400, `time: missing unit in duration "${body['keep_alive']}"`)
    if (body['truncate'] === false && inputs.some((text) => countFakeTokens(text) > model.contextLength)) {
      return fail(response, 400, 'the input length exceeds the context length')
    }
    for (const [word, old] of poisons) {
      if (!inputs.some((text) => text.includes(word))) continue
      return old
        ? fail(response, 500, 'failed to encode response: json: unsupported value: NaN')
        : fail(response, 400, 'embedding contains NaN or Inf values')
    }
    const dimensions = Number(body['dimensions'] ?? model.dimensions)
    const embeddings: unknown[][] = inputs.map((text) => fakeVector(drifted(model), text, dimensions))
    if (lie === 'wrong_dimensions') for (const vector of embeddings) vector.pop()
    if (lie === 'wrong_count') embeddings.pop()
    if (lie === 'nan_values') embeddings[0]![3] = null
    send(response, { model: model.name, embeddings, total_duration: 1, load_duration: 1, prompt_eval_count: 1 })
  }

  await start()
  return {
    get url() {
      return `http://127.0.0.1:${port}`
    },
    calls,
    embedCalls: () => calls.filter(({ path }) => path === '/api/embed').map(({ body }) => [body['input']].flat().map(String)),
    get loads() {
      return loads
    },
    fail: (fault) => void faults.push({ ...fault, left: fault.times ?? 1 }),
    hold(path, when) {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      holds.push({ path, when, arrive: arrived.resolve, released: released.promise })
      return { arrived: arrived.promise, release: released.resolve }
    },
    delay: (path, ms) => void delays.set(path, ms),
    speed: (tokensPerSecond) => serving.setSpeed(tokensPerSecond),
    freeze: ({ all = false } = {}) => serving.freeze(all),
    thaw: () => serving.thaw(),
    limitQueue: (waiting) => serving.limit(waiting),
    computed: serving.computed,
    poison: (word, old = false) => void poisons.set(word, old),
    setModels: (next) => void (installed = [...next]),
    setDigest(model, digest) {
      installed = installed.map((one) => (one.name === withTag(model) ? { ...one, digest } : one))
    },
    drift: (model, how) => void (how === undefined ? drifts.delete(withTag(model)) : drifts.set(withTag(model), how)),
    pulls: (how, makes) => void (pulling = { how, makes }),
    get hungUp() {
      return hungUp
    },
    async stop() {
      serving.thaw()
      await stop()
    },
    restart: start,
    assertDone() {
      const unmet = faults
        .filter(({ left }) => left > 0)
        .map(({ path, left, status, kind }) => `${left} × ${path} ${status ?? kind ?? ''}`)
      if (unmet.length > 0) throw new Error(`planned faults that were never met: ${unmet.join(', ')}`)
    },
    async close() {
      serving.thaw()
      await stop()
    },
  }
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part as string
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

function fail(response: ServerResponse, status: number, error: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify({ error }))
}

function details(model: FakeModel): object {
  return {
    format: 'gguf',
    family: model.architecture,
    families: [model.architecture],
    parameter_size: '307.58M',
    quantization_level: 'BF16',
  }
}

function listed(model: FakeModel): object {
  const { name, digest } = model
  return { name, model: name, modified_at: '2025-10-01T12:00:00Z', size: 621_875_917, digest, details: details(model) }
}

function shown(model: FakeModel): object {
  const { architecture, contextLength, dimensions, capabilities } = model
  return {
    details: details(model),
    model_info: {
      'general.architecture': architecture,
      [`${architecture}.context_length`]: contextLength,
      [`${architecture}.embedding_length`]: dimensions,
    },
    capabilities,
    modified_at: '2025-10-01T12:00:00Z',
  }
}
