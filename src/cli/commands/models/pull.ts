import { formatBytes } from '../../../core/format-bytes.ts'
import { defineCommand } from '../../define.ts'
import { cancelled } from '../../exit.ts'
import { argument } from '../../options.ts'
import { safeJson } from '../../view/safe.ts'

export default defineCommand({
  name: 'pull',
  summary: 'Download a model',
  description:
    "Download a model through the instance's Ollama. Ctrl-C stops the download; running the command again continues it.",
  arguments: { model: argument('<model>', 'Name of the model in Ollama') },
  examples: ['docsearch models pull embeddinggemma'],
  async run(context, { model }) {
    const { createBar } = await import('../bar.ts')
    const client = await context.client()
    const bar = createBar(context)
    try {
      for await (const { status, completed_bytes: done, total_bytes: total } of client.models.pull(model)) {
        if (context.json) context.print(`${safeJson({ status, completed_bytes: done, total_bytes: total })}\n`)
        else bar.show(status, done, total, total === null ? '' : `${formatBytes(done ?? 0)} of ${formatBytes(total)}`)
      }
    } catch (error) {
      if (context.io.signal.aborted) throw cancelled('Cancelled. To continue the download, run the command again.')
      throw error
    } finally {
      bar.stop()
    }
    context.notice(`Ollama has ${model}. To embed the documents with it, run \`docsearch models use ${model}\`.`)
  },
})
