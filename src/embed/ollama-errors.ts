import { DocsearchError } from '../core/errors.ts'
import { OllamaCallError } from './ollama-client.ts'

export function isWorthRetrying(error: unknown): boolean {
  return error instanceof OllamaCallError && (error.failure === 'unreachable' || error.failure === 'busy')
}

/** An address without the name and password it may hold. */
export function withoutCredentials(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  return `${parsed.protocol}//${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`
}

/** A failed call in words a person can act on. Anything else is given back as it is. */
export function explain(error: unknown, url: string, model: string): unknown {
  if (!(error instanceof OllamaCallError)) return error
  const where = `Ollama at ${withoutCredentials(url)}`
  const make = (message: string, retryAfter: number, code = 'embedder_unavailable'): DocsearchError =>
    new DocsearchError(code, message, { blame: 'outside', cause: error, retryAfter })
  switch (error.failure) {
    case 'unreachable':
      return make(`${where} cannot be reached: ${error.message}. Start it, or set its address with \`--ollama\`.`, 15)
    case 'busy':
      return make(`${where} is overloaded or failing: ${error.message}.`, 15)
    case 'model_missing':
      return make(`${where} does not have the model ${model}. Run \`ollama pull ${model}\`.`, 30, 'embedding_model_missing')
    case 'too_long':
    case 'not_finite':
    case 'refused':
    case 'nonsense':
      return make(`${where} cannot embed with ${model}: ${error.message}.`, 60)
  }
}
