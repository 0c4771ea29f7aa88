import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { readTree } from './tree.ts'
import { zshScript } from './zsh.ts'

/** Returns the files of completions/ by name, with their content. */
export async function generateCompletions(): Promise<Record<string, string>> {
  const tree = await readTree()
  return { 'docsearch.bash': bashScript(tree), _docsearch: zshScript(tree), 'docsearch.fish': fishScript(tree) }
}
