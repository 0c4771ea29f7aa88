import { Gauge, type Registry } from 'prom-client'
import type { InstanceNumbers } from '../core/instance-numbers.ts'

/** One gauge that a scrape sets. Null has no sample, so that an unknown number never looks like 0. */
interface Reading {
  name: string
  help: string
  label?: string
  /** Returns a number, or a number for each value of the label. */
  read(numbers: InstanceNumbers): number | null | Readonly<Record<string, number | null>>
}

const READINGS: readonly Reading[] = [
  {
    name: 'docsearch_documents',
    help: 'Documents by status, not counting the trash',
    label: 'status',
    read: ({ documents }) => documents,
  },
  {
    name: 'docsearch_queue_oldest_seconds',
    help: 'How long the oldest unfinished document has been in the queue',
    read: ({ queueOldestSeconds }) => queueOldestSeconds,
  },
  {
    name: 'docsearch_index_chunks',
    help: 'Passages in the active index',
    read: ({ index }) => index && index.passages,
  },
  {
    name: 'docsearch_index_unindexed_rows',
    help: 'Passages that searches do not find because their part of the index is being rebuilt',
    read: ({ index }) => index && index.unindexed,
  },
  {
    name: 'docsearch_index_segments',
    help: 'Segments of the active index',
    read: ({ index }) => index && index.segments,
  },
  {
    name: 'docsearch_index_memory_bytes',
    help: 'Memory of the segments of the active index',
    read: ({ index }) => index && index.memoryBytes,
  },
  {
    name: 'docsearch_search_memory_limit_bytes',
    help: 'The setting search.memory_mb',
    read: ({ searchMemoryBytes }) => searchMemoryBytes,
  },
  {
    name: 'docsearch_parser_processes',
    help: 'Parser processes by what they do',
    label: 'state',
    read: ({ parsers: { processes, idle } }) => ({ busy: processes - idle, idle }),
  },
  {
    name: 'docsearch_parser_waiting_documents',
    help: 'Documents that wait for a parser process',
    read: ({ parsers }) => parsers.waiting,
  },
  {
    name: 'docsearch_ollama_waiting_calls',
    help: 'Calls to Ollama that wait for their turn',
    label: 'kind',
    read: ({ ollamaWaiting }) => ollamaWaiting,
  },
  {
    name: 'docsearch_disk_free_bytes',
    help: 'Free space of the disk that has the data folder',
    read: ({ disk }) => disk && disk.freeBytes,
  },
  {
    name: 'docsearch_disk_size_bytes',
    help: 'Size of the disk that has the data folder',
    read: ({ disk }) => disk && disk.totalBytes,
  },
  {
    name: 'docsearch_storage_bytes',
    help: 'Bytes that the parts of the data folder need. Measured at most once a minute. `originals` counts each copy of a file',
    label: 'part',
    read: ({ storage }) => storage,
  },
  {
    name: 'docsearch_users',
    help: 'User accounts',
    label: 'state',
    read: ({ users }) => users,
  },
  {
    name: 'docsearch_health',
    help: '1 while a part of the instance works, 0 while it does not. A few seconds old',
    label: 'check',
    read: ({ checks }) => checks && Object.fromEntries(Object.entries(checks).map(([name, isOk]) => [name, Number(isOk)])),
  },
  {
    name: 'docsearch_backup_last_success_timestamp_seconds',
    help: 'When the last backup that succeeded began, as a Unix time',
    read: ({ lastBackup }) => lastBackup && lastBackup.getTime() / 1000,
  },
]

/** Registers the gauges. The function that it returns sets them all. */
export function createGauges(registry: Registry, version: string): (numbers: InstanceNumbers) => void {
  const registers = [registry]
  const setters = READINGS.map((reading) => createGauge(reading, registers))
  const build = new Gauge({
    name: 'docsearch_build_info',
    help: 'Always 1. The labels say which version runs',
    labelNames: ['version', 'node'],
    registers,
  })
  build.set({ version, node: process.versions.node }, 1)
  const models = new Gauge({
    name: 'docsearch_model_info',
    help: 'Always 1. The labels say which model embeds and which one reranks',
    labelNames: ['role', 'model'],
    registers,
  })
  return (numbers) => {
    for (const set of setters) set(numbers)
    models.reset()
    const { embedder, reranker } = numbers.models
    models.set({ role: 'embedder', model: embedder }, 1)
    if (reranker !== null) models.set({ role: 'reranker', model: reranker }, 1)
  }
}

function createGauge({ name, help, label, read }: Reading, registers: Registry[]): (numbers: InstanceNumbers) => void {
  const gauge = new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers })
  return (numbers) => {
    const value = read(numbers)
    if (label === undefined) {
      if (typeof value === 'number') gauge.set(value)
      // After `reset`, a gauge without labels would have the value 0.
      else gauge.remove()
      return
    }
    gauge.reset()
    if (value === null || typeof value === 'number') return
    for (const [of, number] of Object.entries(value)) if (number !== null) gauge.set({ [label]: of }, number)
  }
}
