import type { Client } from '../../client/client.ts'
import { ClientError } from '../../client/errors.ts'
import type { Model, ModelIndex, ModelTest, ModelUsed } from '../../contract/models.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import type { Context } from '../context.ts'
import { defineCommand, defineNoun } from '../define.ts'
import { cancelled, PartialFailure } from '../exit.ts'
import { argument, flag, yes } from '../options.ts'
import { safeJson } from '../view/safe.ts'
import { count } from '../view/style.ts'
import { formatReasons, formatTable } from '../view/table.ts'
import { confirm } from './confirm.ts'

const list = defineCommand({
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

const pull = defineCommand({
  name: 'pull',
  summary: 'Download a model',
  description:
    "Download a model through the instance's Ollama. Ctrl-C stops the download; running the command again continues it.",
  arguments: { model: argument('<model>', 'Name of the model in Ollama') },
  examples: ['docsearch models pull embeddinggemma'],
  async run(context, { model }) {
    const { createBar } = await import('../view/progress-bar.ts')
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

const POLL_MS = 500
/** The pause before the command repeats a request to use a model. */
const ASK_AGAIN_MS = 5_000

const use = defineCommand({
  name: 'use',
  summary: 'Switch to another model',
  description:
    'Embed every document with another model. Searches use the current index until the new one is complete. ' +
    'The choice survives restarts, unless `docsearch serve --embedder` names a model.',
  arguments: { model: argument('<model>', 'builtin, or the name of a model in Ollama') },
  options: { wait: flag('-w, --wait', 'Wait until the model is in use') },
  examples: ['docsearch models use embeddinggemma --wait', 'docsearch models use builtin'],
  async run(context, { model }, { wait }) {
    const client = await context.client()
    let used = await client.models.use(model)
    if (wait && used.state === 'requested') used = await untilBegun(context, client, used)
    if (wait && used.state === 'building') used = await untilInUse(context, client, used)
    if (context.json) return context.printJson(used)
    context.printLine(describeUse(used))
    if (used.state === 'building')
      context.notice('To follow the progress, run `docsearch models list`, or `docsearch models use` with --wait.')
    if (used.notice !== null) context.notice(used.notice)
  },
})

function describeUse({ model, state, documents_done: done, documents_total: total }: ModelUsed): string {
  if (state === 'in_use') return `${model} is in use`
  const what =
    state === 'building' ? `Building the index of ${model} (${done} of ${count(total, 'document')})` : `Requested ${model}`
  return `${what}. Searches use the current index until the new one is complete.`
}

/** Repeats the request until a process has carried it out. Ctrl-C ends the waiting, but does not withdraw the request. */
async function untilBegun(context: Context, client: Client, asked: ModelUsed): Promise<ModelUsed> {
  context.notice(`Waiting: ${asked.notice}`)
  let used = asked
  while (used.state === 'requested') {
    await context.io.wait(ASK_AGAIN_MS, context.io.signal)
    if (context.io.signal.aborted) throw cancelled('Stopped waiting. The request remains, and a worker will carry it out.')
    used = await client.models.use(asked.model)
  }
  return used
}

/** Polls until the model is in use. Ctrl-C ends the waiting; the instance goes on building the index. */
async function untilInUse(context: Context, client: Client, asked: ModelUsed): Promise<ModelUsed> {
  const { createBar } = await import('../view/progress-bar.ts')
  const bar = createBar(context)
  let lastReason: string | null = null
  try {
    for (;;) {
      const found = (await client.models.list()).models.find(({ name }) => name === asked.model)
      const index = found?.indexes.find(({ state }) => state === 'building')
      if (index === undefined) {
        if (found?.in_use === true) return { ...asked, state: 'in_use' }
        throw new ClientError(
          'replaced',
          `Another model was chosen in the meantime. The index of ${asked.model} is not being built.`,
        )
      }
      const { passages_done: done, passages_total: total, waiting_for: reason } = index
      bar.show(asked.model, done, total, describeProgress(index))
      if (reason !== null && reason !== lastReason) {
        bar.stop()
        context.notice(`Waiting: ${reason}`)
      }
      lastReason = reason
      await context.io.wait(POLL_MS, context.io.signal)
      if (context.io.signal.aborted) throw stoppedWaiting()
    }
  } catch (error) {
    if (context.io.signal.aborted) throw stoppedWaiting()
    throw error
  } finally {
    bar.stop()
  }
}

function stoppedWaiting() {
  return cancelled('Stopped waiting. Indexing continues.')
}

const WORDS = { passed: 'ok', limited: 'limited', failed: 'FAILED' } as const

const test = defineCommand({
  name: 'test',
  summary: 'Try out a model on samples',
  description:
    'Embed a few sample texts with a model, check whether the vectors are good enough for search, and measure the speed. ' +
    'Nothing is changed. Exits with 3 if a check fails.',
  arguments: { model: argument('<model>', 'builtin, or the name of a model in Ollama') },
  examples: ['docsearch models test embeddinggemma', 'docsearch models test builtin --json'],
  async run(context, { model }) {
    const client = await context.client()
    const tested = await client.models.test(model)
    if (context.json) context.printJson(tested)
    else print(context, tested)
    const failed = tested.checks.filter(({ result }) => result === 'failed').length
    if (failed > 0) throw new PartialFailure(`${count(failed, 'check')} of ${tested.checks.length} failed.`)
  },
})

function print(context: Context, tested: ModelTest): void {
  const facts = [
    ['model', tested.model],
    ['dimensions', String(tested.dimensions)],
    ['passages', `up to ${count(tested.passage_tokens, 'token')}`],
    ['speed', `${Math.round(tested.tokens_per_second)} tokens a second`],
    ['known', tested.known ? 'yes' : 'no'],
  ]
  context.print(formatTable(['FACT', 'VALUE'], facts, context.table))
  const checks = tested.checks.map(({ check, result, message }) => ({ cells: [check, WORDS[result]], reasons: [message] }))
  context.print(formatReasons(['CHECK', 'RESULT'], checks, context.table))
  if (!tested.known)
    context.notice(
      'docsearch does not know this model. It sends texts without the prefixes that many models need, and estimates their tokens, ' +
        'so a model that it knows usually finds more. docs/models.md lists them.',
    )
  if (tested.seconds_for_all > 0)
    context.notice(`For all passages of this instance, the model would take about ${roughTime(tested.seconds_for_all)}.`)
}

const remove = defineCommand({
  name: 'remove',
  aliases: ['rm'],
  summary: 'Delete the index of a model that is not in use',
  description: 'Delete the index of a model that is not in use, or stop building one. The model itself stays available.',
  arguments: { model: argument('<model>', 'builtin, or the name of a model in Ollama') },
  options: { yes },
  examples: ['docsearch models remove builtin --yes'],
  async run(context, { model }, options) {
    const client = await context.client()
    await confirm(
      context,
      options.yes,
      `Delete the index of ${model}? If you use the model again, docsearch must embed every document again.`,
    )
    await client.models.remove(model)
    if (context.json) context.printJson({ removed: model })
    else context.notice(`Deleted the index of ${model}. The model itself stays available.`)
  },
})

/** How far an index is: `1200 of 9000 passages, 850 tokens a second, about 12 minutes left`. */
function describeProgress(index: ModelIndex): string {
  const { passages_done: done, passages_total: total, tokens_per_second: speed, seconds_left: left } = index
  return [
    `${done ?? 0} of ${count(total ?? 0, 'passage')}`,
    ...(speed === null ? [] : [`${Math.round(speed)} tokens a second`]),
    ...(left === null || left === 0 ? [] : [`about ${roughTime(left)} left`]),
  ].join(', ')
}

/** A time as a person would say it: `40 seconds`, `12 minutes`, `3 hours`, `2 days`. */
function roughTime(seconds: number): string {
  if (seconds < 90) return count(Math.max(1, Math.round(seconds)), 'second')
  if (seconds < 90 * 60) return count(Math.round(seconds / 60), 'minute')
  if (seconds < 36 * 3600) return count(Math.round(seconds / 3600), 'hour')
  return count(Math.round(seconds / 86_400), 'day')
}

export default defineNoun({
  name: 'models',
  summary: 'List, download, test, use and remove embedding models',
  commands: [list, pull, test, use, remove],
  standalone: list,
})
