import { BreakerOpen } from '../core/breaker.ts'
import { DocsearchError, type ErrorCode } from '../core/errors.ts'
import { withoutCredentials } from '../core/http-fetch.ts'
import { OllamaCallError } from '../ollama/client.ts'

export function isWorthRetrying(error: unknown): boolean {
  return error instanceof OllamaCallError && (error.failure === 'unreachable' || error.failure === 'busy')
}

/** Returns a failed call as a DocsearchError that says what to do. Returns every other error unchanged. */
export function explain(error: unknown, url: string, model: string): unknown {
  if (error instanceof BreakerOpen)
    return new DocsearchError('embedder_unavailable', notAnswering(url), { cause: error, retryAfter: 15 })
  if (!(error instanceof OllamaCallError)) return error
  const where = `Ollama at ${withoutCredentials(url)}`
  const make = (message: string, retryAfter: number): DocsearchError =>
    new DocsearchError('embedder_unavailable', message, { cause: error, retryAfter })
  switch (error.failure) {
    case 'unreachable':
    case 'timeout':
      return make(`${where} cannot be reached: ${error.message}. Start it, or set its address with \`--ollama\`.`, 15)
    case 'busy':
      return make(`${where} is overloaded or failing: ${error.message}.`, 15)
    case 'model_missing':
      return make(`${where} does not have the model ${model}. Run \`docsearch models pull ${model}\`.`, 30)
    case 'too_long':
    case 'not_finite':
    case 'refused':
    case 'nonsense':
      return make(`${where} cannot embed with ${model}: ${error.message}.`, 60)
  }
}

/** Says that the server missed the deadline of a query and has not answered since. */
export function notAnswering(url: string): string {
  return `Ollama at ${withoutCredentials(url)} did not answer a query in time. Searches use keywords only until it answers again.`
}

/** Returns the code for the health report. A missing model has a code of its own, because a pull cures it. */
export function healthCode(error: DocsearchError): ErrorCode {
  return error.cause instanceof OllamaCallError && error.cause.failure === 'model_missing'
    ? 'embedding_model_missing'
    : error.code
}

/** True for failures that `check` can't notice in the list of models. They count until something is embedded. */
export function outlastsCheck(error: DocsearchError): boolean {
  return error.cause instanceof OllamaCallError && ['refused', 'nonsense', 'not_finite'].includes(error.cause.failure)
}
