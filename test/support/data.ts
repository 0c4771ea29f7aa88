import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of real documents and judged collections next to the project, or null if it does not exist. */
export const DATA_DIR: string | null =
  [process.env.DOCSEARCH_TEST_DATA, fileURLToPath(new URL('../../../shared/data', import.meta.url))].find(
    (dir): dir is string => dir !== undefined && existsSync(dir),
  ) ?? null
