import { defineCommand } from '../define.ts'
import { DATA_FOLDER_OPTIONS, daemonOutput } from './serve.ts'

export default defineCommand({
  name: 'reindex',
  summary: 'Rebuild the index at the next start',
  description: 'Mark the index for a rebuild. The next `docsearch serve` rebuilds it from the stored texts.',
  options: DATA_FOLDER_OPTIONS,
  examples: ['docsearch reindex --data ./library'],
  async run(context, _args, options) {
    const { runReindex } = await import('../../serve/reindex.ts')
    return runReindex(options, daemonOutput(context))
  },
})
