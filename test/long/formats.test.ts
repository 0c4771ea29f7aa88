import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareFormat, type ComparedFormat, FORMATS, rowOf } from '../quality/formats.ts'

/** A folder with real files in folders by format: pptx/, xlsx/, odt/, odp/, ods/, epub/. bench/DOCUMENTS.md says where ours come from. */
const FILES = process.env['DOCSEARCH_TEST_FORMATS']
const HAS_LIBREOFFICE = spawnSync('soffice', ['--version']).status === 0
/** The share of the other reader's words that ours must find, where it can be compared. */
const MIN_RECALL: Partial<Record<ComparedFormat, number>> = { pptx: 0.93, xlsx: 0.9, odt: 0.9, ods: 0.9, odp: 0.95 }

if (FILES === undefined)
  console.warn('Skipped: set DOCSEARCH_TEST_FORMATS to a folder with real files to compare the readers of formats.')
else if (!HAS_LIBREOFFICE) console.warn('Skipped: install LibreOffice to compare the readers of formats.')

test.skipIf(FILES === undefined || !HAS_LIBREOFFICE).each(Object.keys(FORMATS) as ComparedFormat[])(
  'reads real %s files without a crash, and finds the words that LibreOffice finds; prints a row of the table',
  async (format) => {
    const folder = join(FILES!, format)
    if (!existsSync(folder)) return console.warn(`Skipped: no folder ${folder}.`)
    const result = await compareFormat(folder, format)
    console.log(rowOf(format, result))
    expect(result.crashes).toEqual([])
    expect(result.read).toBeGreaterThan(0)
    const recalls = result.compared.map(({ recall }) => recall)
    const wanted = MIN_RECALL[format]
    if (wanted !== undefined) expect(recalls.reduce((sum, one) => sum + one, 0) / recalls.length).toBeGreaterThan(wanted)
  },
)
