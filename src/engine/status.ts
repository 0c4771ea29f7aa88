import type { ActiveEngine, Engine } from './engine.ts'

/** State of embedder and index in words, for health. */
export async function engineStatus(
  active: ActiveEngine | null,
  reason: string,
  rebuilt: string | null,
): ReturnType<Engine['status']> {
  if (active === null) {
    const message = `No embedder yet, so nothing can be searched: ${reason}`
    return {
      embedder: { status: 'unavailable', message },
      index: { status: 'degraded', message: 'There is no index before there is an embedder.' },
    }
  }
  const [embedder, index] = await Promise.all([active.embedder.check(), active.index.check()])
  return {
    embedder: {
      status: embedder.ok ? 'ok' : 'degraded',
      message: embedder.ok ? reason : embedder.message,
      code: embedder.code,
      model: active.embedder.name,
      dimensions: active.embedder.dimensions,
    },
    index: {
      status: index.ok ? 'ok' : 'degraded',
      message: rebuilt === null ? index.message : `${index.message}; built anew since the start, because ${rebuilt}`,
      chunks: index.chunks,
      ann: index.ann,
    },
  }
}
