import { hash } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../client/client.ts'
import { isMissing } from '../client/private-file.ts'
import { cacheFolder } from '../client/folders.ts'
import type { Document } from '../contract/documents.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Context } from './context.ts'
import { download, nameToOpen } from './download.ts'

/** Copies that were opened stay this long, because the program that shows a file may read it at any time. */
const KEPT_MS = 7 * 24 * 3_600_000

export interface Opened {
  /** The copy on this machine. */
  file: string
  /** What shows the document: the program for its file, or the browser. */
  with: 'viewer' | 'browser'
}

/**
 * Opens a document: its file at a page, where the user's viewer can do that, or else the page in the browser at `address`. Throws
 * DocsearchError `file_unopenable` when neither works.
 */
export async function openDocument(
  context: Context,
  client: Client,
  { document, page, address }: { document: Document; page: number; address: string },
): Promise<Opened> {
  const file = await copyOf(context, client, document)
  // No program opens another format at a page.
  const isPdf = document.media_type === 'application/pdf'
  try {
    await context.io.openFile(file, isPdf ? page : 1)
    return { file, with: 'viewer' }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    context.notice(`Could not open the file in a viewer (${reason}). Opening the page in the browser.`)
  }
  try {
    await context.io.openBrowser(address)
    return { file, with: 'browser' }
  } catch (cause) {
    throw new DocsearchError(
      'file_unopenable',
      `Could not open a viewer or a browser. The file is ${file}, and the page is ${address}`,
      { cause },
    )
  }
}

/** Downloads the original into the cache, unless it is there. */
async function copyOf(context: Context, client: Client, document: Document): Promise<string> {
  const opened = join(cacheFolder(context.io.env), 'opened')
  // The name of a folder must not come from an instance.
  const name = hash('sha256', document.sha256)
  const folder = join(opened, name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await utimes(folder, new Date(), new Date())
  await removeOld(opened, name)
  const file = join(folder, nameToOpen(document))
  if (!(await exists(file))) await download(client, document, file, { force: true, signal: context.io.signal })
  return file
}

async function removeOld(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name === current) continue
    const { mtimeMs } = await stat(join(folder, name))
    if (mtimeMs < Date.now() - KEPT_MS) await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
