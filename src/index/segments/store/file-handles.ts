import { closeSync } from 'node:fs'
import { hasOwnHandle, type PagedFile } from '../paged-file.ts'

/** Counts the users of each file that threads read page by page, and closes a file when its last user releases it. */
export class FileHandles {
  readonly #users = new Map<number, number>()

  retain(files: readonly PagedFile[]): void {
    for (const { handle } of files.filter(hasOwnHandle)) this.#users.set(handle, (this.#users.get(handle) ?? 0) + 1)
  }

  release(files: readonly PagedFile[]): void {
    for (const { handle } of files.filter(hasOwnHandle)) {
      const users = (this.#users.get(handle) ?? 0) - 1
      if (users > 0) this.#users.set(handle, users)
      else if (this.#users.delete(handle)) closeSync(handle)
    }
  }
}
