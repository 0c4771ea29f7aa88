import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fakeLogprobs, fakeRelevance, readPrompt } from './fake-relevance.ts'
import { EMBEDDINGGEMMA, countFakeTokens, fakeVector, makeModel, withTag } from './fake-ollama-model.ts'
import type { FakeModel } from './fake-ollama-model.ts'
import { type FakePull, streamPull } from './fake-ollama-pull.ts'

/** What goes wrong instead of an answer. Without `times` it goes wrong once; each must be met, see `assertDone`. */
export interface Fault {
  /** `/api/embed`, `/api/generate`. */
  path: string
  times?: number
  /** Only requests this holds for. */
  when?: (body: Record<string, unknown>) => boolean
  /** An error of Ollama's: `status` and the text of `{"error": …}`, or any body at all. */
  status?: number
  error?: string
  body?: string
  headers?: Record<string, string>
  /** The connection is cut; nothing is ever answered; the right answer, changed. */
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
  /** The next call of this path (for which `when` holds) waits until `release` is called; `arrived` tells that it is there. */
  hold(path: string, when?: Fault['when']): { arrived: Promise<void>; release(): void }
  /** Milliseconds before every answer of this path. */
  delay(path: string, ms: number): void
  /** Inputs with this word make the whole batch fail, as NaN does; `old` in the words of older servers. */
  poison(word: string, old?: boolean): void
  setModels(models: FakeModel[]): void
  /** Other weights under the same name, as after a pull. */
  setDigest(model: string, digest: string): void
  /** Other vectors under the same name and digest, as after an update of Ollama; undefined for those of before. */
  drift(model: string, how?: string): void
  /** How downloads go from here on. A model that was downloaded is `makes`, or an embedding model of the default kind. */
  pulls(how: FakePull, makes?: FakeModel): void
  /** Downloads whose connection was closed before they were whole. */
  readonly hungUp: number
  stop(): Promise<void>
  /** On the same port. */
  restart(): Promise<void>
  /** Fails when a planned fault was never met. */
  assertDone(): void
  close(): Promise<void>
}

/** An Ollama over real HTTP on port 0: /api/version, tags, show, ps, embed, generate, pull, as v0.33 answers them. */
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

  // The fake's vectors hang on the digest.
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
    route(request.method!, path, body, response, fault?.kind)
  }

  function route(
    method: string,
    path: string,
    body: Record<string, unknown>,
    response: ServerResponse,
    lie: Fault['kind'],
  ): void {
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
        const model = find(body, response)
        return model && embed(model, body, response, lie)
      }
      case 'POST /api/generate': {
        const model = find(body, response)
        if (model === undefined) return
        return generate(model, body, response)
      }
      case 'POST /api/pull':
        return void streamPull(response, pulling.how, () => hungUp++).then((whole) => {
          if (whole) installed = [...installed, pulling.makes ?? makeModel(String(body['model']))]
        })
      default:
        return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found')
    }
  }

  function find(body: Record<string, unknown>, response: ServerResponse): FakeModel | undefined {
    const model = installed.find(({ name }) => name === withTag(String(body['model'])))
    if (model === undefined) fail(response, 404, `model '${String(body['model'])}' not found`)
    return model
  }

  function load(model: FakeModel, body: Record<string, unknown>): void {
    const context = JSON.stringify(body['options'] ?? null)
    if (loaded.get(model.name) !== context) loads++
    loaded.set(model.name, context)
  }

  function generate(model: FakeModel, body: Record<string, unknown>, response: ServerResponse): void {
    if (!model.capabilities.includes('completion')) return fail(response, 400, `"${model.name}" does not support generate`)
    load(model, body)
    const { question, passage, begun } = readPrompt(String(body['prompt']))
    const said = begun.trim().toLowerCase()
    // Without `raw` it is a chat: the model talks, and its first token says nothing.
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
        ? fail(response, 500, 'json: unsupported value: NaN')
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
    stop,
    restart: start,
    assertDone() {
      const unmet = faults
        .filter(({ left }) => left > 0)
        .map(({ path, left, status, kind }) => `${left} × ${path} ${status ?? kind ?? ''}`)
      if (unmet.length > 0) throw new Error(`planned faults that were never met: ${unmet.join(', ')}`)
    },
    close: stop,
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
