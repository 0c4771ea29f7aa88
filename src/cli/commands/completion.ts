import { readFile } from 'node:fs/promises'
import { defineCommand } from '../define.ts'
import { choiceArgument } from '../options.ts'

const FILES = { bash: 'docsearch.bash', zsh: '_docsearch', fish: 'docsearch.fish' }

export default defineCommand({
  name: 'completion',
  summary: 'Print a shell completion script',
  arguments: { shell: choiceArgument('<shell>', 'Shell to complete in', ['bash', 'zsh', 'fish']) },
  examples: [
    'docsearch completion bash > ~/.local/share/bash-completion/completions/docsearch',
    'docsearch completion zsh > "${fpath[1]}/_docsearch"',
    'docsearch completion fish > ~/.config/fish/completions/docsearch.fish',
  ],
  async run(context, { shell }) {
    const script = await readFile(new URL(`../../../completions/${FILES[shell]}`, import.meta.url), 'utf8')
    if (context.json) context.printJson({ shell, script })
    else context.print(script)
  },
})
