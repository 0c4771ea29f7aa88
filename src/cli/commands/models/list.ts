import type { Model, ModelIndex } from '../../../contract/models.ts'
import type { Context } from '../../context.ts'
import { count } from '../../view/style.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { formatTable } from '../../view/table.ts'

export async function run(context: Context): Promise<void> {
  const client = await context.client()
  const found = await client.models.list()
  if (context.json) return context.printJson(found)
  const rows = found.models.flatMap((model) =>
    model.indexes.length === 0 ? [rowOf(model)] : model.indexes.map((index) => rowOf(model, index)),
  )
  context.print(formatTable(['MODEL', 'STATE', 'DIMENSIONS', 'SIZE', 'INDEX', 'NOTE'], rows, context.table))
  if (!found.ollama.ok) context.notice(found.ollama.message)
}

function rowOf(model: Model, index?: ModelIndex): string[] {
  return [
    model.name,
    index === undefined ? 'available' : stateOf(index),
    model.dimensions === null ? '-' : String(model.dimensions),
    model.size_bytes === null ? '-' : formatBytes(model.size_bytes),
    index === undefined ? '-' : sizeOf(index),
    noteOf(model, index),
  ]
}

/** As one reads it: `in use`, `building 40 %`, `kept`. */
export function stateOf({ state, documents_done: done, documents_total: total }: ModelIndex): string {
  if (state !== 'building' || done === null || total === null) return state.replace('_', ' ')
  return `building ${total === 0 ? 100 : Math.floor((done / total) * 100)} %`
}

function sizeOf({ chunks, size_bytes: bytes }: ModelIndex): string {
  return chunks === null ? formatBytes(bytes) : `${count(chunks, 'passage')}, ${formatBytes(bytes)}`
}

function noteOf(model: Model, index: ModelIndex | undefined): string {
  if (index?.waiting_for) return `waits: ${index.waiting_for}`
  if (!model.available) return 'Ollama does not have it now'
  return model.known ? '' : 'not known to docsearch: used without its prefixes'
}
