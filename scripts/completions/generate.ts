import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { readTree } from './tree.ts'
import { zshScript } from './zsh.ts'

/** File names within completions/, and what they hold. */
export function generateCompletions(): Record<string, string> {
  const tree = readTree()
  return { 'docsearch.bash': bashScript(tree), _docsearch: zshScript(tree), 'docsearch.fish': fishScript(tree) }
}
