import { formatBytes } from '../../core/format-bytes.ts'
import type { Context } from '../context.ts'
import { count } from '../view/style.ts'
import type { FoundFiles } from './found.ts'
import type { Selection } from './selection.ts'

const MAX_NAMED = 3

/** Says what was left out of the folders. */
export function reportLeftOut(context: Context, { files, skipped }: FoundFiles, { maxSize = 0 }: Selection): void {
  const { subfolders, excluded, ignored, tooLarge, links, caches } = skipped
  const notice = (text: string) => context.notice(`Skipped ${text}`)
  const entries = (n: number) => (n === 1 ? '1 entry that matches' : `${n} entries that match`)
  if (subfolders > 0 && files.length > 0) notice(`${count(subfolders, 'subfolder')}. To include subfolders, add --recursive.`)
  if (excluded > 0) notice(`${entries(excluded)} --exclude.`)
  if (ignored > 0) notice(`${entries(ignored)} a line in .gitignore or .docsearchignore.`)
  if (tooLarge.length > 0) notice(`${count(tooLarge.length, 'file')} larger than ${formatBytes(maxSize)}: ${some(tooLarge)}.`)
  if (caches.length > 0) notice(`${count(caches.length, 'folder')} with a CACHEDIR.TAG: ${some(caches)}.`)
  if (links.length === 0) return
  const lead = links.length === 1 ? '1 link that leads' : `${links.length} links that lead`
  notice(`${lead} out of the folder: ${some(links)}. To follow links, add --follow-links.`)
}

function some(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? `, and ${paths.length - MAX_NAMED} more` : ''
  return paths.slice(0, MAX_NAMED).join(', ') + more
}
