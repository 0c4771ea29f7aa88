import { DocsearchError } from '../core/errors.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { IndexRecord } from '../records/records.ts'
import { parseFingerprint } from './fingerprint.ts'

/**
 * Takes the place of an index's embedder while that one can't be used. Keyword searches still work, and every call that would embed fails with
 * this code and message.
 */
export function placeholderEmbedder(
  { embeddingModel, dimensions, fingerprint }: IndexRecord,
  code: 'embedder_unavailable' | 'embedding_model_changed',
  message: string,
): Embedder {
  const refuse = async (): Promise<never> => {
    throw new DocsearchError(code, message, { retryAfter: 30 })
  }
  return {
    name: embeddingModel,
    canEmbed: false,
    tokensPerSecond: null,
    work: { passages: 0 },
    isExternal: true,
    sharedModel: null,
    dimensions,
    maxTokens: 0,
    fusionWeight: () => 0,
    hasMeaning: () => false,
    noiseFloor: () => null,
    fingerprint: parseFingerprint(fingerprint).embedder,
    tokenCounter: 'words',
    batchLimits: { inputs: 1, tokens: 1 },
    countTokens: () => 0,
    embedDocuments: refuse,
    embedQuery: refuse,
    check: async () => ({ ok: false, code, message }),
    close: async () => {},
  }
}
