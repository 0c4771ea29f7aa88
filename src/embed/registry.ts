/** What has to be known of an embedding model to use it well; wrong prefixes cost more than a smaller model does. */
export interface ModelProfile {
  /** As Ollama names it, without a tag. */
  family: string
  dimensions: number | null
  /** Tokens the model was made for; its context in Ollama may say more. */
  contextTokens: number
  queryTemplate(query: string): string
  documentTemplate(text: string, title: string | null): string
  /** Whether `documentTemplate` shows the title. */
  usesTitle: boolean
  /** Shorter vectors it was trained to give; `any` for all below its own, empty for none: Ollama cuts any model's, good or not. */
  cuts: readonly number[] | 'any'
  /** Weight of the vector channel in fusion, see Embedder. */
  fusionWeight: number
  /** Raised when a template changes: part of the fingerprint. */
  templateVersion: number
}

const plain = (text: string): string => text

function prefixed(prefix: string): (text: string) => string {
  return (text) => prefix + text
}

const BASE = {
  dimensions: null,
  documentTemplate: plain,
  queryTemplate: plain,
  usesTitle: false,
  cuts: [],
  fusionWeight: 0.5,
  templateVersion: 1,
} as const

/**
 * In the order in which `auto` prefers them. Templates and limits are those of the models' own cards.
 * The weights are chosen with care, not measured: the models cannot be run where this is developed. Half of what words count for the full-size
 * ones, because trained vectors find what words miss but place names, numbers and codes badly, and hybrid must not fall behind words alone; less for
 * the small model and for unknown ones, of which nothing is known. `npm run quality -- fusion` measures a model, `fusion_weight` sets what it found.
 */
export const MODELS: readonly ModelProfile[] = [
  {
    ...BASE,
    family: 'embeddinggemma',
    dimensions: 768,
    contextTokens: 2048,
    queryTemplate: prefixed('task: search result | query: '),
    documentTemplate: (text, title) => `title: ${title ?? 'none'} | text: ${text}`,
    usesTitle: true,
    cuts: [512, 256, 128],
  },
  {
    ...BASE,
    family: 'qwen3-embedding',
    contextTokens: 32_768,
    queryTemplate: prefixed('Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:'),
    cuts: 'any',
  },
  { ...BASE, family: 'snowflake-arctic-embed2', dimensions: 1024, contextTokens: 8192, queryTemplate: prefixed('query: ') },
  { ...BASE, family: 'bge-m3', dimensions: 1024, contextTokens: 8192 },
  {
    ...BASE,
    family: 'nomic-embed-text-v2-moe',
    dimensions: 768,
    contextTokens: 512,
    queryTemplate: prefixed('search_query: '),
    documentTemplate: prefixed('search_document: '),
  },
  {
    ...BASE,
    family: 'nomic-embed-text',
    dimensions: 768,
    contextTokens: 2048,
    queryTemplate: prefixed('search_query: '),
    documentTemplate: prefixed('search_document: '),
  },
  {
    ...BASE,
    family: 'mxbai-embed-large',
    dimensions: 1024,
    contextTokens: 512,
    queryTemplate: prefixed('Represent this sentence for searching relevant passages: '),
  },
  { ...BASE, family: 'all-minilm', dimensions: 384, contextTokens: 256, fusionWeight: 0.3 },
]

/** The model `auto` looks for first, and the one to recommend. */
export const DEFAULT_MODEL = MODELS[0]!.family

/** Null for a model nobody has entered here. `model` may have a tag. */
export function knownModel(model: string): ModelProfile | null {
  const family = model.split(':')[0]
  return MODELS.find((known) => known.family === family) ?? null
}

/** No prefix, and a short limit until the server says better. */
export function unknownModel(model: string): ModelProfile {
  return { ...BASE, family: model, contextTokens: 8192, fusionWeight: 0.3 }
}
