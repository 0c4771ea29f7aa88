import { createBuiltinEmbedder } from '../src/embed/builtin.ts'
import { readMismatchSet } from '../test/quality/mismatch.ts'
import type { Figure } from './measure.ts'

const WORDS = 120
const PASSAGES = 4_000
const BOUND = 2_000

/** Measures the built-in embedder on one thread, in processor time. Each passage is a different run of 120 words from everyday documents. */
export async function measureEmbed(): Promise<Figure[]> {
  const words = readMismatchSet().passages.flatMap(({ text }) => text.split(/\s+/))
  const inputs = Array.from({ length: PASSAGES }, (_, i) => {
    const from = (i * 37) % (words.length - WORDS)
    return { text: words.slice(from, from + WORDS).join(' '), title: null }
  })
  const loading = process.cpuUsage()
  const embedder = createBuiltinEmbedder()
  const loadedMs = seconds(loading) * 1000
  // The first run lets V8 compile.
  await embedder.embedDocuments(inputs.slice(0, 500))
  const embedding = process.cpuUsage()
  await embedder.embedDocuments(inputs)
  const perSecond = PASSAGES / seconds(embedding)
  return [
    {
      name: `built-in embedder: passages of ${WORDS} words a second on one thread (its model is there after ${loadedMs.toFixed(0)} ms)`,
      value: perSecond.toFixed(0),
      bound: `≥ ${BOUND}`,
    },
  ]
}

function seconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}
