import type { Client, UploadOptions } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { cancelled, EXIT, PartialFailure, usage } from '../../exit.ts'
import { canAsk } from '../../io.ts'
import { count } from '../../view/style.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { formatTable } from '../../view/table.ts'
import { planUpload } from './plan.ts'
import type { Plan, PlannedFile } from './plan.ts'
import { createProgress } from './progress.ts'
import { printResult, reportWrong } from './result.ts'
import type { Result } from './result.ts'
import { sendAll } from './send.ts'
import type { Uploaded } from './send.ts'
import { spoolStdin } from './stdin.ts'
import { watchDocuments } from './wait.ts'

interface Options {
  project?: string
  tag?: string[]
  recursive?: boolean
  name?: string
  onConflict?: 'replace' | 'keep' | 'error'
  wait?: boolean
  dryRun?: boolean
}

export async function run(context: Context, args: string[], options: Options): Promise<number> {
  const fromStdin = args.includes('-')
  if (args.length === 0) throw usage('What is to be uploaded? `docsearch upload PATH…`, with - for standard input.')
  if (fromStdin && !options.name) throw usage('Standard input has no name: give one with --name, e.g. --name notes.txt.')
  if (options.project === '') throw usage('--project is empty: leave it out for the default, or name one.')
  if (!fromStdin && options.name !== undefined)
    throw usage('--name is for standard input, `docsearch upload - --name NAME`; a file keeps its own.')
  const plan = await planUpload(
    args.filter((arg) => arg !== '-'),
    options.recursive === true,
  )
  if (plan.foldersLeftOut > 0)
    context.notice(`${count(plan.foldersLeftOut, 'folder')} inside left out; --recursive takes them too.`)
  if (!fromStdin && plan.files.length === 0) return nothingToSend(context, plan)
  if (options.dryRun === true && !fromStdin) return dryRun(context, plan)

  const send = options.dryRun === true ? null : await destination(context, options, fromStdin)
  const spooled = fromStdin ? await spoolStdin(context.io, options.name!) : null
  try {
    const files = spooled === null ? plan.files : [spooled.file, ...plan.files]
    if (send === null) return dryRun(context, { ...plan, files })
    return await upload(context, send.client, { ...plan, files }, { ...options, ...send.project })
  } finally {
    await spooled?.remove()
  }
}

/** Where to, before standard input is read: a question would read from it too, so none is asked then. */
async function destination(
  context: Context,
  options: Options,
  fromStdin: boolean,
): Promise<{ client: Client; project: { project?: string } }> {
  const client = await context.client()
  const named = options.project ?? (await context.target()).project
  const project = named ?? (fromStdin ? null : await chooseProject(context, client))
  return { client, project: project === null ? {} : { project } }
}

async function upload(context: Context, client: Client, plan: Plan, options: Options): Promise<number> {
  const { signal } = context.io
  const result: Result = { documents: new Map(), refused: [...plan.refused], planned: plan.files.length + plan.refused.length }
  const progress = createProgress(context, plan.files, options.wait === true)
  const fileOf = new Map<string, PlannedFile>()
  const watch = options.wait === true ? watchDocuments(client, signal, changed) : null

  function changed(document: Uploaded): void {
    result.documents.set(document.id, document)
    const file = fileOf.get(document.id)
    const over = document.status === 'ready' || document.status === 'failed'
    if (file !== undefined && watch !== null) progress.state(file, over ? null : document.status)
  }

  let failure: Error | undefined
  try {
    await sendAll(
      client,
      plan.files,
      { ...settings(options), signal },
      {
        sent: progress.sent,
        acknowledged(file, document) {
          if (file !== undefined) {
            progress.uploaded(file)
            fileOf.set(document.id, file)
          }
          if (watch === null) changed(document)
          else watch.add(document)
        },
        refused(file, refusal) {
          result.refused.push(refusal)
          if (file !== undefined) progress.uploaded(file)
        },
        waiting: (seconds, reason) => progress.note(`Waiting ${seconds} s: ${reason}`),
      },
    )
    await watch?.settled()
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
  } finally {
    watch?.close()
    progress.stop()
  }
  if (failure === undefined || result.documents.size + result.refused.length > 0) printResult(context, result)
  return conclude(result, failure)
}

/** What was acknowledged stays, whatever came after. */
function conclude(result: Result, failure: Error | undefined): number {
  const stored = `${result.documents.size} of ${count(result.planned, 'file')} ${result.documents.size === 1 ? 'is' : 'are'} stored and will be processed`
  if (failure instanceof ClientError && failure.code === 'aborted') {
    // Sent whole, only the waiting was cut short.
    if (result.documents.size + result.refused.length >= result.planned) throw cancelled(`Cancelled. ${stored}.`)
    throw cancelled(`Cancelled. ${stored}; the rest was not acknowledged. To go on, run the same again: nothing is stored twice.`)
  }
  if (failure !== undefined) {
    if (result.documents.size > 0) failure.message += ` (${stored}.)`
    throw failure
  }
  const failed = [...result.documents.values()].filter((document) => document.status === 'failed').length + result.refused.length
  if (failed > 0) throw new PartialFailure(`${failed} of ${count(result.planned, 'file')} failed.`)
  return EXIT.done
}

function settings(options: Options): UploadOptions {
  const tags = (options.tag ?? [])
    .flatMap((tag) => tag.split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  const result: UploadOptions = {}
  if (options.project !== undefined) result.project = options.project
  if (tags.length > 0) result.tags = tags
  if (options.onConflict !== undefined) result.onConflict = options.onConflict
  return result
}

/** With several to choose from, a person is asked; else it is the instance's default. */
async function chooseProject(context: Context, client: Client): Promise<string | null> {
  if (!canAsk(context.io) || context.json || context.globals.quiet === true) return null
  const { projects } = await client.projects.list({ limit: 100 }).catch((error: unknown) => {
    // A key that may only write cannot list: then there is nothing to choose from.
    if (error instanceof ClientError && error.status === 403) return { projects: [] }
    throw error
  })
  if (projects.length < 2) return null
  const prompts = await context.io.prompts()
  const choices = projects.map(({ name }) => ({ name, value: name }))
  return prompts.select({ message: 'Into which project?', choices, default: 'default' })
}

function dryRun(context: Context, plan: Plan): number {
  const bytes = plan.files.reduce((sum, file) => sum + file.size, 0)
  if (context.json) {
    const files = plan.files.map(({ file, path, size }) => ({ file, path, size_bytes: size }))
    context.printJson({ dry_run: true, files, total_bytes: bytes, rejected: plan.refused })
  } else {
    const size = (file: PlannedFile) => (context.terminal ? formatBytes(file.size) : String(file.size))
    context.print(
      formatTable(
        ['PATH', 'SIZE'],
        plan.files.map((file) => [file.path, size(file)]),
        context.table,
      ),
    )
  }
  context.notice(`${count(plan.files.length, 'file')}, ${formatBytes(bytes)}; nothing was sent.`)
  if (plan.refused.length === 0) return EXIT.done
  reportWrong(context, [], plan.refused)
  throw new PartialFailure(`${plan.refused.length} of ${count(plan.files.length + plan.refused.length, 'file')} cannot be sent.`)
}

/** Nothing of what was named is there: wrong usage. A folder without files: nothing found. Something there that cannot be read: failed. */
function nothingToSend(context: Context, plan: Plan): number {
  if (plan.refused.length === 0) {
    context.notice('There is nothing in it to upload.')
    return EXIT.nothing
  }
  if (plan.refused.every(({ code }) => code === 'not_there'))
    throw usage(plan.refused.map(({ path }) => `${path}: there is no such file`).join('\n'))
  printResult(context, { documents: new Map(), refused: plan.refused, planned: 0 })
  throw new PartialFailure(`${count(plan.refused.length, 'file')} failed.`)
}
