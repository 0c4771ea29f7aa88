import type { Client, UploadOptions } from '../../../client/client.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { EXIT, usage } from '../../exit.ts'
import { count } from '../../view/style.ts'
import { compareFiles } from './compare.ts'
import type { Differences } from './compare.ts'
import { chooseDestination } from './destination.ts'
import { printPlan, reportNothingToUpload } from './dry-run.ts'
import { hashFiles } from './hash.ts'
import { planUpload, refuseSamePaths } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Selection } from './selection.ts'
import { spoolStdin } from './stdin.ts'
import { transfer } from './transfer.ts'

export interface UploadRequest {
  /** Files, folders and globs. */
  named: readonly string[]
  /** Name of the document to read from standard input; null for none. */
  stdinName: string | null
  project: string | undefined
  selection: Selection
  settings: Pick<UploadOptions, 'tags' | 'onConflict'>
  waits: boolean
  isDryRun: boolean
}

/** Finds the files, asks the instance which of them it has, and sends the others. Returns the exit code. */
export async function upload(context: Context, request: UploadRequest): Promise<number> {
  const { named, stdinName, selection } = request
  const plan = await planUpload(named, selection)
  reportSkipped(context, plan, selection)
  if (stdinName === null && plan.files.length === 0) return reportNothingToUpload(context, plan, named)
  if (stdinName !== null)
    refuseSamePaths([{ from: 'standard input', path: stdinName }, ...plan.files.map(({ file, path }) => ({ from: file, path }))])
  const { client, settings } = await chooseDestination(context, request.project, { mayAsk: stdinName === null })
  const spooled = stdinName === null ? null : await spoolStdin(context.io, stdinName)
  try {
    if (spooled !== null && spooled.file.size > (selection.maxSize ?? Infinity))
      throw usage(`Standard input has ${formatBytes(spooled.file.size)}, more than --max-size. Nothing was uploaded.`)
    const files = spooled === null ? plan.files : [spooled.file, ...plan.files]
    await uploadFiles(context, client, { ...plan, files }, { ...request, settings: { ...settings, ...request.settings } })
    return EXIT.done
  } finally {
    await spooled?.remove()
  }
}

async function uploadFiles(
  context: Context,
  client: Client,
  plan: Plan,
  { settings, waits, isDryRun }: UploadRequest & { settings: UploadOptions },
): Promise<void> {
  const hashed = await hashFiles(context, plan.files)
  const differences = await compareFiles(context, client, hashed.files, settings)
  reportDifferences(context, differences, settings.project)
  const refused = [...plan.refused, ...hashed.refused, ...(differences?.refused ?? [])]
  const counts = differences?.counts ?? null
  const states = differences?.needed ?? new Map(hashed.files.map((file) => [file, 'unknown']))
  if (isDryRun) return printPlan(context, { states, counts, refused })
  const work = { files: [...states.keys()], unchanged: differences?.unchanged ?? [], refused, counts }
  await transfer(context, client, work, settings, { waits })
}

function reportSkipped(context: Context, { files, skippedFolders, excluded, tooLarge }: Plan, { maxSize = 0 }: Selection): void {
  if (skippedFolders > 0 && files.length > 0)
    context.notice(`Skipped ${count(skippedFolders, 'subfolder')}. To include subfolders, add --recursive.`)
  if (excluded > 0)
    context.notice(`Skipped ${excluded} ${excluded === 1 ? 'entry that matches' : 'entries that match'} --exclude.`)
  if (tooLarge.length > 0) {
    const more = tooLarge.length > 3 ? `, and ${tooLarge.length - 3} more` : ''
    const paths = tooLarge.slice(0, 3).join(', ')
    context.notice(`Skipped ${count(tooLarge.length, 'file')} larger than ${formatBytes(maxSize)}: ${paths}${more}.`)
  }
}

function reportDifferences(context: Context, differences: Differences | null, project = 'default'): void {
  if (differences === null) {
    context.notice('This instance has an earlier version, which cannot say which files it has. All files are sent.')
    return
  }
  const { counts, needed, atEarlierPaths } = differences
  context.notice(`${counts.new} new, ${counts.changed} changed, ${counts.unchanged} unchanged`)
  const again = [...needed.values()].filter((state) => state === 'unchanged').length
  if (again > 0) context.notice(`${count(again, 'unchanged file')} will be sent again: the document failed, or its tags change.`)
  const [first] = atEarlierPaths
  if (first === undefined) return
  const files = count(atEarlierPaths.length, 'file')
  context.notice(
    `The project ${project} has ${files} of these already, at the paths of docsearch 0.1.0, which lack the name of the folder: ` +
      `${first.earlierPath} is now ${first.path}. The upload stores them a second time. To keep one copy, move the documents before it, ` +
      `such as with \`docsearch documents move ${first.earlierPath} ${first.path}\`, or delete those at the earlier paths afterwards.`,
  )
}
