import pRetry from 'p-retry'
import { DocsearchError } from '../core/errors.ts'
import { type CallOptions, OllamaCallError, type OllamaClient } from '../ollama/client.ts'
import { isWorthRetrying } from './ollama-errors.ts'

/** How often and how long a call is tried. Pauses between tries grow from `minTimeout` (to twice that, at random) up to `maxTimeout`. */
export interface Patience {
  retries: number
  minTimeout: number
  maxTimeout: number
  /** Milliseconds one try has. */
  timeoutMs: number
}

/**
 * One model on an Ollama server. Knows when the server last showed the expected digest: after any failure it has to be checked
 * again, because the server may have come back with another model under the same name.
 */
export class OllamaModel {
  private readonly client: OllamaClient
  private readonly name: string
  private readonly digest: string
  private verifiedAt = -Infinity

  constructor(client: OllamaClient, name: string, digest: string) {
    this.client = client
    this.name = name
    this.digest = digest
  }

  /** Calls the server with retries, where trying again may help. */
  async call<T>(
    { timeoutMs, ...patience }: Patience,
    signal: AbortSignal,
    run: (client: OllamaClient, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const attempt = () =>
      run(this.client, { timeoutMs, signal }).catch((error: unknown) => {
        this.verifiedAt = -Infinity
        throw error
      })
    // Random pauses, so that many callers do not return at the same moment.
    return pRetry(attempt, { ...patience, randomize: true, signal, shouldRetry: ({ error }) => isWorthRetrying(error) })
  }

  /** Throws `embedding_model_changed` when the server has another model under this name, OllamaCallError when it has none. */
  async verify(patience: Patience, signal: AbortSignal): Promise<void> {
    const models = await this.call(patience, signal, (client, options) => client.list(options))
    const found = models.find(({ name }) => name === this.name)
    if (found === undefined) throw new OllamaCallError('model_missing', `model '${this.name}' not found`)
    if (found.digest !== this.digest) {
      this.verifiedAt = -Infinity
      throw modelChanged(this.name)
    }
    this.verifiedAt = performance.now()
  }

  isVerifiedWithin(ms: number): boolean {
    return performance.now() - this.verifiedAt <= ms
  }
}

function modelChanged(name: string): DocsearchError {
  const message =
    `Ollama's ${name} is no longer the model that built this index, so its vectors cannot be compared with those in the index. ` +
    `Install the former model again, or embed all documents with the new one: \`docsearch models use ${name}\`.`
  return new DocsearchError('embedding_model_changed', message, { retryAfter: 60 })
}
