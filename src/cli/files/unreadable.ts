import { extname } from 'node:path'
import type { FoundFile, Refusal } from './found.ts'

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
