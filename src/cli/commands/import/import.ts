import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { ClientError, reasonOf } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { EXIT, usage } from '../../exit.ts'
import type { FoundFile, Refusal } from '../../files/found.ts'
import { hashFiles, type HashedFile, hashOfFile } from '../../files/hash.ts'
import { withoutUnreadable } from '../../files/left-out.ts'
import { count } from '../../view/style.ts'
import { ABOUT, MANIFEST, readAbout, FILES, type About, readManifest } from '../export/manifest.ts'
import { compareFiles } from '../upload/compare.ts'
import { chooseDestination } from '../upload/destination.ts'
import { printPlan, printResult } from '../upload/result.ts'
import { patiently } from '../upload/patience.ts'
import type { Uploaded } from '../upload/send.ts'
import { conclude, send } from '../upload/transfer.ts'
import { PAPERLESS_MANIFEST, readPaperlessExport } from './paperless.ts'
import { type ImportFile, locate, type Source } from './source.ts'

export interface ImportRequest {
  folder: string
  project: string | undefined
  prefersOriginals: boolean
  waits: boolean
  isDryRun: boolean
}

/** Requests that set titles and tags at the same time. */
const PARALLEL = 4

/** Uploads what the project lacks of an export. Returns the exit code. */
export async function importFolder(context: Context, request: ImportRequest): Promise<number> {
  const { folder, waits, isDryRun } = request
  const source = await readSource(request)
  context.notice(`${folder} has ${source.kind} with ${count(source.documents.length + source.refused.length, 'document')}.`)
  for (const note of source.notes) context.notice(note)
  const located = await locate(folder, source.documents)
  const { readable, skipped } = withoutUnreadable(located.files)
  const { client, settings } = await chooseDestination(context, request.project, { mayAsk: true })
  const hashed = await hashFiles(context, readable)
  const { whole, damaged } = await compareWithExport(hashed.files as (HashedFile & ImportFile)[])
  const refused = [...source.refused, ...located.refused, ...hashed.refused, ...damaged]
  const files = whole.map((file) => ({ ...file, tags: file.exported.tags }))
  // Compare without tags, so that a changed tag alone does not send the file again.
  const differences = await compareFiles(context, client, files, settings)
  const needed = differences?.needed ?? new Map<FoundFile, 'new'>(files.map((file) => [file, 'new']))
  const counts = differences?.counts ?? null
  if (counts !== null) context.notice(`${counts.new} new, ${counts.changed} changed, ${counts.unchanged} unchanged`)
  const allRefused = [...refused, ...(differences?.refused ?? [])]
  if (isDryRun) {
    printPlan(context, { states: needed, counts, refused: allRefused, skipped })
    return EXIT.done
  }
  const details = new Details(context, client)
  const byPath = new Map(files.map((file) => [file.path, file]))
  const unchanged = differences?.unchanged ?? []
  for (const document of unchanged) details.set(byPath.get(document.path), document)
  const work = { files: [...needed.keys()], unchanged, refused: allRefused, skipped, counts }
  const onStored = (file: FoundFile, document: Uploaded) => details.set(file as ImportFile, document)
  const { result, failure } = await send(context, client, work, settings, { waits, onStored })
  result.refused.push(...(await details.settled()))
  if (failure === undefined || result.documents.size + result.refused.length > 0) printResult(context, result)
  conclude(result, failure)
  return EXIT.done
}

async function readSource({ folder, prefersOriginals }: ImportRequest): Promise<Source> {
  const found = await stat(folder).catch((error: unknown) => {
    throw usage(`${folder}: ${reasonOf(error)}`)
  })
  if (!found.isDirectory()) throw usage(`${folder} is not a folder. If it is a zip file, unpack it first and name the folder.`)
  try {
    if (existsSync(join(folder, MANIFEST))) return await readDocsearchExport(folder, await readAbout(folder))
    if (existsSync(join(folder, PAPERLESS_MANIFEST))) return await readPaperlessExport(folder, { prefersOriginals })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw usage(`The manifest in ${folder} is damaged: ${error.message}.`)
  }
  if (existsSync(join(folder, ABOUT)))
    throw usage(`The export in ${folder} was interrupted before it wrote a manifest. Run \`docsearch export\` again.`)
  throw usage(
    `${folder} has neither ${MANIFEST} of \`docsearch export\` nor ${PAPERLESS_MANIFEST} of Paperless-ngx. For other folders, use \`docsearch upload\`.`,
  )
}

/** Separates the files whose bytes differ from the export's. */
async function compareWithExport(
  files: readonly (HashedFile & ImportFile)[],
): Promise<{ whole: (HashedFile & ImportFile)[]; damaged: Refusal[] }> {
  const whole: (HashedFile & ImportFile)[] = []
  const damaged: Refusal[] = []
  for (const file of files) {
    const { hash } = file.exported
    const found = hash?.algorithm === 'md5' ? await hashOfFile(String(file.file), 'md5') : file.sha256
    if (hash === null || found === hash.hex) whole.push(file)
    else {
      const { path, name } = file
      damaged.push({ path, name, code: 'damaged', message: 'the file differs from its hash in the export. Export it again' })
    }
  }
  return { whole, damaged }
}

/** Sets titles and tags that an upload can't set, as soon as a document is stored. */
class Details {
  readonly #context: Context
  readonly #client: Client
  /** Each worker sends one request after another. */
  readonly #lanes = Array.from({ length: PARALLEL }, () => Promise.resolve())
  #changes = 0
  readonly #refused: Refusal[] = []
  #failure: Error | null = null

  constructor(context: Context, client: Client) {
    this.#context = context
    this.#client = client
  }

  set(file: ImportFile | undefined, document: Uploaded): void {
    if (file === undefined) return
    const { tags, title } = file.exported
    const isSame = tags.length === document.tags.length && tags.every((tag) => document.tags.includes(tag))
    const change = {
      // An export without tags leaves the tags that the file itself has.
      ...(tags.length > 0 && !isSame && { tags }),
      ...(title !== null && title !== document.title && { title }),
    }
    if (Object.keys(change).length === 0) return
    const lane = this.#changes++ % PARALLEL
    this.#lanes[lane] = this.#lanes[lane]!.then(() => this.#change(document, change))
  }

  /** Returns what could not be set. Rejects with a failure that concerns everything. */
  async settled(): Promise<Refusal[]> {
    await Promise.all(this.#lanes)
    if (this.#failure !== null) throw this.#failure
    return this.#refused
  }

  async #change(document: Uploaded, change: { tags?: string[]; title?: string }): Promise<void> {
    const { signal } = this.#context.io
    const { id, path, name } = document
    if (signal.aborted) return
    try {
      const wait = (seconds: number, reason: string) => this.#context.notice(`Waiting ${seconds} s: ${reason}`)
      await patiently(() => this.#client.documents.update(id, change), signal, wait)
    } catch (error) {
      if (signal.aborted) return
      // Nobody awaits this before all files are sent.
      if (!(error instanceof ClientError)) {
        this.#failure = error instanceof Error ? error : new Error(String(error))
        return
      }
      this.#refused.push({ path, name, code: error.shownCode, message: `stored, but without its title or tags: ${error.detail}` })
    }
  }
}

/** Reads what `docsearch export` wrote. */
async function readDocsearchExport(folder: string, about: About | null): Promise<Source> {
  const source: Source = { kind: 'an export of docsearch', documents: [], refused: [], notes: [] }
  for await (const entry of readManifest(folder)) {
    if ('line' in entry) {
      const name = `${MANIFEST}:${entry.line}`
      source.refused.push({ path: name, name, code: 'invalid_entry', message: 'the line is not an entry of a manifest' })
      continue
    }
    const { path, file, name, tags, given_title: title, sha256 } = entry
    source.documents.push({ path, file: `${FILES}/${file}`, name, tags, title, hash: { algorithm: 'sha256', hex: sha256 } })
  }
  if (about?.complete === false) source.notes.push('The export is not complete. Run `docsearch export` again to complete it.')
  return source
}
