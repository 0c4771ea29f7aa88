import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { ModelUsed } from '../../../contract/models.ts'
import type { Context } from '../../context.ts'
import { cancelled } from '../../exit.ts'
import { count } from '../../view/style.ts'
import { createBar } from './bar.ts'

const LOOK_MS = 500

export async function run(context: Context, [model = '']: string[], options: { wait?: boolean }): Promise<void> {
  const client = await context.client()
  const asked = await client.models.use(model)
  const used = options.wait === true && asked.state === 'building' ? await finished(context, client, asked) : asked
  if (context.json) return context.printJson(used)
  context.print(
    used.state === 'in_use'
      ? `${used.model} is in use\n`
      : `${used.model} is being built beside the index in use, which answers until it is whole: ${progressOf(used)}\n`,
  )
  if (used.state === 'building')
    context.notice('`docsearch models list` shows how far it is, `docsearch models use … --wait` waits for it.')
  if (used.notice !== null) context.notice(used.notice)
}

function progressOf({ documents_done: done, documents_total: total }: ModelUsed): string {
  return `${done} of ${count(total, 'document')}`
}

/** Until it is in use. Ctrl-C ends the waiting and not the change. */
async function finished(context: Context, client: Client, asked: ModelUsed): Promise<ModelUsed> {
  const bar = createBar(context)
  let told: string | null = null
  try {
    for (;;) {
      const found = (await client.models.list()).models.find(({ name }) => name === asked.model)
      const index = found?.indexes.find(({ state }) => state === 'building')
      if (index === undefined) {
        if (found?.in_use === true) return { ...asked, state: 'in_use' }
        throw new ClientError('replaced', `Somebody has chosen another model meanwhile; ${asked.model} is not built on.`)
      }
      const { documents_done: done, documents_total: total, waiting_for: reason } = index
      bar.show(asked.model, done, total, `${done ?? 0} of ${count(total ?? 0, 'document')}`)
      if (reason !== null && reason !== told) {
        bar.stop()
        context.notice(`It waits: ${reason}`)
      }
      told = reason
      await context.io.wait(LOOK_MS, context.io.signal)
      if (context.io.signal.aborted) throw cancelled('Cancelled the waiting; the index is built on.')
    }
  } catch (error) {
    if (context.io.signal.aborted) throw cancelled('Cancelled the waiting; the index is built on.')
    throw error
  } finally {
    bar.stop()
  }
}
