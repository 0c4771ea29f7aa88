import { createOllamaClient } from '../../src/ollama/client.ts'

export interface RealOllama {
  url: string
  /** Models that say that they embed, by name. */
  embedders: string[]
  /** Models whose name says that they rerank. */
  rerankers: string[]
}

/** Returns the Ollama that OLLAMA_HOST names, or null without one. Throws when it does not answer: that is no reason to skip. */
export async function realOllama(): Promise<RealOllama | null> {
  const host = process.env.OLLAMA_HOST
  if (!host) return null
  const url = host.includes('://') ? host : `http://${host}`
  const client = createOllamaClient(url)
  const call = { timeoutMs: 10_000 }
  const names = (await client.list(call)).map(({ name }) => name)
  const embedders: string[] = []
  for (const name of names) if ((await client.show(name, call)).capabilities.includes('embedding')) embedders.push(name)
  return { url, embedders, rerankers: names.filter((name) => /rerank/i.test(name)) }
}
