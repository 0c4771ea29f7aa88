import { realOllama } from './real-ollama.ts'

/** Says before the tests what will be skipped, and why. */
export default async function sayWhatIsMissing(): Promise<void> {
  const ollama = await realOllama()
  if (ollama === null) {
    console.log('Skipped: OLLAMA_HOST names no Ollama. docs/models.md says how to get one.')
    return
  }
  const { url, embedders, rerankers } = ollama
  const list = (names: string[]) => names.join(', ') || 'none'
  console.log(`Ollama at ${url}. Embedding models: ${list(embedders)}. Rerankers: ${list(rerankers)}.`)
  if (embedders.length === 0) console.log('Skipped: tests of embedders. Run `ollama pull all-minilm`.')
  if (rerankers.length === 0) console.log('Skipped: tests of rerankers. No installed model has "rerank" in its name.')
}
