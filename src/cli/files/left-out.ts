import { formatBytes } from '../../core/format-bytes.ts'
import type { Context } from '../context.ts'
import { count } from '../view/style.ts'
import type { FoundFiles, Selection, FoundFile, Refusal } from './found.ts'
import { extname } from 'node:path'

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

/** Extensions of files that hold no text. Sending them would only take time, since the instance refuses them. */
const UNREADABLE = new Set(
  [
    'jpg jpeg png gif bmp tif tiff webp heic heif avif ico cr2 nef arw dng psd xcf',
    'mp3 m4a aac flac ogg opus wav wma aiff mid mp4 m4v mkv mov avi webm wmv mpg mpeg',
    'zip 7z rar gz tgz bz2 xz zst tar jar war deb rpm dmg iso img',
    'exe dll so dylib a o obj class pyc pyo wasm bin',
    'ttf otf woff woff2 eot',
    'db sqlite sqlite3 mdb parquet npy npz pt onnx gguf safetensors',
  ].flatMap((line) => line.split(' ')),
)

/** Separates the files of folders that hold no text, by their names, and empty files. What the user named itself stays. */
export function withoutUnreadable(files: readonly FoundFile[]): { readable: FoundFile[]; skipped: Refusal[] } {
  const readable: FoundFile[] = []
  const skipped: Refusal[] = []
  for (const file of files) {
    const refusal = file.isNamed ? null : refusalOf(file)
    if (refusal === null) readable.push(file)
    else skipped.push(refusal)
  }
  return { readable, skipped }
}

function refusalOf({ path, name, size }: FoundFile): Refusal | null {
  if (size === 0) return { path, name, code: 'empty_file', message: 'the file is empty' }
  if (!UNREADABLE.has(extname(name).slice(1).toLowerCase())) return null
  return { path, name, code: 'unsupported_type', message: 'a file of this type holds no text' }
}
