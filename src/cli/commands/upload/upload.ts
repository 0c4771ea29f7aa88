import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Client, UploadOptions } from '../../../client/client.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { CommandIo, Context } from '../../context.ts'
import { EXIT, usage } from '../../exit.ts'
import { findFiles, refuseSamePaths } from '../../files/find.ts'
import type { FoundFiles, FoundFile, Selection } from '../../files/found.ts'
import { hashFiles } from '../../files/hash.ts'
import { reportLeftOut, withoutUnreadable } from '../../files/left-out.ts'
import { count } from '../../view/style.ts'
import { compareFiles, type Differences } from './compare.ts'
import { chooseDestination } from './destination.ts'
import { printPlan, reportNothingToUpload } from './result.ts'
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
  const found = await findFiles(named, selection)
  reportLeftOut(context, found, selection)
  if (stdinName === null && found.files.length === 0) return reportNothingToUpload(context, found, named)
  if (stdinName !== null)
    refuseSamePaths([
      { from: 'standard input', path: stdinName },
      ...found.files.map(({ file, path }) => ({ from: String(file), path })),
    ])
  const { client, settings } = await chooseDestination(context, request.project, { mayAsk: stdinName === null })
  const spooled = stdinName === null ? null : await spoolStdin(context.io, stdinName)
  try {
    if (spooled !== null && spooled.file.size > (selection.maxSize ?? Infinity))
      throw usage(`Standard input has ${formatBytes(spooled.file.size)}, more than --max-size. Nothing was uploaded.`)
    const files = spooled === null ? found.files : [spooled.file, ...found.files]
    await uploadFiles(context, client, { ...found, files }, { ...request, settings: { ...settings, ...request.settings } })
    return EXIT.done
  } finally {
    await spooled?.remove()
  }
}

async function uploadFiles(
  context: Context,
  client: Client,
  found: FoundFiles,
  { settings, waits, isDryRun }: UploadRequest & { settings: UploadOptions },
): Promise<void> {
  const { readable, skipped } = withoutUnreadable(found.files)
  const hashed = await hashFiles(context, readable)
  const differences = await compareFiles(context, client, hashed.files, settings)
  reportDifferences(context, differences, settings.project)
  const refused = [...found.refused, ...hashed.refused, ...(differences?.refused ?? [])]
  const counts = differences?.counts ?? null
  const states = differences?.needed ?? new Map(hashed.files.map((file) => [file, 'unknown']))
  if (isDryRun) return printPlan(context, { states, counts, refused, skipped })
  const work = { files: [...states.keys()], unchanged: differences?.unchanged ?? [], refused, skipped, counts }
  await transfer(context, client, work, settings, { waits })
}

function reportDifferences(context: Context, differences: Differences | null, project = 'default'): void {
  if (differences === null) {
    context.notice('The instance runs an earlier version of docsearch, which cannot say which files it has. All files are sent.')
    return
  }
  const { counts, needed, atEarlierPaths } = differences
  context.notice(`${counts.new} new, ${counts.changed} changed, ${counts.unchanged} unchanged`)
  const again = [...needed.values()].filter((state) => state === 'unchanged').length
  if (again > 0)
    context.notice(
      `${count(again, 'unchanged file')} will be sent again, because its document failed, its original is damaged, or its tags change.`,
    )
  const [first] = atEarlierPaths
  if (first === undefined) return
  const files = count(atEarlierPaths.length, 'file')
  context.notice(
    `The project ${project} already has ${files} of this upload, at paths without the name of the folder, as docsearch 0.1.0 stored them: ` +
      `${first.earlierPath} is now ${first.path}. This upload stores these files a second time. To keep only one copy, move the old documents before the upload, ` +
      `for example with \`docsearch documents move ${first.earlierPath} ${first.path}\`, or delete them afterwards.`,
  )
}

/** Copies standard input to a temporary file, so that its length is known and it can be sent again. */
async function spoolStdin(io: CommandIo, name: string): Promise<{ file: FoundFile; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-stdin-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const file = join(folder, 'input')
    await pipeline(io.stdin, createWriteStream(file, { mode: 0o600 }), { signal: io.signal })
    return {
      file: {
        file,
        path: name,
        earlierPath: name,
        name: name.split('/').at(-1) ?? name,
        size: (await stat(file)).size,
        isNamed: true,
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}
