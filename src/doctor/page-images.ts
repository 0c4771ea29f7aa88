import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { countOf } from '../core/count-of.ts'
import { finding, repaired } from '../core/findings.ts'
import { isIntactPng } from '../parse/pdf/image/png.ts'
import type { FolderCheck } from './scene.ts'

const FOLDER = 'page-images'

/** Reads the cached images of pages. */
export const checkPageImages: FolderCheck = async ({ dataDir, wantsFix, progress, add }) => {
  const names = (await readdir(join(dataDir, FOLDER)).catch(() => [])).filter((name) => name.endsWith('.png'))
  for (const [i, name] of names.entries()) {
    progress(i, names.length, 'files')
    const place = join(FOLDER, name)
    // The daemon may have deleted it.
    const bytes = await readFile(join(dataDir, place)).catch(() => null)
    if (bytes === null || isIntactPng(bytes)) continue
    const found = finding('page_image_damaged', `${place} is damaged.`, { place })
    if (wantsFix) {
      await rm(join(dataDir, place), { force: true })
      repaired(found, 'Deleted the cached image.')
    }
    add(found)
  }
  return { message: `${countOf(names.length, 'cached image')} of pages.` }
}
