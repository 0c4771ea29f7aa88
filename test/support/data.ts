import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Real documents and judged collections kept beside the project; null where they are not there (README of the tests says what to do). */
export const DATA_DIR: string | null =
  [process.env.DOCSEARCH_TEST_DATA, fileURLToPath(new URL('../../../shared/data', import.meta.url))].find(
    (dir): dir is string => dir !== undefined && existsSync(dir),
  ) ?? null
