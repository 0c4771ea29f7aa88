import { DocsearchError } from '../core/errors.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { IndexRecord } from '../records/records.ts'
import { parseFingerprint } from './fingerprint.ts'

interface MissingEmbedder {
  name: string
  dimensions: number
  fingerprint: string
  code: 'embedder_unavailable' | 'embedding_model_changed'
  message: string
}

/** For the index of this record. */
export function missing(record: IndexRecord, code: MissingEmbedder['code'], message: string): Embedder {
  const { embeddingModel, dimensions, fingerprint } = record
  return standInEmbedder({ name: embeddingModel, dimensions, fingerprint: parseFingerprint(fingerprint).embedder, code, message })
}

/** In the place of the embedder an index was made with, while that one cannot be used: keywords still find, nothing is embedded wrongly. */
function standInEmbedder({ name, dimensions, fingerprint, code, message }: MissingEmbedder): Embedder {
  const refuse = async (): Promise<never> => {
    throw new DocsearchError(code, message, { retryAfter: 30 })
  }
  return {
    name,
    canEmbed: false,
    isExternal: true,
    sharedModel: null,
    dimensions,
    maxTokens: 0,
    fusionWeight: () => 0,
    noiseFloor: () => 0,
    fingerprint,
    tokenCounter: 'words',
    countTokens: () => 0,
    embedDocuments: refuse,
    embedQuery: refuse,
    check: async () => ({ ok: false, code, message }),
    close: async () => {},
  }
}
