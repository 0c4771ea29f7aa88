import type { TokenCounter } from '../text/model-tokens.ts'
import { asWritten, bertUncased, composed } from '../text/model-text.ts'

/** What docsearch has to know to use an embedding model well: wrong prefixes cost more quality than a smaller model. */
export interface ModelProfile {
  /** As Ollama names it, without a tag. */
  family: string
  dimensions: number | null
  /** Tokens that the model was trained with. Its context in Ollama may be larger. */
  contextTokens: number
  queryTemplate(query: string): string
  documentTemplate(text: string, title: string | null): string
  /**
   * Prepares a text with its template as the model's reference implementation does before it looks for tokens, so that Ollama's vectors equal the
   * reference. Only the model gets this text. Results show the original.
   */
  prepareText(text: string): string
  /** How to count the model's tokens. */
  tokens: TokenCounter
  /** True when `documentTemplate` uses the title. */
  usesTitle: boolean
  /** Shorter vectors that the model was trained to give: `any` length, or these. Ollama cuts the vectors of every model, good or not. */
  cuts: readonly number[] | 'any'
  /** See `Embedder.fusionWeight`. */
  fusionWeight: number
  /** Raised when a template or `prepareText` changes ordinary texts, because it is part of the fingerprint. */
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
  prepareText: asWritten,
  // SentencePiece for all languages, as in the models with the vocabulary of XLM-RoBERTa. Their own tokenizer was not measured.
  tokens: 'gemma',
  usesTitle: false,
  cuts: [],
  fusionWeight: 0.5,
  templateVersion: 1,
} as const

/** The models with the vocabulary of bert-base-uncased. Before version 2, docsearch sent them texts as they were written. */
const BERT_UNCASED = { ...BASE, prepareText: bertUncased, tokens: 'bert', templateVersion: 2 } as const

/**
 * The known models, in the order in which `auto` prefers them. Templates and limits come from the models' own cards.
 *
 * The weight of all-minilm is measured (bench/QUALITY.md). The others are estimates, because the models can't run where docsearch is
 * developed. Full-size models get half the weight of keywords, because their vectors find what keywords miss, but rank names, numbers and
 * codes badly, and hybrid must not fall behind keywords alone. Unknown models get less. `npm run quality -- fusion` measures a model; the
 * setting `fusion_weight` takes the result.
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
    // Still version 1, because hardly any text contains letters and marks that are not composed yet.
    prepareText: composed,
    tokens: 'qwen',
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
    ...BERT_UNCASED,
    family: 'nomic-embed-text',
    dimensions: 768,
    contextTokens: 2048,
    queryTemplate: prefixed('search_query: '),
    documentTemplate: prefixed('search_document: '),
  },
  {
    ...BERT_UNCASED,
    family: 'mxbai-embed-large',
    dimensions: 1024,
    contextTokens: 512,
    queryTemplate: prefixed('Represent this sentence for searching relevant passages: '),
  },
  { ...BERT_UNCASED, family: 'all-minilm', dimensions: 384, contextTokens: 256, fusionWeight: 0.6 },
]

/** The model that `auto` looks for first and that messages recommend. */
export const DEFAULT_MODEL = MODELS[0]!.family

/** Returns a model's profile, or null when MODELS does not have it. `model` may have a tag. */
export function knownModel(model: string): ModelProfile | null {
  const family = model.split(':')[0]
  return MODELS.find((known) => known.family === family) ?? null
}

/** Returns a profile without prefixes. */
export function unknownModel(model: string): ModelProfile {
  return { ...BASE, family: model, tokens: 'unknown', contextTokens: 8192, fusionWeight: 0.3 }
}
