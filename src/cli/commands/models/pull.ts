import type { Context } from '../../context.ts'
import { cancelled } from '../../exit.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { createBar } from './bar.ts'

export async function run(context: Context, [model = '']: string[]): Promise<void> {
  const client = await context.client()
  const bar = createBar(context)
  try {
    for await (const { status, completed_bytes: done, total_bytes: total } of client.models.pull(model)) {
      if (context.json) context.io.stdout.write(`${JSON.stringify({ status, completed_bytes: done, total_bytes: total })}\n`)
      else bar.show(status, done, total, total === null ? '' : `${formatBytes(done ?? 0)} of ${formatBytes(total)}`)
    }
  } catch (error) {
    if (context.io.signal.aborted)
      throw cancelled('Cancelled. What has come stays with Ollama; asked for again, it goes on from there.')
    throw error
  } finally {
    bar.stop()
  }
  context.notice(`Ollama has ${model}. \`docsearch models use ${model}\` embeds the documents with it.`)
}
