import { readFile } from 'node:fs/promises'
import type { Context } from '../context.ts'

const FILES: Record<string, string> = { bash: 'docsearch.bash', zsh: '_docsearch', fish: 'docsearch.fish' }

export async function run(context: Context, [shell = '']: string[]): Promise<void> {
  const script = await readFile(new URL(`../../../completions/${FILES[shell]!}`, import.meta.url), 'utf8')
  if (context.json) context.printJson({ shell, script })
  else context.print(script)
}
