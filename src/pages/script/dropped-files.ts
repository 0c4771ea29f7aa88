import { isHiddenOrGenerated } from '../../core/generated-files.ts'

/** A file with its path, which begins with the name of the folder that the user chose. */
export interface ChosenFile {
  file: File
  path: string
}

export function fromInput({ files }: HTMLInputElement): ChosenFile[] {
  return [...(files ?? [])]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ file, path }) => path === file.name || !path.split('/').some(isHiddenOrGenerated))
}

/** Returns the dropped files, and all files in the dropped folders. */
export async function fromDrop(transfer: DataTransfer): Promise<ChosenFile[]> {
  // The browser empties the list after the event.
  const dropped = [...transfer.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found: ChosenFile[] = []
  for (const { entry, file } of dropped) {
    if (entry !== null) await collect(entry, found, true)
    // A file that is in no folder of this computer, such as an image from another view.
    else if (file !== null) found.push({ file, path: file.name })
  }
  return found
}

async function collect(entry: FileSystemEntry, found: ChosenFile[], isTop: boolean): Promise<void> {
  if (!isTop && isHiddenOrGenerated(entry.name)) return
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ file, path: entry.fullPath.slice(1) })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // A folder comes in several parts.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return
    for (const child of part) await collect(child, found, false)
  }
}
