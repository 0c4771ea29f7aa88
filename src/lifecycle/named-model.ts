import { DocsearchError } from '../core/errors.ts'
import { withoutLatest } from '../ollama/client.ts'
import type { ChooseEmbedder } from './lifecycle.ts'
import { type ModelTest, testModel } from './model-test.ts'

/** Tests a model, which need not be in use. Throws `model_unusable`. */
export async function testNamed(chooseEmbedder: ChooseEmbedder, name: string, signal: AbortSignal): Promise<ModelTest> {
  const { embedder, reason } = await chooseEmbedder(null, withoutLatest(name))
  if (embedder === null) throw new DocsearchError('model_unusable', reason)
  try {
    return await testModel(embedder, signal)
  } finally {
    await embedder.close()
  }
}

/** Returns what to tell a user who chooses an embedder while the configuration names another one. Null if it does not. */
export function pinnedNotice(pinned: string | null, embedder: string): string | null {
  if (pinned === null || withoutLatest(pinned) === embedder) return null
  return `The configuration of this instance names the embedder ${pinned}, so the next start switches back to it. Remove that setting, or set it to ${embedder}.`
}
