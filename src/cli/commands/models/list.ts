import type { Model, ModelIndex } from '../../../contract/models.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { defineCommand } from '../../define.ts'
import { count } from '../../view/style.ts'
import { formatReasons } from '../../view/table.ts'
import { describeProgress } from './progress.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List embedding models and their indexes',
  examples: ['docsearch models list --json'],
  async run(context) {
    const client = await context.client()
    const found = await client.models.list()
    if (context.json) return context.printJson(found)
    const rows = found.models.flatMap((model) =>
      model.indexes.length === 0 ? [rowOf(model)] : model.indexes.map((index) => rowOf(model, index)),
    )
    context.print(formatReasons(['MODEL', 'STATE', 'DIMENSIONS', 'SIZE', 'INDEX'], rows, context.table))
    if (!found.ollama.ok) context.notice(found.ollama.message)
  },
})

function rowOf(model: Model, index?: ModelIndex): { cells: string[]; reasons: string[] } {
  const note = noteOf(model, index)
  const cells = [
    model.name,
    index === undefined ? 'available' : stateOf(index),
    model.dimensions === null ? '-' : String(model.dimensions),
    model.size_bytes === null ? '-' : formatBytes(model.size_bytes),
    index === undefined ? '-' : sizeOf(index),
  ]
  return { cells, reasons: note === '' ? [] : [note] }
}

/** The state of an index for a reader, such as `building 40 %`. */
function stateOf({ state, passages_done: done, passages_total: total }: ModelIndex): string {
  if (state !== 'building' || done === null || total === null) return state.replace('_', ' ')
  return `building ${total === 0 ? 100 : Math.floor((done / total) * 100)} %`
}

function sizeOf({ chunks, size_bytes: bytes }: ModelIndex): string {
  const parts = [...(chunks === null ? [] : [count(chunks, 'passage')]), ...(bytes === null ? [] : [formatBytes(bytes)])]
  return parts.length === 0 ? '-' : parts.join(', ')
}

function noteOf(model: Model, index: ModelIndex | undefined): string {
  if (index?.waiting_for) return `waiting: ${index.waiting_for}`
  if (index?.state === 'building') return describeProgress(index)
  if (!model.available) return 'not available in Ollama now'
  return model.known ? '' : `unknown to docsearch; try \`docsearch models test ${model.name.replace(/^ollama:/, '')}\``
}
