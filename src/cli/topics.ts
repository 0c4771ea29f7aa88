import { readFile } from 'node:fs/promises'
import type { Context } from './context.ts'
import { EXIT_CODES_HELP } from './exit.ts'
import { widthOf } from './io.ts'

/** What `docsearch help` explains besides commands, and the page of docs/ for each. */
export const TOPICS = {
  'search-syntax': { summary: 'What a query can contain', page: 'search-syntax.md' },
  configuration: { summary: 'Settings of the daemon', page: 'configuration.md' },
  'exit-codes': { summary: 'What the exit code of a command means', page: null },
} as const satisfies Record<string, { summary: string; page: string | null }>

export type Topic = keyof typeof TOPICS

export function isTopic(word: string | undefined): word is Topic {
  return word !== undefined && Object.hasOwn(TOPICS, word)
}

export async function showTopic(context: Context, topic: Topic): Promise<void> {
  const text = await textOf(topic)
  if (context.json) return context.printJson({ topic, text })
  const { formatMarkdown } = await import('./view/markdown.ts')
  await context.printLong(formatMarkdown(text, { width: Math.min(widthOf(context.io.stdout), 100), style: context.style }))
}

async function textOf(topic: Topic): Promise<string> {
  const { summary, page } = TOPICS[topic]
  if (page === null) return `# ${summary}\n\n\`\`\`\n${EXIT_CODES_HELP}\n\`\`\`\n`
  return readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
}
