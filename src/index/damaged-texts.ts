import { DocsearchError } from '../core/errors.ts'

/** Thrown when texts do not match their hashes. All other rows can be read. */
export class DamagedTexts extends DocsearchError {
  readonly rows: readonly bigint[]

  constructor(rows: readonly bigint[]) {
    super('index_corrupt', 'Texts of the search index are damaged. docsearch indexes their documents again.')
    this.rows = rows
  }
}
