import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { ModelUsed } from '../../../contract/models.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { cancelled } from '../../exit.ts'
import { argument, flag } from '../../options.ts'
import { count } from '../../view/style.ts'
import { describeProgress } from './progress.ts'

const POLL_MS = 500
/** The pause before the command repeats a request to use a model. */
const ASK_AGAIN_MS = 5_000

export default defineCommand({
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
  const { createBar } = await import('../bar.ts')
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
