import type { Reading } from './fake-relevance.ts'

/**
 * A model of the fake Ollama. Its vectors are hashed bags of words: similar for texts that share words (or their first five letters), and
 * different under another digest.
 */
export interface FakeModel {
  name: string
  digest: string
  architecture: string
  contextLength: number
  dimensions: number
  capabilities: string[]
  /** How it scores as a reranker, `reads` by default. */
  reading?: Reading
  /** What it gives as log-probabilities: none (like servers before 0.12.11), positive numbers, null for NaN, or a text. */
  logprobs?: 'none' | 'positive' | 'null' | 'text'
}

export const EMBEDDINGGEMMA: FakeModel = {
  name: 'embeddinggemma:latest',
  digest: '85462619ee721b466c5927d109d4cb765861907d5417b9109caebc4e614679f1',
  architecture: 'gemma3',
  contextLength: 2048,
  dimensions: 768,
  capabilities: ['embedding'],
}

export function makeModel(name: string, more: Partial<FakeModel> = {}): FakeModel {
  const digest = hash(name).toString(16).padStart(8, '0').repeat(8)
  return {
    name: withTag(name),
    digest,
    architecture: 'bert',
    contextLength: 512,
    dimensions: 384,
    capabilities: ['embedding'],
    ...more,
  }
}

/** A common reranker, whose only capability is to generate. */
export const QWEN3_RERANKER: FakeModel = makeModel('qwen3-reranker', {
  architecture: 'qwen3',
  contextLength: 32_768,
  dimensions: 1024,
  capabilities: ['completion'],
})

/** Adds the tag `latest` to a name without a tag, as Ollama does. */
export function withTag(name: string): string {
  return name.includes(':') ? name : `${name}:latest`
}

export function countFakeTokens(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
}

// Words of the prefixes, which a real model has learned to ignore.
const TEMPLATE_WORDS = new Set(['task', 'search', 'result', 'query', 'title', 'none', 'text', 'document'])
const DIRECTIONS = 12

/** Returns a vector of length 1, or null for a text without words. */
export function fakeVector(model: FakeModel, text: string, dimensions: number): number[] {
  const vector = new Array<number>(model.dimensions).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const weight = TEMPLATE_WORDS.has(word) || word.length < 4 ? 0.05 : 1
    let state = hash(`${model.digest} ${word.slice(0, 5)}`)
    for (let i = 0; i < DIRECTIONS; i++) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
      vector[(state >>> 8) % model.dimensions]! += (state & 1) === 0 ? weight : -weight
    }
  }
  const cut = vector.slice(0, dimensions)
  const length = Math.hypot(...cut) || 1
  return cut.map((value) => value / length)
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
